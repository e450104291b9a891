"""Loss and error on training and held-out examples, against a plain loop over the examples."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np
import pytest

import assay as ay
from assay.maths import streams
from assay.measures import base, find
from tests import light
from tests.measures.views import TASK, measured, params_of, trial

draw = light.jit(lambda task, secret, key, index: task.examples(secret, key, index), static_argnums=0)


def examples(of: ay.Trial, name: str, count: int) -> tuple[np.ndarray, np.ndarray]:
    secret, key = of.task.secret(of.seed), streams.stream(of.seed, name)
    x, y = draw(of.task, secret, key, np.arange(count, dtype=np.uint32))
    return np.asarray(x), np.asarray(y)


def by_hand(params: Any, x: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    """Mean hinge loss and fraction of wrong answers of a ReLU net, one example at a time."""
    losses, wrong = [], 0
    hidden, output = params["hidden_1"], params["output"]
    for row, label in zip(x.astype(np.float64), y, strict=True):
        f = (output["weight"] @ np.maximum(hidden["weight"] @ row + hidden["bias"], 0) + output["bias"])[0]
        losses.append(max(0.0, 1 - label * f))
        wrong += not label * f > 0
    return float(np.mean(losses)), wrong / len(y)


def scores(of: ay.Trial, split: str, params: Any = None, step: int = 5) -> tuple[float, float]:
    both = lambda view: (find(f"{split}/loss")(view), find(f"{split}/error")(view))  # noqa: E731
    loss, error = measured(both, of, params, step=step)
    return float(loss), float(error)


@pytest.mark.parametrize("sample", [1, 600])
def test_held_out_scores_are_those_of_a_loop_over_the_sample(sample: int):
    of = trial(solve=ay.Solve(sample=sample))
    expected = by_hand(params_of(of), *examples(of, "eval", sample))
    assert scores(of, "eval") == pytest.approx(expected, rel=1e-5)
    assert scores(of, "eval", step=17) == scores(of, "eval")


@pytest.mark.parametrize("block", [1, 64])
def test_the_size_of_a_block_does_not_matter(block: int, monkeypatch: pytest.MonkeyPatch):
    of = trial()
    whole = scores(of, "eval")
    monkeypatch.setattr(base, "BLOCK", block)
    blocked = scores(of, "eval")
    assert blocked[1] == whole[1]
    assert blocked[0] == pytest.approx(whole[0], rel=1e-6)


def test_noise_spoils_training_labels_and_no_others():
    noisy = trial(task=TASK.replace(noise=0.5), data=ay.Offline(samples=300))
    clean = trial(data=ay.Offline(samples=300))
    assert scores(noisy, "eval") == scores(clean, "eval")
    assert scores(noisy, "train") != scores(clean, "train")


def test_online_training_scores_are_those_of_the_batch_that_comes_next():
    of = trial(task=TASK.replace(noise=0.25), batch=200)
    keys = light.keys(of.seed)
    index = jnp.arange(200, dtype=jnp.uint32)
    fetch = light.jit(lambda step: of.data.fetch(of.task, of.task.secret(of.seed), keys, index, step))
    for step in (0, 5):
        x, y = (np.asarray(part) for part in fetch(np.int32(step)))
        assert scores(of, "train", step=step) == pytest.approx(by_hand(params_of(of), x, y), rel=1e-5)


def test_offline_training_scores_are_those_of_the_whole_set():
    of = trial(data=ay.Offline(samples=37), batch=8)
    expected = by_hand(params_of(of), *examples(of, "data", 37))
    assert scores(of, "train") == pytest.approx(expected, rel=1e-5)


def test_training_scores_on_the_population_are_those_of_the_cube():
    of = trial(data=ay.Population(), batch="all")
    x = 1.0 - 2.0 * (np.arange(64)[:, None] >> np.arange(6) & 1)
    assert scores(of, "train") == pytest.approx(by_hand(params_of(of), x, x[:, 0] * x[:, 1]), rel=1e-5)


@pytest.mark.parametrize("sample", [41, 100, 1000])
def test_no_wrong_answer_is_an_error_of_exactly_zero(sample: int):
    of = trial(net=ay.PolyNet(), solve=ay.Solve(sample=sample))
    solution = {"factors": {"weight": np.eye(6, dtype=np.float32)[:2], "bias": np.zeros(2, np.float32)}}
    assert scores(of, "eval", solution) == (0.0, 0.0)


def test_a_net_that_answers_zero_or_nan_is_always_wrong():
    of = trial(net=ay.PolyNet())
    for number in (0.0, np.nan):
        params = {"factors": {"weight": np.full((2, 6), number, np.float32), "bias": np.zeros(2, np.float32)}}
        loss, error = scores(of, "eval", params)
        assert error == 1
        assert loss == 1 if number == 0 else np.isnan(loss)
