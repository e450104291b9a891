"""Strips of digits, and the loader on files of every form that it takes, made here."""

from __future__ import annotations

import gzip
import hashlib
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import assay as ay
from assay.errors import ConfigError
from assay.maths import streams
from assay.tasks import digits
from tests import light

RNG = np.random.default_rng(0)
IMAGES, LABELS = RNG.integers(256, size=(7, 784), dtype=np.uint8), RNG.integers(10, size=7, dtype=np.uint8)


def idx(array: np.ndarray) -> bytes:
    sizes = [len(array), 28, 28] if array.ndim == 2 else [len(array)]
    return bytes([0, 0, 8, len(sizes)]) + b"".join(size.to_bytes(4, "big") for size in sizes) + array.tobytes()


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    """Five training and two test images pass for MNIST."""
    parts = (IMAGES[:5], LABELS[:5], IMAGES[5:], LABELS[5:])
    sums = [hashlib.md5(idx(part)).hexdigest() for part in parts]
    monkeypatch.setattr(digits, "MD5", dict(zip(digits.MD5, sums, strict=True)))
    monkeypatch.setattr(digits, "TRAIN", 5)


def write(folder: Path, form: str) -> None:
    parts = (IMAGES[:5], LABELS[:5], IMAGES[5:], LABELS[5:])
    table = pl.DataFrame(np.column_stack([IMAGES, LABELS]), schema=[f"pixel{i}" for i in range(784)] + ["class"])
    if form.startswith("idx"):
        raw = folder / "MNIST" / "raw"
        raw.mkdir(parents=True)
        for part, name in zip(parts, digits.MD5, strict=True):
            if form == "idx.gz":
                (raw / f"{name}.gz").write_bytes(gzip.compress(idx(part)))
            else:
                (raw / name).write_bytes(idx(part))
    elif form == "npz":
        square = [part.reshape(-1, 28, 28) if part.ndim == 2 else part for part in parts]
        names = ("x_train", "y_train", "x_test", "y_test")
        arrays: Any = dict(zip(names, square, strict=True))
        np.savez(folder / "mnist.npz", **arrays)
    elif form == "parquet":
        table.with_columns(pl.col("class").cast(pl.String)).write_parquet(folder / "mnist_784.parquet")
    elif form == "csv":
        table.write_csv(folder / "mnist_784.csv")
    else:
        body = "\n".join(",".join(map(str, row)) for row in table.rows())
        (folder / "mnist_784.arff").write_text(f"@RELATION mnist_784\n@ATTRIBUTE class {{0,1}}\n@DATA\n{body}\n")


@pytest.mark.usefixtures("tiny")
@pytest.mark.parametrize("form", ["idx", "idx.gz", "npz", "parquet", "csv", "arff"])
def test_every_form_gives_the_same_images(form: str, tmp_path: Path):
    write(tmp_path, form)
    found = digits.load("mnist", tmp_path)
    np.testing.assert_array_equal(np.concatenate([found.train, found.test]), IMAGES)
    np.testing.assert_array_equal(np.concatenate([found.train_label, found.test_label]), LABELS)
    assert len(found.test) == 2


def test_other_images_are_refused(tmp_path: Path):
    write(tmp_path, "idx")
    with pytest.raises(
        ConfigError, match="those of train-images-idx3-ubyte, MD5 6bbc9ace898e44ae57da46a324031adb, got"
    ):
        digits.load("mnist", tmp_path)


def test_where_there_is_none_it_says_where_it_looked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv(digits.ENVIRONMENT, str(tmp_path))
    assert not digits.available("mnist")
    assert digits.available("scikit")
    with pytest.raises(ConfigError, match=str(tmp_path)):
        digits.load.__wrapped__("mnist")


def strips(held_out: bool, k: int = 3, count: int = 400) -> tuple[np.ndarray, np.ndarray]:
    task = ay.DigitStrips(digits=k)
    draw = task.held_out if held_out else task.examples
    x, y = light.jit(draw)(task.secret(0), streams.stream(0, "data"), np.arange(count, dtype=np.uint32))
    return np.asarray(x), np.asarray(y)


@pytest.mark.parametrize("held_out", [False, True])
def test_strips_are_standardised_images_of_their_half_and_labels_the_parity_of_their_sum(held_out: bool):
    found = digits.load("scikit")
    images, labels = (found.test, found.test_label) if held_out else (found.train, found.train_label)
    source = digits.SOURCES["scikit"]
    known: dict[bytes, set[int]] = {}
    for image, label in zip(images, labels, strict=True):
        known.setdefault(image.tobytes(), set()).add(int(label))
    x, y = strips(held_out)
    pixels = np.round((x * source.deviation + source.mean) * source.top).astype(np.uint8).reshape(-1, 3, 64)
    for strip, label in zip(pixels, y, strict=True):
        total = sum(next(iter(known[image.tobytes()])) for image in strip)
        assert label == (1 if total % 2 == 0 else -1)


def test_the_digits_of_a_strip_are_independent_and_pixels_of_size_one():
    x, _ = strips(False, 2, 2000)
    first, second = x[:, :64].mean(axis=1), x[:, 64:].mean(axis=1)
    assert abs(np.corrcoef(first, second)[0, 1]) < 5 / np.sqrt(2000)
    assert abs(x.mean()) < 0.02
    assert abs(x.std() - 1) < 0.02
