"""The random streams and the examples of a trial in plain numpy: the definitions of assay.maths.streams and assay.tasks
once more, for all steps at a time."""

from __future__ import annotations

from typing import Any

import numpy as np

import assay as ay
from assay.maths.streams import name_number, threefry

Key = tuple[np.ndarray, np.ndarray]


def fold_in(key: Key, number: Any) -> Key:
    number = np.atleast_1d(np.asarray(number, np.uint32))
    return threefry(*key, np.zeros_like(number), number)


def stream(seed: int, name: str) -> Key:
    return fold_in((np.zeros(1, np.uint32), np.array([seed], np.uint32)), name_number(name))


def words(key: Key, index: np.ndarray, count: int) -> np.ndarray:
    """Words 0, ..., count-1 at each address, along a new last axis; keys broadcast against addresses."""
    index = index.astype(np.uint32)
    pairs = [np.stack(threefry(*key, index, np.full_like(index, j)), axis=-1) for j in range((count + 1) // 2)]
    return np.concatenate(pairs, axis=-1)[..., :count]


def uniform(key: Key, index: np.ndarray) -> np.ndarray:
    return (words(key, index, 1)[..., 0] >> 8) / 2**24


def below(key: Key, index: np.ndarray, bound: int) -> np.ndarray:
    return (words(key, index, 1)[..., 0].astype(np.uint64) * np.uint64(bound)) >> np.uint64(32)


def shuffled(key: Key, position: np.ndarray, size: int) -> np.ndarray:
    """Six rounds of a Feistel network, again and again until the number is below `size`."""
    half = max(1, ((size - 1).bit_length() + 1) // 2)
    number, outside = position.astype(np.uint32), np.ones(position.shape, bool)
    while outside.any():
        left, right = number >> np.uint32(half), number & np.uint32(2**half - 1)
        for turn in range(6):
            mixed = threefry(*key, right, np.full_like(right, turn))[0]
            left, right = right, left ^ (mixed & np.uint32(2**half - 1))
        number = np.where(outside, (left << np.uint32(half)) | right, number)
        outside = number >= size
    return number


def indices(trial: ay.Trial, steps: int) -> np.ndarray:
    """Which training examples each step sees: (T, B)."""
    data: Any = trial.data
    t, place = np.arange(steps)[:, None], np.arange(trial.examples_a_step)[None]
    everyone = np.broadcast_to(place, (steps, trial.examples_a_step)).astype(np.uint32)
    count = data.count(trial.task)
    if count is None or trial.batch == "all":
        return everyone
    order = stream(trial.seed, "order")
    if data.order == "replacement":
        return below(fold_in(order, t), everyone, count)
    per_epoch = count // trial.examples_a_step
    return shuffled(fold_in(order, t // per_epoch), place + t % per_epoch * trial.examples_a_step, count)


def batches(trial: ay.Trial, steps: int) -> tuple[np.ndarray, np.ndarray]:
    """Inputs +-1 (T, B, n) and labels as trained on (T, B) of the first steps."""
    task: Any = trial.task
    index, t = indices(trial, steps), np.arange(steps)[:, None]
    data, noise = stream(trial.seed, "data"), stream(trial.seed, "noise")
    if isinstance(trial.data, ay.Online):
        data, noise = fold_in(data, t), fold_in(noise, t)
    if isinstance(trial.data, ay.Population):
        x, y = _examples(trial, index[..., None])
    else:
        x, y = _examples(trial, words(data, index, task.num_words))
    return x, np.where(uniform(noise, index) < np.float32(task.noise), -y, y)


def held_out(trial: ay.Trial, count: int) -> tuple[np.ndarray, np.ndarray]:
    """The first examples of the fixed held-out sample, (count, n) and (count,)."""
    task: Any = trial.task
    return _examples(trial, words(stream(trial.seed, "eval"), np.arange(count), task.num_words))


def _examples(trial: ay.Trial, packed: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    task: Any = trial.task
    i = np.arange(task.n)
    x = 1 - 2.0 * (packed[..., i // 32] >> (i % 32).astype(np.uint32) & 1)
    return x, x[..., task.coordinates(trial.seed)].prod(axis=-1)
