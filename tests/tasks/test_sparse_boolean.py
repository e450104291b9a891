"""Labels by their definition, the balance of the labels, and training sets that fit one subset only."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np
import pytest

import assay as ay
from assay.errors import ConfigError
from assay.maths import juntas, streams
from assay.tasks import sparse_boolean

FUNCTIONS = {
    "and": lambda ones, k: ones == k,
    "or": lambda ones, k: ones > 0,
    "xor": lambda ones, k: ones % 2 == 1,
    "majority": lambda ones, k: 2 * ones > k,
}


def drawn(
    task: ay.SparseBoolean, seed: int = 0, stream: str = "data", count: int = 300
) -> tuple[np.ndarray, np.ndarray]:
    x, y = task.examples(task.secret(seed), streams.stream(seed, stream), jnp.arange(count, dtype=jnp.uint32))
    return np.asarray(x), np.asarray(y)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_labels_are_the_function_of_the_hidden_bits(function: str):
    task = ay.SparseBoolean(n=20, function=function)
    x, y = drawn(task)
    ones = (x[:, list(task.coordinates(0))] > 0).sum(axis=1)
    np.testing.assert_array_equal(y > 0, FUNCTIONS[function](ones, 3))


def test_a_table_is_read_by_the_order_of_the_coordinates():
    task = ay.SparseBoolean(n=8, k=2, function=(0, 1, 0, 0), subset=(6, 3))  # 1 at bit 3, 0 at bit 6
    x, y = drawn(task)
    np.testing.assert_array_equal(y > 0, (x[:, 3] > 0) & (x[:, 6] < 0))


@pytest.mark.slow
@pytest.mark.parametrize("function", ["and", "or", "xor", "majority", (0, 1, 1, 0), (0, 0, 0, 1, 0, 1, 0, 0)])
def test_both_labels_are_equally_frequent(function: str | tuple[int, ...]):
    """A million examples: 0.003 are six standard deviations. The last table is never 1 half of the time."""
    task = ay.SparseBoolean(n=6, function=function)
    bits = task.bits(1, "data", 1_000_000, 0)
    assert abs(bits.mean() - task.p) < 0.003
    assert abs(task.labels(1, bits).mean() - (0.25 if function == (0, 0, 0, 1, 0, 1, 0, 0) else 0.5)) < 0.003


def test_bits_of_the_host_are_those_of_the_program():
    task = ay.SparseBoolean(n=33, screened=12)
    for stream in ("data", "eval"):
        x, y = drawn(task, 5, stream)
        bits = task.bits(5, stream, 300, task.draw(5))
        np.testing.assert_array_equal(bits, x > 0)
        np.testing.assert_array_equal(task.labels(5, bits), y > 0)


def test_a_screened_training_set_fits_one_subset_and_those_before_it_several():
    task = ay.SparseBoolean(n=14, screened=14)
    draws = [task.draw(seed) for seed in range(20)]
    assert max(draws) > 0
    for seed, last in enumerate(draws):
        for draw in range(last + 1):
            x = task.bits(seed, "data", 14, draw)
            fits = juntas.fitting_subsets(x, task.labels(seed, x), task.table)
            assert (len(fits) == 1) == (draw == last)
            assert task.coordinates(seed) in [tuple(row) for row in fits.tolist()]


def test_a_training_set_that_never_identifies_is_refused(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sparse_boolean, "MOST_DRAWS", 20)
    with pytest.raises(ConfigError, match=r"screened.*a learner needs at least 7\.8 examples"):
        ay.SparseBoolean(n=12, screened=1).secret(0)


@pytest.mark.parametrize(
    "wrong", [{"k": 9}, {"function": "nand"}, {"function": (0, 1)}, {"function": (0, 0, 0, 0)}, {"subset": (0, 0, 1)}]
)
def test_what_is_no_function_of_hidden_bits_is_refused(wrong: dict[str, Any]):
    with pytest.raises(ConfigError, match="sparse-boolean"):
        ay.SparseBoolean(n=8).replace(**wrong)


def test_conjunction_and_disjunction_are_mirror_images():
    both = [ay.SparseBoolean(n=10, function=name, subset="first") for name in ("and", "or")]
    assert both[0].p == pytest.approx(1 - both[1].p)
    x = np.random.default_rng(0).integers(0, 2, (50, 10), dtype=np.uint8)
    np.testing.assert_array_equal(both[0].labels(0, x), 1 - both[1].labels(0, 1 - x))
