"""Which display a sweep gets, and what its table says."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl
import pytest

from assay.errors import ConfigError
from assay.figures import SolveTimes, SurvivalCurves, TrainingCurves
from assay.report import times


def runs(**columns: Sequence[object]) -> pl.DataFrame:
    """Four runs a point, solved at 10, 20, 30 and never."""
    points = pl.DataFrame(columns)
    ends = pl.DataFrame(
        {
            "step": [10, 20, 30, 99],
            "outcome": ["solved", "solved", "solved", "censored"],
            "seed": [0, 1, 2, 3],
            "budget": 99,
        }
    )
    frame = points.join(ends, how="cross")
    return frame.with_row_index("trial").with_columns(pl.col("trial").cast(pl.String))


def test_the_first_axis_of_positive_numbers_is_x_and_the_others_lines_and_panels() -> None:
    frame = runs(**{"loss.kind": ["hinge", "square"], "task.n": [6, 8], "task.k": [1, 2]})
    display = times.display(frame, ["loss.kind", "task.n", "task.k"], caption="more")
    assert isinstance(display, SolveTimes)
    assert (display.x, display.line, display.panel) == ("task.n", "loss.kind", "task.k")
    assert display.title == "Steps until solved, against n"
    assert display.caption.endswith(" more")
    assert display.table["q50"].to_list() == [25.0, 25.0]
    display.plot()


def test_more_axes_share_the_panels() -> None:
    columns = {"task.n": [6, 8], "task.k": [1, 2], "net.kind": ["mlp", "polynet"], "net.width": [4, None]}
    display = times.display(runs(**columns), list(columns))
    assert isinstance(display, SolveTimes)
    assert (display.x, display.line, display.panel) == ("task.n", "task.k", "setting")
    assert set(display.table["setting"]) == {"net = mlp, width = 4", "net = polynet, width = none"}
    display.plot()


@pytest.mark.parametrize("values", [["relu", "power"], [0.0, 0.1], [5, 5]])
def test_without_an_axis_of_different_positive_numbers_survival_curves_are_drawn(values: list[object]) -> None:
    display = times.display(runs(some=values), ["some"])
    assert isinstance(display, SurvivalCurves)
    assert display.line == "some"
    assert display.table["survival"].min() == 0.25
    display.plot()


def test_seeds_alone_are_one_survival_curve() -> None:
    display = times.display(runs(n=[6]), [])
    assert isinstance(display, SurvivalCurves)
    assert (display.line, display.panel) == (None, None)
    assert display.table["survival"].to_list() == [1.0, 0.75, 0.5, 0.25, 0.25]


def test_a_line_has_a_name_where_a_component_lacks_the_field() -> None:
    display = times.times_display(runs(**{"task.n": [6, 8], "net.width": [4, None]}), "task.n", line="net.width")
    assert set(display.table["net.width"]) == {"4", "none"}


def test_names_are_short_where_they_are_clear() -> None:
    assert times.short_names(["task.n", "net.kind", "net.scale", "init.scale"]) == {
        "task.n": "n",
        "net.kind": "net",
        "net.scale": "net.scale",
        "init.scale": "init.scale",
    }


def test_the_first_scale_is_no_result_and_no_seed() -> None:
    assert times.first_scale(runs(**{"task.kind": ["a", "b"], "net.width": [4, 8]})) == "net.width"
    with pytest.raises(ConfigError, match="survival"):
        times.first_scale(runs(n=[6]))


def test_an_axis_must_be_positive() -> None:
    with pytest.raises(ConfigError, match="x must be a column of positive numbers, got 'noise'"):
        times.times_display(runs(noise=[0.0, 0.1]), "noise")


def test_training_curves_are_those_of_the_runs_and_measures_asked_for() -> None:
    frame = runs(k=[1, 2])
    curves = frame.select("trial").join(
        pl.DataFrame({"step": [0, 10], "eval/error": [0.5, 0.1], "x": [1.0, 2.0]}), how="cross"
    )
    display = times.curves_display(curves, frame.filter(k=1), "k", ["eval/error"])
    assert isinstance(display, TrainingCurves)
    assert set(display.table["measure"]) == {"eval/error"}
    assert set(display.table["k"]) == {1}
    summary = display.table.filter(pl.col("trial").is_null())
    assert summary["value"].to_list() == [0.5, 0.1]
    assert set(times.curves_display(curves, frame, None, []).table["measure"]) == {"eval/error", "x"}


def test_curves_that_were_not_recorded_cannot_be_drawn() -> None:
    with pytest.raises(ConfigError, match="measures=eval/error,eval/loss points=50"):
        times.curves_display(pl.DataFrame({"trial": ["a"], "step": [0]}), runs(n=[6]), None, [])
