"""What the engine takes, what it refuses and why, and what becomes of trials where there are no kernels."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import assay as ay
from assay.engine.native import library
from assay.engine.native.engine import Native
from assay.engine.native.spec import refusal
from assay.engine.xla.engine import Xla
from assay.errors import UnknownName
from assay.losses import CrossEntropy, Logistic, Square
from assay.nets import DisjointPolyNet, Sparse
from assay.optim import Cosine, Rate
from assay.sweep.engines import choose_engine, find_engine
from tests.engine.native.conftest import engine_of
from tests.engine.trials import WAYS, results, trial

MLP = ay.MLP(width=8)
REFUSED: dict[str, tuple[ay.Trial, str]] = {
    "momentum": (trial(MLP, optimiser=ay.SGD(learning_rate=0.1, momentum=0.9)), "plain SGD"),
    "adam": (trial(MLP, optimiser=ay.Adam(learning_rate=0.1)), "plain SGD"),
    "schedule": (trial(MLP, optimiser=ay.SGD(learning_rate=0.1, schedule=Cosine(steps=9))), "constant rates"),
    "rate of an array": (
        trial(MLP, optimiser=ay.SGD(learning_rate=0.1, rates=(Rate(layer="output", array="bias"),))),
        "one rate a layer",
    ),
    "rate for a while": (
        trial(MLP, optimiser=ay.SGD(learning_rate=0.1, rates=(Rate(layer="output", stop=5),))), "one rate a layer",
    ),
    "depth": (trial(ay.MLP(width=8, depth=2)), "one hidden layer"),
    "outputs": (trial(ay.MLP(width=8, outputs=2), loss=CrossEntropy()), "one output"),
    "measure": (trial(MLP, record=ay.Record(measures=("gradient/population",), every=5)), "gradient/population"),
    "factors": (trial(ay.PolyNet(degree=65)), "64 factors"),
    "degree": (trial(ay.Neuron(activation="polynomial", degree=16)), "degree"),
    "sparse blocks": (
        trial(DisjointPolyNet(), task=ay.DisjointParity(n=12, k=2), init=Sparse(nonzeros=2)), "sparse weights",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_it_cannot_train_is_refused_with_the_reason_and_goes_to_xla(name: str):
    way, reason = REFUSED[name]
    assert reason in (refusal(way) or "")
    assert choose_engine("auto", way) == "xla"
    with pytest.raises(ay.AssayError, match=reason):
        choose_engine("native", way)


@pytest.fixture
def no_kernels(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """As where the install found no compiler: there are no libraries beside the module."""
    monkeypatch.setattr(library, "__file__", str(tmp_path / "library.py"))
    for cached in (library._best, library._load, find_engine):
        cached.cache_clear()
    yield
    for cached in (library._best, library._load, find_engine):
        cached.cache_clear()


@pytest.mark.usefixtures("no_kernels")
def test_without_kernels_auto_trains_with_xla_and_says_what_is_missing():
    assert "C++17 compiler" in (Native().refusal(WAYS["relu, wide"]) or "")
    assert choose_engine("auto", WAYS["relu, wide"]) == "xla"
    with pytest.raises(ay.AssayError, match="compiler"):
        choose_engine("native", WAYS["relu, wide"])


@pytest.mark.usefixtures("no_kernels")
def test_the_doctor_says_why_there_are_no_kernels_and_is_content():
    from assay.cli import doctor

    check = doctor._kernels()
    assert (check.works, check.needed) == (False, False)
    assert "compiler" in check.what


def test_a_library_built_from_other_sources_is_not_used(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(library, "ABI", library.ABI + 1)
    library._load.cache_clear()
    with pytest.raises(OSError, match="install Assay again"):
        library._load("portable")
    library._load.cache_clear()


def test_an_unknown_instruction_set_is_named():
    with pytest.raises(UnknownName, match="avx512"):
        library.library("avx511")


def test_a_trial_without_room_fails_alone(isa: str):
    """10^9 neurons want more memory than there is; the others train."""
    huge = trial(ay.MLP(width=2 * 10**9), record=ay.Record())
    found = results(engine_of(isa), [huge, WAYS["neuron"]], may_fail=True)
    assert found[huge.identity].outcome is ay.Outcome.FAILED
    assert "no room" in (found[huge.identity].message or "")
    assert found[WAYS["neuron"].identity].outcome is not ay.Outcome.FAILED


MEASURES = (
    "train/loss", "train/error", "eval/loss", "eval/error", "weights/movement_linf", "weights/movement_l2",
    "weights/norm_l2", "weights/first_layer", "weights/snapshot",
)  # fmt: skip
MEASURED: dict[str, ay.Trial] = {
    "online, relu": trial(ay.MLP(width=20)),
    "offline, noisy, square": trial(
        ay.MLP(width=8, activation="power"), rate=0.01, loss=Square(), data=ay.Offline(samples=333),
        task=ay.Parity(n=12, k=2, noise=0.2),
    ),
    "population, logistic": trial(
        ay.Neuron(second_layer=True), loss=Logistic(), data=ay.Population(), task=ay.Parity(n=8, k=2),
    ),
    "polynet, batch 4, without a test": trial(ay.PolyNet(), batch=4, solve=None, rate=0.01),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", MEASURED)
def test_what_is_recorded_is_what_xla_records(native: Native, name: str):
    way = MEASURED[name].replace(record=ay.Record(measures=MEASURES, points=5, steps=(0, 1, 13)), budget=40)
    mine, theirs = (results(engine, [way])[way.identity] for engine in (native, Xla(threads=1)))
    assert (mine.outcome, mine.step) == (theirs.outcome, theirs.step)
    assert mine.curves.keys() == theirs.curves.keys()
    assert mine.arrays.keys() == theirs.arrays.keys()
    for own, other in ((mine.curves, theirs.curves), (mine.arrays, theirs.arrays)):
        for measure, array in own.items():
            assert array.dtype == other[measure].dtype, measure
            np.testing.assert_allclose(array, other[measure], rtol=2e-4, atol=2e-5, err_msg=measure)


def test_solved_is_the_first_check_without_a_wrong_answer(native: Native):
    """The screen, the suspect and the early exit change no decision: the held-out error of every check is 0
    at the step at which the trial is solved, and nowhere before."""
    record = ay.Record(measures=("eval/error",), every=10)
    packs: dict[str, Any] = {"sample 2000": ay.Solve(sample=2000), "sample 7": ay.Solve(sample=7)}
    for solve in packs.values():
        base = trial(ay.MLP(width=30), rate=0.5, budget=3000, solve=solve, record=record)
        for result in results(native, [base.reseeded(seed) for seed in range(6)]).values():
            error = result.curves["eval/error"]
            assert result.outcome is ay.Outcome.SOLVED
            assert error[-1] == 0
            assert (error[:-1] > 0).all()


@pytest.mark.slow
def test_accuracy_fresh_samples_and_streaks_end_where_xla_ends(native: Native):
    solve = ay.Solve(accuracy=0.9, sample=200, every=5, fresh=True, streak=2)
    base = trial(ay.MLP(width=30), rate=0.5, budget=3000, solve=solve, record=ay.Record())
    pack = [base.reseeded(seed) for seed in range(5)]
    mine, theirs = results(native, pack), results(Xla(threads=1), pack)
    for identity, result in mine.items():
        assert (result.outcome, result.step) == (theirs[identity].outcome, theirs[identity].step)


def test_a_diverging_trial_says_at_which_step(native: Native):
    bad = trial(ay.PolyNet(), rate=50.0, task=ay.Parity(n=12, k=3), record=ay.Record(measures=("train/loss",), every=1))
    result = results(native, [bad])[bad.identity]
    assert result.outcome is ay.Outcome.DIVERGED
    assert result.quantity == "loss"
    losses = results(native, [bad.replace(solve=None)])[bad.replace(solve=None).identity].curves
    assert losses["step"][~np.isfinite(losses["train/loss"])][0] == result.step
