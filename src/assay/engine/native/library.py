"""The compiled kernels, and what Python and they say to each other (kernels/api.h): plain structures through ctypes.

There is a library for each instruction set, built when Assay is installed; the best that this machine runs is loaded.
`ASSAY_ISA` asks for another by name, for tests and comparisons.
"""

from __future__ import annotations

import ctypes
import dataclasses
import functools
import os
from ctypes import (
    CFUNCTYPE,
    POINTER,
    PYFUNCTYPE,
    byref,
    c_char_p,
    c_double,
    c_float,
    c_int32,
    c_int64,
    c_uint32,
    c_void_p,
)
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float32, UInt32

from assay.errors import UnknownName

ABI = 2
MASK_WORDS = 128
COEFFICIENTS = 16
PERIOD = 100
"""Steps, between those at which a trial without a solve test may be stopped (kernels/trial.hpp)."""
ISAS = ("avx512", "avx2", "portable")
"""From the fastest to the one that every machine runs."""


class Spec(ctypes.Structure):
    """One trial: everything that its numbers depend on."""

    _fields_ = (
        *((name, c_int32) for name in (
            "model", "activation", "degree", "loss", "n", "rows", "batch", "output", "hidden_bias", "output_bias",
            "source", "order", "samples", "init", "bias_rule", "nonzeros",
            "every", "sample", "allowed", "fresh", "streak",
        )),
        ("seed", c_uint32), ("init_seed", c_uint32),
        ("init_scale", c_float), ("scale", c_float), ("noise", c_float),
        ("rate", c_float * 2), ("decay", c_float * 2),
        ("coefficients", c_float * COEFFICIENTS),
        ("mask", c_uint32 * MASK_WORDS),
    )  # fmt: skip


PROGRESS = ("step", "bad", "checked", "streak", "suspect", "loss")


class Progress(ctypes.Structure):
    """Where a trial stands, beside its weights."""

    _fields_ = (*((name, c_int64) for name in PROGRESS[:-1]), (PROGRESS[-1], c_float))


class Numbers(ctypes.Structure):
    """One record of the measures that are numbers."""

    _fields_ = tuple(
        (name, c_float)
        for name in ("train_loss", "train_error", "eval_loss", "eval_error", "movement_linf", "movement_l2", "norm_l2")
    )


class Table(ctypes.Structure):
    """The functions of a library."""

    _fields_ = (
        ("abi", c_int32),
        ("spec_bytes", c_int32),
        ("isa", c_char_p),
        ("begin", CFUNCTYPE(c_void_p, POINTER(Spec), POINTER(c_float), POINTER(Progress))),
        ("advance", CFUNCTYPE(c_int32, c_void_p, c_int64, c_double)),
        ("look", PYFUNCTYPE(None, c_void_p, POINTER(Progress))),
        ("size", PYFUNCTYPE(c_int64, POINTER(Spec))),
        ("params", CFUNCTYPE(None, c_void_p, POINTER(c_float))),
        ("measure", CFUNCTYPE(c_int32, c_void_p, c_int32, POINTER(Numbers))),
        ("end", CFUNCTYPE(None, c_void_p)),
        ("examples", CFUNCTYPE(None, POINTER(Spec), c_int64, c_int32, POINTER(c_uint32), POINTER(c_float))),
        ("answers", CFUNCTYPE(None, c_void_p, c_int32, POINTER(c_float))),
        ("peak", CFUNCTYPE(c_double, c_int32, c_double)),
    )


@dataclasses.dataclass(frozen=True)
class Library:
    """The kernels of one instruction set. Calls release the interpreter's lock, but for those that are over at once:
    threads that ask for it often wait for each other."""

    isa: str
    table: Table
    handle: Any  # keeps the library loaded

    def size(self, spec: Spec) -> int:
        """Number of parameters."""
        return self.table.size(byref(spec))

    def examples(
        self, spec: Spec, step: int, count: int
    ) -> tuple[UInt32[np.ndarray, "B Q"], Float32[np.ndarray, " B"]]:
        """The first training examples of a step: inputs as words, and labels as trained on."""
        packed, labels = np.zeros((count, -(-spec.n // 32)), np.uint32), np.zeros(count, np.float32)
        self.table.examples(byref(spec), step, count, _pointer(packed, c_uint32), _pointer(labels, c_float))
        return packed, labels

    def peak(self, kind: int, seconds: float = 0.2) -> float:
        """What one core can do in a second of: 0 multiply-adds, 1 popcounts of words, 2 loads of words."""
        return self.table.peak(kind, seconds)


class Run:
    """A trial inside the kernels. One thread at a time may use it; `end` gives its memory back."""

    def __init__(self, library: Library, spec: Spec, params: np.ndarray | None, progress: Progress | None) -> None:
        self.library, self.table = library, library.table
        start = None if params is None else _pointer(params, c_float)
        self.handle = self.table.begin(byref(spec), start, None if progress is None else byref(progress))
        if not self.handle:
            raise MemoryError("no room for the weights or examples of this trial")
        self.size = library.size(spec)

    def advance(self, until: int, seconds: float) -> int:
        """Trains to step `until`, to its end, or for about so many seconds: a `spec.Status`."""
        return self.table.advance(self.handle, until, seconds)

    def look(self) -> Progress:
        progress = Progress()
        self.table.look(self.handle, byref(progress))
        return progress

    def params(self) -> Float32[np.ndarray, " P"]:
        """All parameters, layer by layer, weights before biases."""
        found = np.empty(self.size, np.float32)
        self.table.params(self.handle, _pointer(found, c_float))
        return found

    def measure(self, wanted: int) -> Numbers:
        """The numbers of the groups in `wanted` (bits of `spec.Wanted`)."""
        numbers = Numbers()
        if not self.table.measure(self.handle, wanted, byref(numbers)):
            raise MemoryError("no room to measure this trial")
        return numbers

    def answers(self, count: int) -> Float32[np.ndarray, " count"]:
        """Outputs for the first held-out examples."""
        found = np.empty(count, np.float32)
        self.table.answers(self.handle, count, _pointer(found, c_float))
        return found

    def end(self) -> None:
        self.table.end(self.handle)
        self.handle = None


def library(isa: str | None = None) -> Library:
    """The kernels of an instruction set, by default the best that runs here; OSError says why there are none."""
    wanted = isa or os.environ.get("ASSAY_ISA") or None
    if wanted is not None and wanted not in ISAS:
        raise UnknownName("instruction set", wanted, ISAS)
    return _best(wanted)


@functools.cache
def _best(wanted: str | None) -> Library:
    runs = _open("portable").assay_runs
    runs.argtypes, runs.restype = [c_char_p], c_int32
    for isa in ISAS if wanted is None else (wanted,):
        if not runs(isa.encode()):
            if wanted is not None:
                raise OSError(f"this machine does not run {isa}")
            continue
        try:
            return _load(isa)
        except OSError:  # a compiler that did not know the instruction set: the next one will do
            if wanted is not None or isa == ISAS[-1]:
                raise
    raise AssertionError  # every machine runs the last one


@functools.cache
def _load(isa: str) -> Library:
    handle = _open(isa)
    table = Table.in_dll(handle, "assay_engine")
    if (table.abi, table.spec_bytes) != (ABI, ctypes.sizeof(Spec)):
        raise OSError(f"the kernels for {isa} were built from other sources: install Assay again")
    return Library(isa, table, handle)


def _open(isa: str) -> ctypes.CDLL:
    built = sorted(Path(__file__).parent.glob(f"_{isa}.*"))
    if not built:
        raise OSError("the kernels are not built: installing Assay needs a C++17 compiler for them (gcc or clang)")
    return ctypes.CDLL(str(built[0]))


def _pointer(array: np.ndarray, kind: Any) -> Any:
    return array.ctypes.data_as(POINTER(kind))
