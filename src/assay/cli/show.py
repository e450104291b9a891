"""`assay show NAME`: what a name means."""

from __future__ import annotations

import dataclasses
import inspect
import itertools
import sys
import typing
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

from tyro.conf import arg

from assay.cli.options import QUIET_HINT, Json, parse
from assay.cli.output import heading, print_json, print_table

if TYPE_CHECKING:
    from assay.cli.catalogue import Named
    from assay.config import Config
    from assay.tasks import Task

Name = Annotated[str, arg(metavar="NAME", help="as in `assay list`", **QUIET_HINT)]
Fields = Annotated[
    tuple[str, ...],
    arg(metavar="[KEY=VALUE ...]", help="fields of the task that examples are drawn from", **QUIET_HINT),
]

EXAMPLES = 6
MOST = 16
"""Numbers of a row that are shown."""
SMALL = (6, 2, 3, 4, 5, 7, 8)
"""What the required numbers of a task are tried with, for an example that fits on a line."""


def command(name: Name, settings: Fields = (), /, *, json: Json = False) -> int:
    """Shows what a task, net, optimiser, measure, theory query, study, experiment or claim is.

    That is its definition, its fields with what is allowed, and for a task the chance level and some examples.

    For example:

      assay show parity n=8 k=3
      assay show hidden-progress/solve-times
    """
    from assay.cli import catalogue

    found = catalogue.find(name)
    told = [_tell(named, settings) for named in found]
    if json:
        print_json(told[0] if len(told) == 1 else told)
        return 0
    for i, facts in enumerate(told):
        if i:
            print()
        _print(facts)
    return 0


def _tell(named: Named, settings: Sequence[str]) -> dict[str, Any]:
    """All there is to say, as plain data."""
    from assay.tasks import Task

    head = {"group": named.group, "name": named.name}
    thing = named.thing
    if isinstance(thing, type):
        more = _config(thing)
        return head | more | (_task(_example(thing, settings)) if issubclass(thing, Task) else {})
    if named.group == "studies":
        rows = [
            {"experiment": each.name, "title": each.title, "source": each.source, "claims": len(each.claims)}
            for each in thing.experiments
        ]
        return head | {"definition": thing.title, "paper": thing.paper, "experiments": rows}
    if named.group == "experiments":
        return head | _experiment(*thing)
    if named.group == "claims":
        study, experiment, claim = thing
        return {
            "group": named.group,
            "name": claim.id,
            "study": study.name,
            "experiment": experiment.name,
            **_claim(claim),
        }
    return head | {"definition": _definition(thing)} | _parameters(thing)


def _config(cls: type[Config]) -> dict[str, Any]:
    hints = typing.get_type_hints(cls)
    fields = []
    for field in dataclasses.fields(cls):  # type: ignore[arg-type]
        required = field.default is dataclasses.MISSING
        fields.append(
            {
                "field": field.name,
                "type": _type_name(hints[field.name]),
                "default": "required" if required else _default(field.default),
                "allowed": field.metadata["check"].allowed,
                "role": field.metadata["role"],
                "meaning": field.metadata["doc"],
            }
        )
    return {"definition": _definition(cls), "class": f"assay.{cls.__name__}", "fields": fields}


def _task(task: Task) -> dict[str, Any]:
    import jax.numpy as jnp
    import numpy as np

    from assay.maths import streams

    secret = task.secret(0)
    x, y = task.examples(secret, streams.stream(0, "data"), jnp.arange(EXAMPLES, dtype=jnp.uint32))
    rows = [{"x": row, "y": label} for row, label in zip(np.asarray(x).tolist(), np.asarray(y).tolist(), strict=True)]
    own = {name: value for name, value in task.to_json().items() if name != "kind"}
    return {"chance": task.chance, "example": own, "population": task.size, "examples": rows}


def _example(cls: type[Task], settings: Sequence[str]) -> Task:
    """The task that the settings describe; what they leave open is small."""
    from assay.cli.grammar import scalar
    from assay.errors import AssayError

    given = {**cls.shown} | {key: scalar(key, text) for key, _, text in (word.partition("=") for word in settings)}
    required = [f.name for f in dataclasses.fields(cls) if f.default is dataclasses.MISSING and f.name not in given]  # type: ignore[arg-type]
    error: AssayError | None = None
    for values in itertools.permutations(SMALL, len(required)):
        try:
            return cls(**given, **dict(zip(required, values, strict=True)))
        except AssayError as failure:
            error = error or failure
    assert error is not None
    raise error


def _experiment(study: Any, experiment: Any) -> dict[str, Any]:
    from assay.studies.claims import SCALES

    definition = inspect.getdoc(sys.modules[experiment.table.__module__]) or experiment.title
    points = {} if experiment.sweep is None else {scale: len(experiment.sweep(scale)) for scale in SCALES}
    return {
        "definition": definition,
        "title": experiment.title,
        "study": study.name,
        "source": experiment.source,
        "trials": points,
        "claims": [_claim(claim) for claim in experiment.claims],
    }


def _claim(claim: Any) -> dict[str, Any]:
    from assay.studies.claims import SCALES

    criteria = {scale: claim.criterion_at(scale) for scale in SCALES}
    return {
        "id": claim.id,
        "statement": claim.statement,
        "kind": claim.kind,
        "source": claim.source,
        "criterion": criteria if len(set(criteria.values())) > 1 else criteria[SCALES[0]],
    }


def _parameters(function: Callable[..., Any]) -> dict[str, Any]:
    """The options of a theory query; nothing for other functions."""
    options = [
        {"option": f"--{name}", "type": parameter.annotation, "default": parameter.default}
        for name, parameter in inspect.signature(function).parameters.items()
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY
    ]
    for option in options:
        option["default"] = "required" if option["default"] is inspect.Parameter.empty else option["default"]
    return {"options": options} if options else {}


def _definition(thing: Any) -> str:
    """The docstring, and that of the module it stands in, which has the reference."""
    own = inspect.getdoc(thing) or ""
    around = inspect.getdoc(sys.modules[thing.__module__]) or ""
    return f"{own}\n\n{around}".strip()


def _default(item: Any) -> Any:
    from assay.config import Config

    return item.kind or type(item).__name__.lower() if isinstance(item, Config) else item


def _type_name(hint: Any) -> str:
    if typing.get_args(hint) and typing.get_origin(hint) is not tuple:
        return " or ".join(repr(o) if isinstance(o, str) else _type_name(o) for o in typing.get_args(hint))
    if typing.get_origin(hint) is tuple:
        return f"list of {_type_name(typing.get_args(hint)[0])}"
    return {"NoneType": "none", "int": "int", "float": "float"}.get(hint.__name__, hint.__name__)


def _print(facts: Mapping[str, Any]) -> None:
    """Definition first, then one line a fact, then the tables."""
    heading(f"{facts['name']}  ({facts['group']})")
    rest = {
        key: item for key, item in facts.items() if key not in ("name", "group", "definition") and item not in ({}, [])
    }
    if "definition" in facts:
        print(f"\n{facts['definition']}")
    lines = [f"{key}: {_cell(item)}" for key, item in rest.items() if not isinstance(item, list)]
    if lines:
        print("", *lines, sep="\n")
    for key, item in rest.items():
        if key == "examples":
            heading("\nexamples")
            print_table(["x", "y"], [(_numbers(row["x"]), _numbers(row["y"])) for row in item])
        elif isinstance(item, list):
            heading(f"\n{key}")
            columns = [column for column in item[0] if column != "criterion"]
            print_table(columns, [[_cell(row[column]) for column in columns] for row in item])


def _numbers(item: Any) -> str:
    """A row, of which the first so many are shown, or a number: symbols are whole numbers, all else has its sign."""
    if isinstance(item, list):
        return " ".join([*map(_numbers, item[:MOST]), *["..."][: len(item) - MOST]])
    return f"{item:+g}" if isinstance(item, float) else str(item)


def _cell(item: Any) -> Any:
    if isinstance(item, Mapping):
        return "".join(f"\n  {key}: {value}" for key, value in item.items())
    return item if isinstance(item, (int, float, str)) and not isinstance(item, bool) else str(item)


def main(args: Sequence[str]) -> int:
    return parse(command, "show", args)
