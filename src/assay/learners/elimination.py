"""Gaussian elimination: a noiseless parity is a linear system over GF(2), with the indicator of S as its solution.

n independent examples settle it, in n^3 operations whatever k is (Barak et al. 2022, section 1 and appendix C.6). One
flipped label among them gives another solution: elimination survives noise p with probability (1-p)^n. The usual remedy
is to solve subset after subset of a pool of examples (Esser, Kuebler, May 2017, "LPN decoded", Pooled Gauss).
"""

from __future__ import annotations

import dataclasses
import math

import numpy as np
from jaxtyping import UInt8, UInt64

from assay.learners.base import Examples, Found, Learner, subset_test, wrong_answers
from assay.maths.gf2 import pack, row_reduce, unpack

SPARE = 8
"""Examples beyond n in an attempt: with them all but 2^-8 of the systems have a unique solution."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Elimination(Learner):
    """Examples until n of them are independent, on average 1.6 more than n, and the solution of their system. It is
    not tested: under noise the answer is wrong, not missing."""

    def search(self, examples: Examples) -> Found:
        n = examples.task.n
        rows = np.zeros((0, -(-(n + 1) // 64)), np.uint64)
        samples = work = 0
        while missing := n - len(rows):  # at least so many are needed: none is drawn in vain
            x, y = examples.take(missing)
            rows = np.concatenate([rows, _system(x, y)])
            work += n * rows.size
            rows, _ = row_reduce(rows, n)
            samples += missing
        return Found(subset=_members(unpack(rows, n + 1)[:, n]), samples=samples, queries=1, work=work)


@dataclasses.dataclass(frozen=True, kw_only=True)
class PooledElimination(Learner):
    """Systems of random examples out of a pool of n^2, until a solution passes `subset_test` on others: about (1-p)^-n
    of them, since n examples have to be without noise. It gives up after `attempts`, or after twice as many as would
    have found one with probability `confidence`: the pool may have more noise than p."""

    attempts: int = 10_000
    confidence: float = 0.99

    def search(self, examples: Examples) -> Found:
        n = examples.task.n
        clean = (1 - 2.0**-SPARE) / expected_attempts(n, examples.task.noise)
        most = min(self.attempts, 2 * math.ceil(math.log(1 - self.confidence) / math.log1p(-clean)))
        size, allowed = subset_test(most, examples.task.noise, self.confidence)
        test_x, test_y = examples.take(size)
        pool = _system(*examples.take(max(n * n, n + SPARE)))
        generator = examples.generator("search")
        subset, attempt = None, 0
        while subset is None and attempt < most:
            attempt += 1
            chosen = generator.choice(len(pool), n + SPARE, replace=False)
            rows, _ = row_reduce(pool[chosen], n)
            solution = unpack(rows, n + 1)[:, n]
            if len(rows) == n and wrong_answers(solution[None], test_x, test_y)[0] <= allowed:
                subset = _members(solution)
        work = attempt * n * (n + SPARE) * pool.shape[1]
        return Found(subset=subset, samples=size + len(pool), queries=attempt, work=work)


def expected_attempts(n: int, noise: float) -> float:
    """(1-p)^-n, the mean number of systems until one is without noise."""
    return math.exp(-n * math.log1p(-noise))


def _system(x: UInt8[np.ndarray, "m n"], y: UInt8[np.ndarray, " m"]) -> UInt64[np.ndarray, "m words"]:
    """One equation a row, its right side as entry n."""
    return pack(np.concatenate([x, y[:, None]], axis=1))


def _members(bits: UInt8[np.ndarray, " n"]) -> tuple[int, ...]:
    return tuple(np.flatnonzero(bits).tolist())
