"""Settings become the same sweep that Python code would make."""

from __future__ import annotations

from typing import Any

import pytest

import assay as ay
from assay.cli.grammar import SettingError
from assay.cli.settings import Question, ask
from assay.errors import ConfigError, PlanError, UnknownName


def asked(text: str) -> Question:
    return ask(text.split())


def tasks(sweep: ay.Sweep) -> list[dict[str, Any]]:
    return [trial.task.to_json() | {"seed": trial.seed} for trial in sweep.trials()]


def identities(sweep: ay.Sweep) -> list[str]:
    return [trial.identity for trial in sweep.trials()]


def test_the_example_of_the_documentation_is_the_sweep_of_the_notebook() -> None:
    question = asked("parity n=50 k=3 net=mlp width=10,100,1000 lr=0.1 batch=32 seeds=100")
    trial = ay.Trial(
        task=ay.Parity(n=50, k=3), net=ay.MLP(width=10), optimiser=ay.SGD(learning_rate=0.1), batch=32
    )  # fmt: skip
    assert identities(question.sweep) == identities(ay.Sweep(trial, ay.axis("net.width", 10, 100, 1000), ay.seeds(100)))
    assert question.varied == ("net.width",)


def test_every_part_of_a_trial_can_be_set() -> None:
    question = asked(
        "disjoint-parity n=12 k=3 subset=random noise=0.1 net=mlp width=8 depth=2 activation=power init=sparse "
        "nonzeros=3 loss=square optimiser=adam lr=0.01 wd=1e-4 beta1=0.8 schedule=cosine schedule.steps=50 "
        "data=offline samples=64 batch=all budget=100 solve.accuracy=0.9 solve.every=5 measures=eval/loss,eval/error "
        "record.every=10 seed=7"
    )
    (trial,) = question.sweep.trials()
    assert trial == ay.Trial(
        task=ay.DisjointParity(n=12, k=3, subset="random", noise=0.1),
        net=ay.MLP(width=8, depth=2, activation="power"),
        init=ay.Sparse(nonzeros=3),
        loss=ay.Square(),
        optimiser=ay.Adam(learning_rate=0.01, weight_decay=1e-4, beta1=0.8, schedule=ay.Cosine(steps=50)),
        data=ay.Offline(samples=64),
        batch="all",
        budget=100,
        solve=ay.Solve(accuracy=0.9, every=5),
        record=ay.Record(measures=("eval/loss", "eval/error"), every=10),
        seed=7,
    )
    assert question.varied == ()


@pytest.mark.parametrize(
    "words",
    [
        "task=parity task.n=9 task.k=2 net=mlp net.width=4",
        "task.kind=parity n=9 k=2 net.kind=mlp width=4",
        "width=4 k=2 net=mlp n=9 parity",
        "parity n=9 k=2 net=mlp width=4 learning_rate=0.1",
        "parity n=9 k=2 net=mlp width=4 optimiser.learning_rate=0.1 batch=32",
    ],
)
def test_a_question_can_be_written_in_several_ways(words: str) -> None:
    assert identities(asked(words).sweep) == [ay.Trial(task=ay.Parity(n=9, k=2), net=ay.MLP(width=4)).identity]


def test_axes_vary_in_the_order_in_which_they_are_written_and_seeds_last() -> None:
    question = asked("parity seeds=2 k=1,2 n=6,8 net=polynet")
    seen = [(task["k"], task["n"], task["seed"]) for task in tasks(question.sweep)]
    assert seen == [(k, n, seed) for k in (1, 2) for n in (6, 8) for seed in (0, 1)]
    assert question.varied == ("task.k", "task.n")


def test_a_list_is_one_value_and_a_subset_too() -> None:
    (task,) = tasks(asked("parity n=9 k=3 subset=[0,3,5] net=polynet").sweep)
    assert task["subset"] == [0, 3, 5]
    several = asked("parity n=9 k=1 subset=[0],[8],random net=polynet").sweep
    assert [task["subset"] for task in tasks(several)] == [[0], [8], "random"]


def test_several_components_are_an_axis_and_a_setting_holds_for_those_that_have_it() -> None:
    question = asked("parity n=9 k=2 net=mlp,polynet width=4,8 loss=hinge,square seeds=2")
    trials = question.sweep.trials()
    seen = {(t.net.kind, getattr(t.net, "width", None), t.loss.kind) for t in trials}
    nets = [("mlp", 4), ("mlp", 8), ("polynet", None)]
    assert seen == {(*net, loss) for net in nets for loss in ("hinge", "square")}
    assert len(trials) == len(seen) * 2
    assert set(question.varied) == {"net.kind", "net.width", "loss.kind"}


def test_a_component_can_be_left_out_or_given_as_json() -> None:
    words = ["parity", "n=9", "k=2", "net=polynet", "solve=none", 'init={"kind": "sign", "scale": 2}']
    (trial,) = ask(words).sweep.trials()
    assert trial.solve is None
    assert trial.init == ay.Sign(scale=2)
    (trial,) = ask([*words[:4], 'rates=[{"layer":"factors","learning_rate":0.5}]']).sweep.trials()
    assert trial.optimiser.rates[0].learning_rate == 0.5


def test_seeds_are_counted_or_listed() -> None:
    start = "parity n=9 k=2 net=polynet "
    assert [t.seed for t in asked(start + "seeds=3").sweep.trials()] == [0, 1, 2]
    assert [t.seed for t in asked(start + "seeds=5..7").sweep.trials()] == [5, 6, 7]
    assert [t.seed for t in asked(start + "seed=4,2").sweep.trials()] == [4, 2]
    assert asked(start + "seed=4,2").varied == ()


def test_more_seeds_are_the_same_question_and_another_value_is_another() -> None:
    start = "parity n=9 k=2 net=mlp width=4,8 "
    assert asked(start + "seeds=3").name == asked(start + "seeds=30").name
    assert asked(start + "seeds=3").name != asked(start + "seeds=3 lr=0.2").name
    assert asked(start + "seeds=3").name != asked("parity n=9 k=2 net=mlp width=4,9 seeds=3").name
    assert asked(start).name.startswith("parity-")


@pytest.mark.parametrize(
    ("words", "error", "said"),
    [
        ("parity n=9 k=2 net=mlp widht=4", UnknownName, "unknown setting 'widht': did you mean 'width'"),
        ("parity n=9 k=2 net=mlp net.widht=4", UnknownName, "did you mean 'net.width'"),
        ("parity n=9 k=2 net=mlp width=4 optimizer=adam", UnknownName, "did you mean 'optimiser'"),
        ("parity n=9 k=2 net=mpl", UnknownName, "unknown net 'mpl': did you mean 'mlp'?"),
        ("partiy n=9 k=2 net=mlp", UnknownName, "unknown task 'partiy': did you mean 'parity'"),
        ("parity n=9 k=2 net=neuron width=4", SettingError, "width is a setting of net=gated-mlp or mlp or"),
        ("parity n=9 k=2 net=mlp width=4 scale=2", SettingError, "scale could be init.scale or net.scale"),
        ("parity n=9 k=2 net=mlp width=4 every=2", SettingError, "record.every or solve.every"),
        ("parity n=9 k=2", SettingError, "net must be given: one of bare-transformer, cls-transformer, deep-mlp"),
        ("n=9 k=2 net=mlp", SettingError, "task must be given"),
        ("parity k=2 net=mlp width=4", ConfigError, "parity.n must be given"),
        ("parity n=nine k=2 net=mlp width=4", ConfigError, "parity.n must be a whole number, got 'nine'"),
        ("parity n=9 k=2 net=mlp width=4 width=8", SettingError, "width is given twice: '4' and '8'"),
        ("parity n=9 k=2 net=mlp lr=1 width=4 optimiser.learning_rate=2", SettingError, "given twice"),
        ("parity n=9 k=2 net=mlp width=4 fast", SettingError, "settings are key=value"),
        ("parity n=9 k=2 net=mlp width=4 solve=5", SettingError, "solve has fields of its own: set solve.accuracy"),
        ("parity n=9 k=2 net=mlp width=4 seed=1 seeds=2", SettingError, "seed and seeds cannot both be given"),
        ("parity n=9 k=2 net=mlp width=4 seeds=2.5", SettingError, "seeds must be a whole number"),
        ("parity n=9 k=2 net=mlp width=4 seeds=0", PlanError, "at least one value"),
        ("parity n=9 k=2 net=mlp width=", PlanError, "axis 'net.width' must have at least one value"),
    ],
)
def test_a_mistake_is_named_with_what_is_allowed(words: str, error: type[Exception], said: str) -> None:
    with pytest.raises(error) as caught:
        asked(words)
    assert said in str(caught.value)
