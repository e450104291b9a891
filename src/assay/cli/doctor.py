"""`assay doctor`: what this machine has, and what works on it."""

from __future__ import annotations

import dataclasses
import importlib.metadata
import importlib.util
import os
import platform
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import assay
from assay.cli.codes import FAILED
from assay.cli.options import Json, parse
from assay.cli.output import print_json, print_table

NEEDED = ("jax", "optax", "numpy", "scipy", "polars", "matplotlib", "tyro", "rich", "fsspec")
VECTORS = (
    "sse4_2",
    "avx",
    "avx2",
    "fma",
    "avx512f",
    "avx512bw",
    "avx512_vpopcntdq",
    "avx512_vnni",
    "amx_bf16",
    "popcnt",
    "neon",
    "asimd",
    "sve",
)
COMPILERS = ("cc", "gcc", "clang", "c++")


@dataclasses.dataclass(frozen=True)
class Check:
    """One question, its answer, and whether Assay can do without."""

    name: str
    works: bool
    what: str
    needed: bool = True


def command(*, json: Json = False) -> int:
    """Looks at versions, devices, cores, instruction sets, compiler and folders, and tries every engine with a store.

    A `no` that Assay can do without is marked as optional; ends with 1 if something that it needs is missing.
    """
    found = [check for look in LOOKS for check in look()]
    if json:
        print_json([dataclasses.asdict(check) for check in found])
    else:
        rows = [
            (check.name, "yes" if check.works else "no" if check.needed else "no (optional)", check.what)
            for check in found
        ]
        print_table(["what", "works", "found"], rows)
    return 0 if all(check.works or not check.needed for check in found) else FAILED


def _versions() -> list[Check]:
    python = f"{platform.python_version()} at {sys.executable}"
    found = [
        Check("assay", True, f"{assay.__version__} at {Path(assay.__file__).parent}"),
        Check("python", (3, 11) <= sys.version_info[:2] <= (3, 13), python),
    ]
    return found + [Check(name, version is not None, version or "missing") for name, version in map(_version, NEEDED)]


def _version(name: str) -> tuple[str, str | None]:
    try:
        return name, importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return name, None


def _machine() -> list[Check]:
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    cores = f"{usable} usable of {os.cpu_count()}"
    sets = instruction_sets()
    compiler = next((path for path in map(shutil.which, COMPILERS) if path), None)
    return [
        Check("platform", True, platform.platform()),
        Check("cores", True, f"{cores}, {memory()}"),
        Check("instruction sets", bool(sets), " ".join(sets) or "not known on this platform", needed=False),
        Check("compiler", compiler is not None, compiler or "none of " + ", ".join(COMPILERS), needed=False),
    ]


def instruction_sets() -> list[str]:
    """The vector instruction sets of this CPU, as Linux names them."""
    try:
        flags = set(re.findall(r"\w+", Path("/proc/cpuinfo").read_text()))
    except OSError:
        return []
    return [name for name in VECTORS if name in flags]


def memory() -> str:
    try:
        return f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.0f} GiB memory"
    except (ValueError, OSError):
        return "memory not known"


def _folders() -> list[Check]:
    cache = Path(os.environ.get("ASSAY_CACHE") or Path.home() / ".cache" / "assay")
    return [_writable("cache of compiled programs", cache, needed=False), _writable("current folder", Path.cwd())]


def _writable(name: str, folder: Path, needed: bool = True) -> Check:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        return Check(name, False, f"{folder}: {error.strerror or error}", needed)
    return Check(name, True, str(folder), needed)


def _devices() -> list[Check]:
    try:
        import jax

        devices = ", ".join(f"{device.platform}:{device.id} ({device.device_kind})" for device in jax.devices())
    except Exception as error:  # whatever a broken installation raises is the answer
        return [Check("jax devices", False, f"{type(error).__name__}: {error}")]
    return [Check("jax devices", True, devices)]


def _engines() -> list[Check]:
    """Trains a small trial on each engine, through a store."""
    import assay.sweep.engines

    return [_kernels(), *(_engine(name) for name in assay.sweep.engines.ENGINES)]


def _kernels() -> Check:
    """The library of the engine `native`, without which `xla` trains everything."""
    from assay.engine.native.library import library

    try:
        return Check("native kernels", True, library().isa, needed=False)
    except OSError as error:
        return Check("native kernels", False, str(error), needed=False)


def _engine(name: str) -> Check:
    import assay as ay

    needed = name == "xla"
    trial = ay.Trial(
        task=ay.Parity(n=4, k=1), net=ay.MLP(width=8), optimiser=ay.SGD(learning_rate=0.5), solve=ay.Solve(sample=64)
    )
    try:
        with tempfile.TemporaryDirectory() as folder:
            row = ay.run([trial], folder, engine=name, threads=1, progress=False).frame.row(0, named=True)
    except Exception as error:  # as above
        return Check(f"engine {name}", False, f"{type(error).__name__}: {error}", needed)
    said = (
        row["message"].strip().splitlines()[-1]
        if row["message"]
        else f"{row['outcome']} a small trial at step {row['step']}"
    )
    return Check(f"engine {name}", row["outcome"] == "solved", said, needed)


def _extras() -> list[Check]:
    extras = {"torch": "peers of `assay bench`", "starlette": "live pages", "lifelines": "regression of solve times"}
    return [
        Check(
            name, importlib.util.find_spec(name) is not None, f"{_version(name)[1] or 'missing'}: {use}", needed=False
        )
        for name, use in extras.items()
    ]


LOOKS: tuple[Callable[[], list[Check]], ...] = (_versions, _machine, _folders, _devices, _engines, _extras)


def main(args: Sequence[str]) -> int:
    return parse(command, "doctor", args)
