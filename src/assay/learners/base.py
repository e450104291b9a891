"""What a learner is: it takes labelled examples of a parity until it knows the hidden subset, and says what that cost.

It knows n, k and the probability p that a label is flipped; not the subset. All that is random comes from the seed of
its examples, so that what it finds depends on learner, task and seed alone.
"""

from __future__ import annotations

import abc
import dataclasses
import functools
import math
import time

import numpy as np
from jaxtyping import Int, UInt8
from scipy import stats

from assay.errors import ConfigError
from assay.maths import streams
from assay.tasks.parity import Parity


class Examples:
    """The examples of a parity, one after the other: those that `Offline` data of the same seed has, with their noise.

    As bits, 1 for -1, so that a label is the sum of the bits of S modulo 2.
    """

    def __init__(self, task: Parity, seed: int = 0) -> None:
        self.task, self.seed = task, seed
        self.drawn = 0

    def take(self, count: int) -> tuple[UInt8[np.ndarray, "{count} n"], UInt8[np.ndarray, " {count}"]]:
        """The next `count` examples."""
        index = np.arange(self.drawn, self.drawn + count, dtype=np.uint32)
        self.drawn += count
        words = streams.host_words(streams.host_key(self.seed, "data"), index, self.task.num_words)
        x = np.unpackbits(words.astype("<u4").view(np.uint8), axis=1, count=self.task.n, bitorder="little")
        y = x[:, list(self.task.coordinates(self.seed))].sum(axis=1, dtype=np.uint8) & 1
        noise = streams.host_words(streams.host_key(self.seed, "noise"), index, 1)[:, 0]
        draws = (noise >> 8).astype(np.float32) * np.float32(2**-24)
        return x, y ^ (draws < np.float32(self.task.noise))

    def generator(self, name: str) -> np.random.Generator:
        """The learner's own random numbers."""
        return streams.generator(self.seed, name)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Found:
    """What a learner found, and what it took."""

    subset: tuple[int, ...] | None  # None: it gave up
    samples: int  # labelled examples looked at
    queries: int  # subsets tested, systems solved, or answers asked of a hypothesis
    work: int  # operations on 64-bit words, and multiply-adds of a hypothesis: about what a machine does at once
    seconds: float = 0.0


class Learner(abc.ABC):
    """Base of the learners: frozen dataclasses, as configs are."""

    def learn(self, examples: Examples) -> Found:
        """The hidden subset, or what is taken for it."""
        started = time.perf_counter()
        found = self.search(examples)
        return dataclasses.replace(found, seconds=time.perf_counter() - started)

    @abc.abstractmethod
    def search(self, examples: Examples) -> Found:
        """The same without the clock."""


@functools.lru_cache(maxsize=4096)
def subset_test(wrong: int, noise: float, confidence: float = 0.99) -> tuple[int, int]:
    """(m, c): the smallest number m of examples on which "at most c wrong answers" is a test of subsets.

    The right subset errs Bin(m, p) times and passes with probability at least 1 - delta/2; a wrong one errs Bin(m, 1/2)
    times whatever p is, and none of `wrong` many passes, with probability at least 1 - delta/2; delta = 1 - confidence.
    Without noise c = 0 and m = log2(2 wrong / delta) rounded up; in general m ~ log(wrong) / (1 - 2p)^2, the limit of
    Barak et al. 2022, appendix C.6.
    """
    if not 0 <= noise < 0.5:
        raise ConfigError("noise", noise, "at least 0 and below 1/2, where labels say nothing")
    if not 0 < confidence < 1:
        raise ConfigError("confidence", confidence, "strictly between 0 and 1")
    delta = 1 - confidence
    each = delta / (2 * max(wrong, 1))
    # enough by Hoeffding's inequality for both tails
    enough = math.ceil((math.sqrt(-math.log(each) / 2) + math.sqrt(math.log(2 / delta) / 2)) ** 2 / (0.5 - noise) ** 2)
    m = np.arange(enough + 2)
    allowed = stats.binom.ppf(each, m, 0.5)
    allowed -= stats.binom.cdf(allowed, m, 0.5) > each
    passes = (allowed >= 0) & (stats.binom.sf(allowed, m, noise) <= delta / 2)
    smallest = int(passes.argmax())
    return smallest, int(allowed[smallest])


def wrong_answers(
    subsets: UInt8[np.ndarray, "some n"], x: UInt8[np.ndarray, "m n"], y: UInt8[np.ndarray, " m"]
) -> Int[np.ndarray, " some"]:
    """How many labels each subset, a row of bits, gets wrong."""
    return ((subsets @ x.T ^ y) & 1).sum(axis=1, dtype=np.int64)  # sums modulo 256 have the right parity
