"""Recovering the hidden subset from the gradient of one batch: what a Fourier gap is worth in samples.

An estimate of the population gradient with largest error below gamma/2 has its k largest entries exactly at S, if
sigma' has a gamma-Fourier gap at S (Barak et al. 2022, Definition 1 and Proposition 9: the smallest relevant entry
exceeds the largest irrelevant one by gamma - 2 error > 0; that all are on either side of gamma/2, as printed, is not
needed and not so). The first version of the paper has an absolute gap and a threshold instead (its Proposition 5).

For a ReLU neuron with sign weights the gap is (|xi_{k-1}| - |xi_{k+1}|) / 2. Entries of its batch gradient are means
of B values in {-1, 0, 1} with E = g_i and E of the square 1/2, uncorrelated but for products g_i g_j, so that the
probability of recovery depends on (n, k, B) almost through B gamma^2 / ln n alone.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float64, Real, UInt64

from assay.errors import ConfigError
from assay.maths.fourier import coefficients_of_degree
from assay.maths.subsets import mask_of
from assay.theory.parity.gradient import sign_neuron_gradient
from assay.theory.parity.majority import majority_coefficient_float, majority_gap
from assay.theory.parity.noise import noise_factor

WORDS = 1 << 11
"""Words of 64 examples that are drawn at a time: the arrays of a block stay in the cache."""


def absolute_gap(spectrum: Float64[np.ndarray, " subsets"], subset: Collection[int]) -> float:
    """Largest gamma with |fhat(S-)| >= gamma for all S- = S without one, and |fhat| <= gamma/2 at all sets of k+1;
    0 where there is none (Definition 1 of the first version)."""
    n, k = len(spectrum).bit_length() - 1, len(subset)
    if not 0 < k < n:
        raise ConfigError("subset", tuple(subset), f"of 1 to {n - 1} coordinates")
    target = mask_of(subset, n)
    gamma = min(abs(spectrum[target ^ (1 << i)]) for i in subset)
    above = np.abs(coefficients_of_degree(spectrum, k + 1)).max()
    return float(gamma) if above <= gamma / 2 else 0.0


def neuron_gap(n: int, k: int) -> float:
    """gamma of a ReLU neuron with sign weights at every set of size k (even): half of majority's gap."""
    return float(majority_gap(n, k)) / 2


def largest_entries(gradient: Real[np.ndarray, " n"], k: int) -> frozenset[int]:
    """The k coordinates with the largest |g_i|: S where the error is below gamma/2 (Proposition 9)."""
    return frozenset(np.argpartition(np.abs(gradient), len(gradient) - k)[len(gradient) - k :].tolist())


def entries_above(gradient: Real[np.ndarray, " n"], gap: float) -> frozenset[int]:
    """The coordinates with |g_i| >= 3 gamma / 4: S where the error is below gamma/4 and the gap absolute
    (first version, Proposition 5; at an error of exactly gamma/4 an irrelevant entry can reach the threshold)."""
    return frozenset(np.flatnonzero(np.abs(gradient) >= 0.75 * gap).tolist())


def sufficient_samples(n: int, gap: float, failure: float) -> int:
    """A batch whose gradient has error below gamma/2 in all n entries but with that probability, for summands in
    [-1, 1]: 2 n exp(-B gamma^2 / 8) <= failure (Hoeffding and a union bound)."""
    if not 0 < failure < 1:
        raise ConfigError("failure", failure, "strictly between 0 and 1")
    if not 0 < gap <= 1:
        raise ConfigError("gap", gap, "in (0, 1]")
    return math.ceil(8 / gap**2 * math.log(2 * n / failure))


def recovery_probability(n: int, k: int, batch: int) -> float:
    """P[the k largest |ghat_i| are S] for a sign neuron, in the limit law of ghat: independent normal entries with
    means |xi_{k-1}|/2 (k of them), |xi_{k+1}|/2 (n-k) and variances (1/2 - mean^2)/B."""
    from scipy.special import ndtr

    low, high = (abs(majority_coefficient_float(n, k + step)) / 2 for step in (1, -1))
    spread_low, spread_high = (math.sqrt((0.5 - mean**2) / batch) for mean in (low, high))
    at = np.linspace(0, max(low + 9 * spread_low, high + 9 * spread_high), 20_001)
    below_low = ndtr((at - low) / spread_low) - ndtr((-at - low) / spread_low)  # P[|entry| <= at]
    below_high = ndtr((at - high) / spread_high) - ndtr((-at - high) / spread_high)
    largest, all_above = below_low ** (n - k), (1 - below_high) ** k
    return float(np.sum(np.diff(largest) * (all_above[1:] + all_above[:-1]) / 2))


@dataclass(frozen=True)
class Recovery:
    """How often a batch gradient gave the hidden subset away, out of so many trials."""

    trials: int
    largest: int  # the k largest entries are S
    threshold: int  # the entries above 3 gamma / 4 are S
    first: int  # the largest entry is in S
    close: int  # the error is below gamma/2, as Proposition 9 asks
    close_wrong: int  # of these: the k largest entries are not S
    close_across: int  # of these: entries above gamma/2 are not exactly S, as the printed proof has it
    near: int  # the error is below a quarter of the absolute gap, as the first version's Proposition 5 asks
    near_wrong: int  # of these: the entries above the threshold are not S


def simulate_recovery(n: int, k: int, batch: int, trials: int, rng: np.random.Generator, flip: float = 0.0) -> Recovery:
    """Gradients of sign neurons with random weights on parities of random subsets, and what each rule reads off; labels
    flipped with that probability scale gradient and gaps (`noise_factor`)."""
    rho = noise_factor(flip)
    relative, absolute = rho * neuron_gap(n, k), rho * abs(majority_coefficient_float(n, k - 1)) / 2
    counts = np.zeros(8, np.int64)
    for _ in range(trials):
        signs, subset = rng.choice([-1, 1], size=n), rng.permutation(n)[:k].tolist()
        gradient, hidden = batch_gradient(signs, subset, batch, rng, flip), frozenset(subset)
        error = np.abs(gradient - rho * sign_neuron_gradient(signs, subset)[0]).max()
        largest = largest_entries(gradient, k) == hidden
        threshold = entries_above(gradient, absolute) == hidden
        first = int(np.argmax(np.abs(gradient))) in hidden
        across = frozenset(np.flatnonzero(np.abs(gradient) > relative / 2).tolist()) != hidden
        close, near = error < relative / 2, error < absolute / 4
        counts += (
            largest, threshold, first, close, close and not largest, close and across, near, near and not threshold
        )  # fmt: skip
    return Recovery(trials, *counts.tolist())


def batch_gradient(
    signs: Real[np.ndarray, " n"], subset: Collection[int], batch: int, rng: np.random.Generator, flip: float = 0.0
) -> Float64[np.ndarray, " n"]:
    """(-1/B) sum_b y_b x_b 1[w.x_b + b > 0] over B fresh examples, for w in {-1,+1}^n, n odd, |b| < 1; labels are
    flipped with probability `flip`.

    Examples are the bits of words, coordinate by coordinate, so that one operation serves 64 of them: the label is
    an exclusive or of k words, the majority vote an adder made of words.
    """
    n = len(signs)
    if n % 2 == 0 or (np.abs(signs) != 1).any():
        raise ConfigError("signs", signs.tolist(), "an odd number of -1 and +1")
    mask_of(subset, n)
    flipped = np.where(signs < 0, ~np.uint64(0), np.uint64(0))[:, None]
    active_total, opposed = 0, np.zeros(n, np.int64)
    for start in range(0, batch, 64 * WORDS):
        examples = min(64 * WORDS, batch - start)
        words = rng.integers(0, 2**64, size=(n, -(-examples // 64)), dtype=np.uint64)  # bit 1: x = -1
        active = _at_most(_count(words ^ flipped), n // 2)  # fewer than half of the w_i x_i are -1
        if examples % 64:
            active[-1] &= np.uint64((1 << examples % 64) - 1)
        label = np.bitwise_xor.reduce(words[list(subset)], axis=0)
        if flip:
            label ^= np.packbits(rng.random(64 * len(label)) < flip).view(np.uint64)
        active_total += int(np.bitwise_count(active).sum())
        opposed += np.bitwise_count((words ^ label) & active).sum(axis=1, dtype=np.int64)  # y x_i = -1
    return (2 * opposed - active_total) / batch


def _count(words: UInt64[np.ndarray, "rows words"]) -> list[UInt64[np.ndarray, " words"]]:
    """How many rows have a bit set, for each bit, in binary, lowest digit first: a tree of full adders."""
    digits: list[np.ndarray] = []
    while len(words):
        carries = []
        while len(words) > 2:
            third = len(words) // 3
            a, b, c, rest = np.split(words, [third, 2 * third, 3 * third])
            half = a ^ b
            carries.append((a & b) | (half & c))
            words = np.concatenate([half ^ c, rest])
        if len(words) == 2:
            carries.append((words[0] & words[1])[None])
            words = (words[0] ^ words[1])[None]
        digits.append(words[0])
        words = np.concatenate(carries) if carries else words[:0]
    return digits


def _at_most(digits: list[UInt64[np.ndarray, " words"]], bound: int) -> UInt64[np.ndarray, " words"]:
    """Bits of which the count is at most `bound`, compared from the highest digit down."""
    less, equal = np.zeros_like(digits[0]), ~np.zeros_like(digits[0])
    for place in reversed(range(len(digits))):
        if bound >> place & 1:
            less |= equal & ~digits[place]
            equal &= digits[place]
        else:
            equal &= ~digits[place]
    return less | equal
