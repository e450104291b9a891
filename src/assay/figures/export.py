"""A figure as files: pictures, the table beside them, the caption. The same display gives the same bytes.

    <name>.png .svg .pdf     the picture, in the formats asked for; <name>.dark.* in the dark theme
    <name>.csv .parquet      the table it was drawn from: every number in the picture is a row of it
    <name>.md                title and caption

No file carries a date, a program version or a random id. Each is written under a temporary name and renamed,
pictures last: a picture that exists is whole, and so is its table.
"""

from __future__ import annotations

import io
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import polars as pl
from matplotlib.figure import Figure

from assay.errors import ConfigError, StoreError

METADATA: Mapping[str, Mapping[str, None]] = {
    "png": {"Software": None},
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}
FORMATS = tuple(METADATA)


def check(name: str, formats: Sequence[str]) -> None:
    """Raises ConfigError for a name that is not a plain file name and for an unknown format."""
    if not name or name != Path(name).name or name.startswith("."):
        raise ConfigError("name", name, "a plain file name without folder and ending")
    for each in formats:
        if each not in FORMATS:
            raise ConfigError("formats", each, f"among {', '.join(FORMATS)}")


def picture(figure: Figure, file_format: str) -> bytes:
    """The figure in one format. To be called inside `house_style`, which fixes ids and fonts."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format=file_format, metadata=METADATA[file_format])
    return buffer.getvalue()


def tables(table: pl.DataFrame) -> dict[str, bytes]:
    """The table as CSV and as Parquet."""
    parquet = io.BytesIO()
    table.write_parquet(parquet)
    return {"csv": table.write_csv().encode(), "parquet": parquet.getvalue()}


def write(folder: str | os.PathLike[str], files: Mapping[str, bytes]) -> tuple[Path, ...]:
    """Writes the files in their order, each at once; raises StoreError where the folder cannot take them."""
    base = Path(folder)
    written = []
    try:
        base.mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
            part = base / f".{name}.{os.getpid()}.part"
            try:
                part.write_bytes(content)
                part.replace(base / name)
            finally:
                part.unlink(missing_ok=True)
            written.append(base / name)
    except OSError as error:
        raise StoreError(
            f"cannot write figures into {base}: {error.strerror or error}; choose another folder"
        ) from error
    return tuple(written)
