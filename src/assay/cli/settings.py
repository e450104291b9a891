"""Settings on the command line: `parity n=50 k=3 net=mlp width=10,100 lr=0.1 seeds=20` as a sweep.

A key is the name of a field of the chosen components (`n`, `width`, `batch`), or its dotted path where that is clearer
or the name is not unique (`net.activation`, `solve.every`). `net=`, `optimiser=`, `init=`, `loss=`, `data=`,
`schedule=` choose components by name. `lr` and `wd` are short for learning_rate and weight_decay; `seeds=20` stands for
twenty seeds. Values are those of `grammar`. Where several components are chosen (`net=mlp,neuron`) a setting holds for
those that have it.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import itertools
import json
import operator
import types
import typing
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from assay.cli.grammar import SettingError, parse_values
from assay.config import Config, member
from assay.errors import UnknownName
from assay.sweep import Sweep, axis, seeds
from assay.tasks import Task
from assay.trial import Trial

SHORT = {"lr": "learning_rate", "wd": "weight_decay"}
SEEDS = "seeds"


@dataclasses.dataclass(frozen=True)
class Question:
    """A sweep and what varies in it besides the seed, in the order in which it was asked."""

    sweep: Sweep
    varied: tuple[str, ...]

    @property
    def name(self) -> str:
        """Task and a hash of everything but the seeds: the same question with more seeds has the same name."""
        parts = [(base.to_json(), _axes_but_seeds(axes)) for base, axes in self.sweep.parts]
        digest = hashlib.blake2b(json.dumps(parts, sort_keys=True).encode(), digest_size=4).hexdigest()
        return f"{self.sweep.parts[0][0].task.kind}-{digest}"


@dataclasses.dataclass(frozen=True)
class Leaf:
    """What the text of a setting is read for."""

    whole: bool  # whole numbers
    listed: bool  # one list, not an axis: measures=a,b

    def values(self, key: str, text: str) -> list[Any]:
        found = parse_values(key, text, self.whole)
        return [found] if self.listed and not text.startswith("[") else found


@dataclasses.dataclass(frozen=True)
class Design:
    """One choice of components: the config in JSON as far as it is fixed, and what can be set, by path."""

    plain: dict[str, Any]
    leaves: dict[str, Leaf]
    parts: dict[str, type[Config]]


def ask(words: Sequence[str]) -> Question:
    """The sweep that the words describe; every mistake in them is an error here, before anything is built."""
    given = read(words)
    seed_text = given.pop(SEEDS, None)
    if seed_text is not None and "seed" in given:
        raise SettingError("seed and seeds cannot both be given; seeds=20 stands for the seeds 0 to 19")
    designs = list(_designs(Trial, "", given))
    paths = {key: _resolve(key, designs) for key in given}
    if len(set(paths.values())) < len(paths):
        twice = next(key for key in paths if list(paths.values()).count(paths[key]) > 1)
        raise SettingError(
            f"{paths[twice]} is given twice: {' and '.join(k for k in paths if paths[k] == paths[twice])}"
        )
    leaves = functools.reduce(operator.or_, (design.leaves for design in designs))
    values = {path: leaves[path].values(key, given[key]) for key, path in paths.items() if path in leaves}
    seed_axes = [] if seed_text is None else [_seed_axis(seed_text)]
    sweep = functools.reduce(operator.add, (_sweep(design, values, seed_axes) for design in designs))
    varied = [
        path if path in leaves else f"{path}.kind"
        for path in paths.values()
        if path != "seed" and (len(values[path]) > 1 if path in leaves else _several(path, designs))
    ]
    return Question(sweep, tuple(varied))


def read(words: Iterable[str]) -> dict[str, str]:
    """Key -> text; a word without `=` is the kind of the task."""
    given: dict[str, str] = {}
    for word in words:
        key, sign, text = word.partition("=")
        key, text = (key.strip(), text) if sign else ("task", word)
        key = SHORT.get(key.removesuffix(".kind"), key.removesuffix(".kind"))
        if key in given:
            advice = "settings are key=value" if not sign else f"several values are written {key}=a,b"
            raise SettingError(f"{key} is given twice: {given[key]!r} and {text!r}; {advice}")
        given[key] = text
    return given


def is_task(word: str) -> bool:
    return word.partition("=")[0] == "task" or word in Task.members


def _designs(owner: type[Config], prefix: str, given: Mapping[str, str]) -> Iterator[Design]:
    """Every combination of the components that were chosen, or are there by default."""
    hints = typing.get_type_hints(owner)
    leaves: dict[str, Leaf] = {}
    families: dict[str, type[Config]] = {}
    options: list[list[tuple[str, Any, Design | None]]] = []
    for field in dataclasses.fields(owner):  # type: ignore[arg-type]
        path = prefix + field.name
        hint = hints[field.name]
        allowed = typing.get_args(hint) if typing.get_origin(hint) in (typing.Union, types.UnionType) else (hint,)
        family = next((each for each in allowed if isinstance(each, type) and issubclass(each, Config)), None)
        if family is None:
            leaves[path] = Leaf(int in allowed, all(typing.get_origin(each) is tuple for each in allowed))
            continue
        families[path] = family
        found: list[tuple[str, Any, Design | None]] = []
        for plain, chosen in _chosen(family, path, field.default, given):
            inner = _designs(chosen, f"{path}.", given) if chosen else [None]
            found += [(field.name, plain, design) for design in inner]
        options.append(found)
    for choice in itertools.product(*options):
        design = Design({}, dict(leaves), dict(families))
        for name, plain, inside in choice:
            design.plain[name] = plain
            if inside is not None:
                design.plain[name] = inside.plain | plain
                design.leaves.update(inside.leaves)
                design.parts.update(inside.parts)
        yield design


def _chosen(
    family: type[Config], path: str, default: Any, given: Mapping[str, str]
) -> Iterator[tuple[Any, type[Config] | None]]:
    """JSON and class of each component that may stand at a path: those that were asked for, or the default."""
    key = next((key for key in (path, path.rpartition(".")[2]) if key in given), None)
    if key is None:
        if default is dataclasses.MISSING:
            kinds = sorted(family.members)
            raise SettingError(f"{path} must be given: one of {', '.join(kinds)}; for example {path}={kinds[0]}")
        yield (None, None) if default is None else (default.to_json(), type(default))
        return
    for value in parse_values(key, given[key]) or [""]:
        if value is None:
            yield None, None
        elif isinstance(value, dict):
            yield value, member(family, value.get("kind", "")) if family.family else family
        elif family.family:
            yield {"kind": str(value)}, member(family, str(value))
        else:
            raise SettingError(f"{key} has fields of its own: set {key}.{_names(family)[0]}, or {key}=none")


def _resolve(key: str, designs: Sequence[Design]) -> str:
    """The path that a key means."""
    known = {path for design in designs for path in (*design.leaves, *design.parts)}
    if key in known:
        return key
    fitting = sorted(path for path in known if path.endswith(f".{key}"))
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        raise SettingError(f"{key} could be {' or '.join(fitting)}; write one of them in full")
    for path, family in {path: family for design in designs for path, family in design.parts.items()}.items():
        homes = [kind for kind, cls in sorted(family.members.items()) if key in _names(cls)] if family.family else []
        if homes:
            here = ", ".join(sorted({str((_at(design.plain, path) or {}).get("kind")) for design in designs}))
            raise SettingError(f"{key} is a setting of {path}={' or '.join(homes)}, not of {here}")
    names = {path.rpartition(".")[2] for path in known} | {*SHORT, SEEDS}
    raise UnknownName("setting", key, names if "." not in key else known)


def _sweep(design: Design, values: Mapping[str, Sequence[Any]], seed_axes: Sequence[Any]) -> Sweep:
    own = {path: found for path, found in values.items() if path in design.leaves}
    axes = [axis(path, *found) for path, found in own.items() if len(found) != 1]
    plain = design.plain
    for path, found in own.items():
        plain = _with(plain, path.split("."), found[0])
    return Sweep(Trial.from_json(plain), *axes, *seed_axes)


def _seed_axis(text: str) -> Any:
    found = parse_values(SEEDS, text)
    if len(found) != 1:
        return axis("seed", *found)
    if isinstance(found[0], bool) or not isinstance(found[0], (int, float)) or found[0] != int(found[0]):
        raise SettingError(f"seeds must be a whole number, or a list such as 0..9, got {text!r}")
    return seeds(int(found[0]))


def _with(plain: Any, names: Sequence[str], value: Any) -> dict[str, Any]:
    """A copy with the value at the end of the names; where a part was left out (solve=none) it is made anew."""
    inside = dict(plain or {})
    inside[names[0]] = _with(inside.get(names[0]), names[1:], value) if len(names) > 1 else value
    return inside


def _at(plain: Any, path: str) -> Any:
    for name in path.split("."):
        plain = (plain or {}).get(name)
    return plain


def _several(path: str, designs: Sequence[Design]) -> bool:
    return len({json.dumps(_at(design.plain, path), sort_keys=True) for design in designs}) > 1


def _names(config: type[Config]) -> list[str]:
    return [field.name for field in dataclasses.fields(config)]  # type: ignore[arg-type]


def _axes_but_seeds(axes: Any) -> list[Any]:
    return [[part.path, list(part.values)] for part in axes.parts if part.path != "seed"]
