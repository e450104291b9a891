"""What a trial does, against plain numpy in float64, and how it ends."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest

import assay as ay
from assay.engine.base import Control
from assay.engine.xla.engine import Xla
from assay.maths import streams
from assay.trial import Outcome
from tests.engine.trials import results, trial

SNAPSHOTS = ay.Record(measures=("weights/snapshot", "eval/error"), every=1)


def batches(task: ay.Task, seed: int, steps: int, batch: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """What online training sees, drawn step by step from the streams."""
    key = streams.stream(seed, "data")
    index = jnp.arange(batch, dtype=jnp.uint32)
    drawn = [task.examples(task.secret(seed), streams.fold_in(key, t), index) for t in range(steps)]
    return [(np.asarray(x, np.float64), np.asarray(y, np.float64)) for x, y in drawn]


def test_a_relu_net_follows_plain_sgd_in_float64(xla: Xla):
    run = trial(ay.MLP(width=16), rate=0.05, task=ay.Parity(n=10, k=2), budget=60, solve=None, record=SNAPSHOTS)
    result = results(xla, [run])[run.identity]
    names = ("hidden_1.weight", "hidden_1.bias", "output.weight", "output.bias")
    path = [result.arrays[f"weights/snapshot.{name}"].astype(np.float64) for name in names]
    weight, bias, out, offset = (array[0] for array in path)
    for t, (x, y) in enumerate(batches(run.task, run.seed, 60, 32)):
        z = x @ weight.T + bias
        slope = np.where(y * (np.maximum(z, 0) @ out[0] + offset[0]) < 1, -y, 0) / len(y)
        back = slope[:, None] * out[0] * (z > 0)
        weight, bias = weight - 0.05 * back.T @ x, bias - 0.05 * back.sum(axis=0)
        out, offset = out - 0.05 * (slope @ np.maximum(z, 0))[None], offset - 0.05 * slope.sum()
        for mine, engines in zip((weight, bias, out, offset), path, strict=True):
            np.testing.assert_allclose(engines[t + 1], mine, rtol=1e-4, atol=1e-6)


def test_a_polynet_follows_plain_sgd_on_noisy_labels_with_weight_decay(xla: Xla):
    task = ay.Parity(n=10, k=3, noise=0.2)
    run = trial(ay.PolyNet(), task=task, optimiser=ay.SGD(learning_rate=0.1, weight_decay=0.02), budget=40, solve=None,
                record=SNAPSHOTS)  # fmt: skip
    result = results(xla, [run])[run.identity]
    weight, bias = (result.arrays[f"weights/snapshot.factors.{n}"].astype(np.float64) for n in ("weight", "bias"))
    w, b = weight[0], bias[0]
    noise = streams.stream(run.seed, "noise")
    flips = 0
    for t, (x, y) in enumerate(batches(task, run.seed, 40, 32)):
        draws = np.asarray(streams.uniform(streams.fold_in(noise, t), jnp.arange(32, dtype=jnp.uint32)))
        y = np.where(draws < 0.2, -y, y)
        flips += int((draws < 0.2).sum())
        factors = x @ w.T + b
        slope = np.where(y * factors.prod(axis=1) < 1, -y, 0) / len(y)
        others = np.stack([np.delete(factors, i, axis=1).prod(axis=1) for i in range(3)], axis=1)
        back = slope[:, None] * others
        w, b = w - 0.1 * (back.T @ x + 0.02 * w), b - 0.1 * (back.sum(axis=0) + 0.02 * b)
        np.testing.assert_allclose(weight[t + 1], w, rtol=1e-4, atol=1e-6)
        np.testing.assert_allclose(bias[t + 1], b, rtol=1e-4, atol=1e-6)
    assert 0.1 < flips / (40 * 32) < 0.3


def test_solved_is_the_first_check_at_which_all_held_out_answers_are_right(xla: Xla):
    every_check = ay.Record(measures=("eval/error",), every=10)
    run = trial(ay.Neuron(), budget=500, solve=ay.Solve(sample=2000), record=every_check)
    runs = [run.reseeded(seed) for seed in range(12)]
    found = results(xla, runs)
    solved = [r for r in found.values() if r.outcome is Outcome.SOLVED]
    assert len(solved) >= 6
    for result in found.values():
        error = result.curves["eval/error"]
        assert result.curves["step"].tolist() == list(range(0, result.step + 1, 10))
        if result.outcome is Outcome.SOLVED:
            assert error[-1] == 0
            assert np.all(error[:-1] > 0)
        else:
            assert result.step == 500
            assert np.all(error > 0)


def test_accuracy_fresh_samples_and_streaks_count_as_stated(xla: Xla):
    solve = ay.Solve(accuracy=0.9, sample=200, every=5, fresh=True, streak=2)
    run = trial(ay.Neuron(), budget=400, solve=solve, record=ay.Record(measures=("weights/snapshot",), every=5))
    result = results(xla, [run])[run.identity]
    assert result.outcome is Outcome.SOLVED
    net, index, streak = run.learner, jnp.arange(200, dtype=jnp.uint32), 0
    for i, step in enumerate(result.curves["step"].tolist()):
        params = {
            "neuron": {n: jnp.asarray(result.arrays[f"weights/snapshot.neuron.{n}"][i]) for n in ("weight", "bias")}
        }
        key = streams.fold_in(streams.stream(run.seed, "eval"), step)
        x, y = run.task.examples(run.task.secret(run.seed), key, index)
        wrong = int(jnp.sum(~run.task.correct(net.apply(params, x), y)))
        streak = streak + 1 if wrong <= 20 else 0
        assert (streak == 2) == (step == result.step)


def test_a_diverging_trial_says_when_and_the_others_finish(xla: Xla):
    good = trial(ay.PolyNet(), rate=0.05, task=ay.Parity(n=12, k=3), budget=300)
    bad = good.replace(optimiser=ay.SGD(learning_rate=50.0))
    found = results(xla, [good, bad, good.reseeded(1)])
    diverged = found[bad.identity]
    assert diverged.outcome is Outcome.DIVERGED
    assert diverged.quantity == "loss"
    assert 0 < diverged.step < 300
    assert {found[t.identity].outcome for t in (good, good.reseeded(1))} <= {Outcome.SOLVED, Outcome.CENSORED}
    single_steps = bad.replace(record=ay.Record(measures=("train/loss",), every=1), solve=None)
    losses = results(xla, [single_steps])[single_steps.identity].curves
    first = losses["step"][~np.isfinite(losses["train/loss"])][0]
    assert first == diverged.step


def test_a_shape_that_cannot_be_compiled_fails_its_trials_only(xla: Xla, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(ay.Task, "members", dict(ay.Task.members))  # the class below is known to this test only

    class Broken(ay.Parity, kind="broken"):
        """A task whose program cannot be built."""

        def examples(self, secret, key, index):
            raise RuntimeError("out of examples")

    good = trial(ay.Neuron(), budget=20)
    bad = [good.replace(task=Broken(n=12, k=2), seed=seed) for seed in range(3)]
    found = results(xla, [*bad, good], may_fail=True)
    for broken in bad:
        assert found[broken.identity].outcome is Outcome.FAILED
        assert "out of examples" in (found[broken.identity].message or "")
    assert found[good.identity].outcome in (Outcome.SOLVED, Outcome.CENSORED)


@pytest.mark.parametrize(
    ("record", "steps"),
    [
        (ay.Record(measures=("eval/error",), every=25), [0, 25, 50, 75, 99]),
        (ay.Record(measures=("eval/error",), steps=(3, 64)), [3, 64, 99]),
        (ay.Record(measures=("eval/error",), points=5), [0, 1, 3, 10, 31, 99]),
    ],
)
def test_curves_are_recorded_at_the_chosen_steps_and_at_the_last(xla: Xla, record: ay.Record, steps: list[int]):
    run = trial(ay.MLP(width=8), rate=1e-4, budget=99, record=record)
    assert results(xla, [run])[run.identity].curves["step"].tolist() == steps


def test_movement_is_zero_at_the_start(xla: Xla):
    run = trial(ay.MLP(width=8), budget=5, record=ay.Record(measures=("weights/movement_l2",), every=5))
    moved = results(xla, [run])[run.identity].curves["weights/movement_l2"]
    assert moved[0] == 0
    assert moved[-1] > 0


def test_a_net_that_is_right_from_the_start_is_solved_at_step_0(xla: Xla):
    solve = ay.Solve(accuracy=0.1, sample=100)
    run = trial(ay.MLP(width=8), solve=solve, record=ay.Record())
    result = results(xla, [run])[run.identity]
    assert (result.outcome, result.step) == (Outcome.SOLVED, 0)


def test_asking_to_stop_before_the_start_trains_nothing(xla: Xla):
    control = Control()
    control.stop.set()
    assert list(xla.run([trial(ay.Neuron())], control)) == []
