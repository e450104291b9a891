"""Configs: what is refused and in which words, JSON and identities, and the split into shape, value and host."""

from __future__ import annotations

import copy
import dataclasses
import hashlib
import json
import math
import pickle
import random
import typing
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st

import assay as ay
from assay.config import (
    Config,
    above,
    at_least,
    between,
    bind,
    host,
    is_zero,
    leaves,
    one_of,
    shape,
    shape_key,
    value,
    values,
)
from assay.errors import ConfigError, UnknownName
from assay.maths.groups import named
from assay.measures import MEASURES
from assay.optim import Schedule
from assay.tasks import Data
from assay.tasks.table import TableTask
from assay.tasks.tables import TABLES


class Shade(Config):
    """Without a family: a part that has no kinds."""

    depth: int = shape(check=at_least(1))
    colour: str = shape(default="blue", check=one_of("blue", "red"))


class Lamp(Config, family="lamp"):
    """A family of toys with a field of every type."""


class Desk(Lamp, kind="desk"):
    """Every type of field."""

    watts: int = shape(check=between(1, 100))
    height: float = value(default=1.0, check=above(0))
    dim: float = value(default=0.0, check=between(0, 1), gate=True)
    lit: bool = shape(default=True)
    warm: int | Literal["auto"] = shape(default="auto")
    shade: Shade | None = shape(default=None)
    notes: tuple[str, ...] = host(default=())
    hours: tuple[int, ...] = host(default=())
    spare: tuple[Shade, ...] = shape(default=())
    turns: int = value(default=0, check=at_least(0))


class Floor(Lamp, kind="floor"):
    """Another member, with a condition between fields."""

    low: int = shape(check=at_least(0))
    high: int = shape(check=at_least(0))

    def validate(self) -> None:
        if self.low > self.high:
            raise ConfigError("floor.low", self.low, f"at most high = {self.high}")


class Pair(Config):
    """A config of configs."""

    first: Lamp = shape()
    second: Lamp = shape(default=Desk(watts=5))
    seed: int = value(default=0, check=at_least(0))


def made(cls: type[Config], **fields: Any) -> Any:
    """A config of fields that the type checker would refuse, or that it cannot know."""
    return cls(**fields)


# -- what is refused -------------------------------------------------------------------------------------------------


def test_a_misspelt_field_is_refused_with_what_was_probably_meant():
    with pytest.raises(UnknownName, match="unknown field of desk 'wats': did you mean 'watts'") as error:
        made(Desk, wats=3)
    assert "known: dim, height, hours, lit, notes, shade, spare, turns, warm, watts" in str(error.value)
    with pytest.raises(UnknownName, match="did you mean 'learning_rate'"):
        made(ay.SGD, learningrate=0.1)


def test_a_field_that_is_like_no_other_is_refused_without_a_guess():
    with pytest.raises(UnknownName, match=r"unknown field of desk 'xyz': known"):
        made(Desk, watts=1, xyz=2)


def test_a_missing_field_is_refused_with_what_it_should_be():
    with pytest.raises(ConfigError, match=r"desk\.watts must be given \(between 1 and 100\), got None"):
        made(Desk)
    with pytest.raises(ConfigError, match=r"parity\.k must be given \(>= 1\)"):
        made(ay.Parity, n=5)


@pytest.mark.parametrize("watts", [0, 101, -1])
def test_a_number_out_of_range_is_refused_with_its_range(watts: int):
    with pytest.raises(ConfigError, match=rf"desk\.watts must be between 1 and 100, got {watts}"):
        Desk(watts=watts)


@pytest.mark.parametrize("watts", [1, 100])
def test_the_ends_of_a_range_belong_to_it(watts: int):
    assert Desk(watts=watts).watts == watts


@pytest.mark.parametrize(
    "wrong", [True, False, 1.5, "3", None, math.inf, -math.inf, math.nan, np.bool_(True), [1], 1j, np.array(3)]
)
def test_what_is_no_whole_number_is_refused_as_one(wrong: Any):
    with pytest.raises(ConfigError, match=r"desk\.watts must be a whole number"):
        Desk(watts=wrong)


@pytest.mark.parametrize(
    "wrong", [True, "1.0", None, math.inf, math.nan, np.float32("nan"), np.bool_(False), (1.0,), 10**400]
)
def test_what_is_no_finite_number_is_refused_as_one(wrong: Any):
    with pytest.raises(ConfigError, match=r"desk\.height must be a finite number"):
        Desk(watts=1, height=wrong)


def test_a_whole_number_too_large_for_a_float_is_out_of_range_like_any_other():
    with pytest.raises(ConfigError, match=r"desk\.watts must be between 1 and 100"):
        Desk(watts=10**400)
    assert Desk(watts=1, turns=10**400).turns == 10**400


@pytest.mark.parametrize("wrong", [1, 0, "yes", None, 1.0])
def test_what_is_no_truth_value_is_refused_as_one(wrong: Any):
    with pytest.raises(ConfigError, match=r"desk\.lit must be true or false"):
        Desk(watts=1, lit=wrong)


@pytest.mark.parametrize("wrong", ["always", True, None, 2.5])
def test_a_field_of_two_types_names_both(wrong: Any):
    with pytest.raises(ConfigError, match=r"desk\.warm must be a whole number or 'auto'"):
        Desk(watts=1, warm=wrong)


@pytest.mark.parametrize("wrong", ["ab", 3, (1,), ("a", None)])
def test_a_list_of_texts_is_neither_a_text_nor_a_list_of_others(wrong: Any):
    with pytest.raises(ConfigError, match=r"desk\.notes must be a list"):
        Desk(watts=1, notes=wrong)


@pytest.mark.parametrize("wrong", ["mlp", 3, ay.MLP(width=3), None])
def test_a_config_of_another_family_is_refused(wrong: Any):
    with pytest.raises(ConfigError, match=r"pair\.first must be a lamp"):
        Pair(first=wrong)


def test_an_option_that_is_none_of_those_is_refused_with_all_of_them():
    with pytest.raises(ConfigError, match=r"shade\.colour must be one of blue, red, got 'green'"):
        Shade(depth=1, colour="green")


def test_conditions_between_fields_are_checked_also_after_a_change():
    with pytest.raises(ConfigError, match=r"floor\.low must be at most high = 1, got 2"):
        Floor(low=2, high=1)
    with pytest.raises(ConfigError, match="at most high = 1"):
        Floor(low=0, high=5).replace(low=2, high=1)


def test_a_change_is_checked_like_a_new_config():
    desk = Desk(watts=5)
    assert desk.replace(watts=7) == Desk(watts=7)
    assert desk.watts == 5
    with pytest.raises(ConfigError, match="between 1 and 100"):
        desk.replace(watts=0)
    with pytest.raises(UnknownName, match="did you mean 'watts'"):
        desk.replace(watt=1)


def test_a_config_cannot_be_changed_in_place():
    with pytest.raises(AttributeError):
        Desk(watts=5).watts = 6  # type: ignore[misc]


def test_errors_survive_a_pickle_with_their_words():
    for error in (ConfigError("a.b", 3, "less", "try 2"), UnknownName("net", "mpl", ["mlp", "neuron"])):
        assert str(pickle.loads(pickle.dumps(error))) == str(error)


# -- what is taken ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("whole", [1e2, np.int64(100), np.float32(100.0), np.uint8(100), 100])
def test_a_number_without_fraction_is_whole_however_it_is_written(whole: Any):
    desk = Desk(watts=whole)
    assert type(desk.watts) is int
    assert desk == Desk(watts=100)
    assert desk.identity == Desk(watts=100).identity


@pytest.mark.parametrize("number", [2, 2.0, np.float64(2), np.int32(2), np.float32(2)])
def test_a_whole_number_will_do_for_a_float(number: Any):
    desk = Desk(watts=1, height=number)
    assert type(desk.height) is float
    assert desk.identity == Desk(watts=1, height=2.0).identity


def test_a_numpy_truth_value_is_one():
    assert made(Desk, watts=1, lit=np.bool_(False)).lit is False


def test_lists_become_tuples_and_mappings_configs():
    parts = {"shade": {"depth": 2}, "spare": [{"depth": 1}, Shade(depth=3)]}
    desk = made(Desk, watts=1, hours=[1, 2.0, np.int64(3)], **parts)
    assert desk.hours == (1, 2, 3)
    assert desk.shade == Shade(depth=2)
    assert desk.spare == (Shade(depth=1), Shade(depth=3))
    assert hash(desk) == hash(copy.deepcopy(desk))


def test_minus_zero_is_zero():
    assert Desk(watts=1, dim=-0.0).identity == Desk(watts=1, dim=0.0).identity
    assert math.copysign(1.0, Desk(watts=1, dim=-0.0).dim) == 1.0


# -- JSON ------------------------------------------------------------------------------------------------------------


def test_json_spells_out_defaults_and_kinds():
    assert Pair(first=Floor(low=0, high=2)).to_json() == {
        "first": {"kind": "floor", "low": 0, "high": 2},
        "second": {
            "kind": "desk", "watts": 5, "height": 1.0, "dim": 0.0, "lit": True, "warm": "auto", "shade": None,
            "notes": [], "hours": [], "spare": [], "turns": 0,
        },
        "seed": 0,
    }  # fmt: skip


def test_json_of_an_unknown_kind_or_field_is_refused():
    with pytest.raises(UnknownName, match="unknown lamp 'flor': did you mean 'floor'"):
        Lamp.from_json({"kind": "flor", "low": 0, "high": 1})
    with pytest.raises(UnknownName, match="unknown field of floor 'hgh': did you mean 'high'"):
        Pair.from_json({"first": {"kind": "floor", "low": 0, "hgh": 1}})


@pytest.mark.parametrize("kind", [3, None, ["desk"]])
def test_a_kind_that_is_no_name_is_refused(kind: Any):
    with pytest.raises(ConfigError, match=r"lamp\.kind must be one of desk, floor"):
        Lamp.from_json({"kind": kind})


def test_json_without_a_kind_is_refused_where_there_are_several():
    with pytest.raises(ConfigError, match=r"lamp\.kind must be one of desk, floor, got None"):
        Lamp.from_json({"watts": 1})


def test_json_of_another_kind_is_not_taken_for_this_one():
    with pytest.raises(ConfigError, match=r"desk\.kind must be desk, got 'floor'"):
        Desk.from_json({"kind": "floor", "watts": 1})
    assert Desk.from_json({"watts": 1}) == Desk.from_json({"kind": "desk", "watts": 1}) == Desk(watts=1)


# -- every registered config, whatever its fields ---------------------------------------------------------------------

NAMES = ("first", "random", "output", "hidden_1")
GROUPS = [
    each.name for each in map(named, ("Z7", "S4", "Z2xS3", "G16.3"))
]  # made here: their types are checked at random
SPECIAL: dict[tuple[type[Config], str], st.SearchStrategy[Any]] = {
    (ay.Record, "measures"): st.lists(st.sampled_from(sorted(MEASURES)), max_size=3).map(tuple),
    (ay.Composition, "group"): st.sampled_from(GROUPS),
    (TableTask, "table"): st.sampled_from(sorted(TABLES)),
}
FAMILIES = (ay.Task, ay.Net, ay.Loss, ay.Optimiser, Schedule, Data, Lamp)


def of_type(hint: Any, allowed: str) -> st.SearchStrategy[Any]:
    """Values of an annotation, some of them out of range."""
    if typing.get_args(hint) and typing.get_origin(hint) not in (tuple, Literal):
        return st.one_of([of_type(option, allowed) for option in typing.get_args(hint)])
    if typing.get_origin(hint) is Literal:
        return st.sampled_from(typing.get_args(hint))
    if typing.get_origin(hint) is tuple:
        return st.lists(of_type(typing.get_args(hint)[0], ""), max_size=2, unique_by=repr).map(tuple)
    if hint is str:
        return st.sampled_from(allowed.removeprefix("one of ").split(", ") if "one of" in allowed else NAMES)
    if isinstance(hint, type) and issubclass(hint, Config):
        classes = [found for found in hint.members.values() if issubclass(found, hint)] if hint.family else [hint]
        return st.one_of([configs(found) for found in classes])
    simple = {
        type(None): st.none(), bool: st.booleans(), int: st.integers(0, 12) | st.integers(1, 2**20),
        float: st.floats(0, 1) | st.floats(0, 1e6),
    }  # fmt: skip
    return simple[hint]


@st.composite
def configs(draw: st.DrawFn, cls: type[Config]) -> Config:
    """Any config of a class: each field its default or drawn by its annotation."""
    hints, given_fields = typing.get_type_hints(cls), {}
    for field in dataclasses.fields(cls):  # type: ignore[arg-type]
        if field.default is not dataclasses.MISSING and draw(st.booleans()):
            continue
        usual = of_type(hints[field.name], field.metadata["check"].allowed)
        given_fields[field.name] = draw(SPECIAL.get((cls, field.name), usual))
    state = random.getstate()  # annotations are checked at random places of large arrays, which hypothesis must not see
    try:
        return cls(**given_fields)
    except ConfigError:
        reject()
    finally:
        random.setstate(state)


CLASSES = [found for family in FAMILIES for found in family.members.values()] + [
    *(found for found in ay.Uniform.members.values()),
    ay.Rate,
    ay.Solve,
    ay.Record,
    ay.Penalty,
    Pair,
]
many = settings(max_examples=15, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.kind or cls.__name__)
@many
@given(data=st.data())
def test_json_and_back_is_the_same_config_with_the_same_identity(cls: type[Config], data: st.DataObject):
    config = data.draw(configs(cls))
    text = json.dumps(config.to_json())
    origin = next((family for family in FAMILIES if issubclass(cls, family)), cls)
    back = origin.from_json(json.loads(text))
    assert back == config
    assert type(back) is cls
    assert back.identity == config.identity
    assert shape_key(back) == shape_key(config)
    assert json.dumps(back.to_json()) == text
    assert bind(config, values(config)) == config


@many
@given(one=configs(Shade), other=configs(Shade))
def test_identities_are_equal_exactly_where_configs_are(one: Shade, other: Shade):
    assert (one.identity == other.identity) == (one == other)
    assert (Desk(watts=1, shade=one).identity == Desk(watts=1, shade=other).identity) == (one == other)


# -- identities ------------------------------------------------------------------------------------------------------

TRIAL = ay.Trial(task=ay.Parity(n=50, k=3), net=ay.MLP(width=100), seed=7)


def test_an_identity_is_the_hash_of_the_canonical_json():
    text = '{"config":{"k":3,"kind":"parity","n":50,"noise":0.0,"subset":"first"},"schema":1}'
    assert ay.Parity(n=50, k=3).identity == hashlib.blake2b(text.encode(), digest_size=10).hexdigest()


@pytest.mark.parametrize(
    ("config", "identity"),
    [
        (ay.Parity(n=50, k=3), "daa37f9163d99bce6d1c"),
        (ay.MLP(width=100), "c97c9386c8b9096ebc93"),
        (TRIAL, "b6c29dfb29f722f6400f"),
    ],
    ids=["parity", "mlp", "trial"],
)
def test_identities_never_change(config: Config, identity: str):
    assert config.identity == identity, "what was stored is found by its identity: a change belongs in CHANGELOG.md"


def test_every_field_counts_for_the_identity():
    changes = {
        "task": ay.Parity(n=50, k=4), "net": ay.MLP(width=99), "init": ay.Gaussian(), "loss": ay.Square(),
        "optimiser": ay.SGD(learning_rate=0.2), "data": ay.Offline(samples=100), "batch": 33, "budget": 99,
        "solve": None, "record": ay.Record(every=3), "seed": 8,
        "penalty": ay.Penalty(weight=0.1), "precision": "float64",
    }  # fmt: skip
    assert set(changes) == set(TRIAL.__dataclass_fields__)
    identities = {TRIAL.replace(**{name: change}).identity for name, change in changes.items()}
    assert len(identities | {TRIAL.identity}) == len(changes) + 1


# -- shape, value, host ----------------------------------------------------------------------------------------------


def test_values_are_the_value_fields_by_dotted_path():
    assert values(TRIAL) == {"net.scale": 1.0, "init.scale": 1.0, "optimiser.learning_rate": 0.1, "seed": 7}
    noisy = TRIAL.replace(task=ay.Parity(n=50, k=3, noise=0.1), optimiser=ay.SGD(learning_rate=0.1, weight_decay=1e-3))
    assert values(noisy).items() >= {"task.noise": 0.1, "optimiser.weight_decay": 1e-3}.items()


def test_leaves_are_every_field_by_dotted_path_with_lists_as_text():
    found = leaves(Pair(first=Desk(watts=1, hours=(1, 2), shade=Shade(depth=4)), second=Floor(low=0, high=1)))
    assert found["first.kind"] == "desk"
    assert found["first.shade.depth"] == 4
    assert found["first.hours"] == "[1, 2]"
    assert found["second.high"] == 1
    assert found["seed"] == 0


@pytest.mark.parametrize(
    "same",
    [
        {"seed": 123},
        {"optimiser": ay.SGD(learning_rate=3.0)},
        {"optimiser": ay.SGD(learning_rate=0.0)},
        {"task": ay.Parity(n=50, k=3, subset="random")},
        {"task": ay.Parity(n=50, k=3, subset=(4, 5, 6))},
        {"task": ay.Parity(n=50, k=6)},
        {"budget": 17},
        {"init": ay.Uniform(scale=2.0)},
        {"net": ay.MLP(width=100, scale=0.5)},
        {"net": ay.MLP(width=100, inputs=50, outputs=1, degree=3)},
    ],
    ids=str,
)
def test_what_a_program_takes_as_an_argument_shares_it(same: dict[str, Any]):
    assert shape_key(TRIAL.replace(**same)) == shape_key(TRIAL)
    assert TRIAL.replace(**same).identity != TRIAL.identity


@pytest.mark.parametrize(
    "other",
    [
        {"task": ay.Parity(n=51, k=3)},
        {"task": ay.Parity(n=50, k=3, noise=0.1)},
        {"task": ay.DisjointParity(n=50, k=5)},
        {"net": ay.MLP(width=101)},
        {"net": ay.MLP(width=100, activation="power")},
        {"net": ay.MLP(width=100, output_bias=False)},
        {"init": ay.Sign()},
        {"loss": ay.Square()},
        {"optimiser": ay.SGD(learning_rate=0.1, weight_decay=0.1)},
        {"optimiser": ay.SGD(learning_rate=0.1, momentum=0.9)},
        {"optimiser": ay.Adam(learning_rate=0.1)},
        {"data": ay.Offline(samples=100)},
        {"batch": 31},
        {"solve": None},
        {"solve": ay.Solve(sample=128)},
        {"record": ay.Record(measures=("eval/loss",))},
    ],
    ids=str,
)
def test_what_a_program_is_made_for_does_not_share_it(other: dict[str, Any]):
    assert shape_key(TRIAL.replace(**other)) != shape_key(TRIAL)


def test_a_gate_that_is_open_is_an_argument():
    noisy = [TRIAL.replace(task=ay.Parity(n=50, k=3, noise=p)) for p in (0.1, 0.2, 0.5)]
    assert len({shape_key(trial) for trial in noisy}) == 1


def test_the_order_of_a_parity_is_a_shape_where_the_net_depends_on_it():
    for net in (ay.PolyNet(), ay.Neuron(), ay.MLP(width=100, activation="power")):
        two, three = (TRIAL.replace(task=ay.Parity(n=50, k=k), net=net) for k in (2, 3))
        assert shape_key(two) != shape_key(three)
        fixed = [trial.replace(net=net.replace(degree=4)) for trial in (two, three)]
        assert shape_key(fixed[0]) == shape_key(fixed[1])


def test_host_fields_are_no_arguments_and_no_shape():
    desk = Desk(watts=1, notes=("a",), hours=(3,))
    assert shape_key(desk) == shape_key(Desk(watts=1))
    assert set(values(desk)) == {"height", "turns"}
    assert "notes" in leaves(desk)


def test_binding_puts_arguments_in_place_and_checks_nothing():
    marks = {path: object() for path in values(TRIAL)}
    bound: Any = bind(TRIAL, marks)
    assert bound.net.scale is marks["net.scale"]
    assert bound.init.scale is marks["init.scale"]
    assert bound.optimiser.learning_rate is marks["optimiser.learning_rate"]
    assert bound.seed is marks["seed"]
    assert bound.net.width == 100
    assert bound.task == TRIAL.task
    assert TRIAL.seed == 7


def test_a_gate_is_shut_only_by_a_number_that_is_zero():
    assert is_zero(0)
    assert is_zero(0.0)
    assert not is_zero(0.1)
    assert not is_zero(np.zeros(()))  # an argument of a program, whatever its value
