"""More training curves: harder parities, PolyNets at many batch sizes, the smallest nets that can do it, large ones.

Claim   the same net takes the longer the harder the parity; PolyNets learn at batch sizes from 1 to 1024; nets barely
        wide enough converge with fair probability.
Source  Barak et al. 2022, figure 6 and appendix D.1.6, batch sizes and learning rates as there; (50,3) but in the first
        row. Its first row is of nets of width 100, as the caption and the number (ii) say; the appendix prints 10. Its
        third row is printed with single examples, at learning rates that are too large for them: it is shown with
        batch 32, as printed, and with single examples at a tenth of the rate. The transformer of the fourth row is not
        among these panels.
Output  table `more-curves`, in three parts: `curves` (single runs, median and band), `trials` (solve time and plateau)
        and `times` (quantiles of the solve times); `row` and `panel` say where in the figure.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import polars as pl

import assay as ay
from assay.analysis import survival
from assay.figures import Display, TrainingCurves, board
from assay.studies import Claim, Experiment, Judgement
from assay.studies.hidden_progress.curves import curves_and_trials, joined
from assay.studies.hidden_progress.settings import NETS, WHOLE_SAMPLE, net


class Panel(NamedTuple):
    """What is trained in a panel."""

    setting: str
    learning_rate: float
    batch: int = 32
    n: int = 50
    k: int = 3
    budget: int = 20_000


SMALLEST: Mapping[str, Panel] = {
    "(*i) ReLU": Panel("*i", 0.1),
    "(*ii) $z^3$": Panel("*ii", 0.01),
    "(vii) zigzag": Panel("vii", 0.1),
    "(viii) polyn.": Panel("viii", 0.1),
    "(xi) zigzag": Panel("xi", 0.1),
    "(xii) polyn.": Panel("xii", 0.1),
}
HARDEST = "(*i) ReLU"
WIDTH = NETS["ii"].to_json()["width"]
SURE = ("(*ii) $z^3$", "(vii) zigzag", "(viii) polyn.", "(xi) zigzag", "(xii) polyn.")
"""The smallest nets of which most runs must be solved; (*i) seldom is."""


def _single(panel: Panel, slower: float) -> Panel:
    return panel._replace(batch=1, learning_rate=panel.learning_rate / slower, budget=60_000)


ROWS: Mapping[str, Mapping[str, Panel]] = {
    "parities": {
        "(30, 3)": Panel("ii", 0.1, n=30),
        "(60, 3)": Panel("ii", 0.1, n=60),
        "(90, 3)": Panel("ii", 0.1, n=90),
        "(30, 4)": Panel("ii", 0.1, n=30, k=4),
        "(30, 5)": Panel("ii", 0.1, n=30, k=5, budget=60_000),
        "(30, 6)": Panel("ii", 0.1, n=30, k=6, budget=100_000),
    },
    "batches": {
        "B = 1": Panel("xv", 0.005, 1),
        "B = 4": Panel("xv", 0.01, 4),
        "B = 16": Panel("xv", 0.1, 16),
        "B = 64": Panel("xv", 0.1, 64),
        "B = 256": Panel("xv", 0.1, 256),
        "B = 1024": Panel("xv", 0.1, 1024),
    },
    "smallest": SMALLEST,
    "smallest as printed": {name: _single(panel, 1) for name, panel in SMALLEST.items()},
    "smallest, slower": {name: _single(panel, 10) for name, panel in SMALLEST.items()},
    "large": {
        "(iii), B = 1": Panel("iii", 0.1, 1, budget=60_000),
        "(iii), B = 1024": Panel("iii", 0.1, 1024, budget=5000),
        "(vi), B = 1": Panel("vi", 0.001, 1, budget=60_000),
        "(vi), B = 1024": Panel("vi", 0.01, 1024, budget=5000),
    },
}
RUNS: Mapping[str, Mapping[str, int]] = {
    "smoke": {"parities": 4, "batches": 5, "smallest": 8, "smallest as printed": 4},
    "desk": {
        "parities": 10, "batches": 50, "smallest": 50, "smallest as printed": 20, "smallest, slower": 20, "large": 3,
    },
    "paper": dict.fromkeys(ROWS, 100),
}  # fmt: skip
NOT_AT_SMOKE = ("(90, 3)", "(30, 6)")

_HARDER = "median solve times: (30,3) in [800, 1600]; (60,3) > 1.8 x (30,3); (30,4) > (30,3); (30,5) > 4 x (30,3)"
HARDER = Claim(
    id="E6",
    source="Barak et al. 2022, figure 6 (first row)",
    statement="The same net and training take the longer the larger n and k are.",
    kind="experiment",
    criterion={
        "smoke": _HARDER,
        "desk": _HARDER + "; (90,3) > (60,3)",
        "paper": _HARDER + "; (90,3) > (60,3); (30,6) > (30,5)",
    },
)
WIDTH_PRINTED = Claim(
    id="E6-printed",
    source="Barak et al. 2022, appendix D.1.6, as printed",
    statement="The nets of the first row, called setting (ii), have width 10.",
    kind="errata",
    criterion="the paper's own list gives setting (ii) width = 10",
)
BATCHES = Claim(
    id="E22",
    source="Barak et al. 2022, figure 6 (second row)",
    statement="PolyNets learn at batch sizes from 1 to 1024.",
    kind="experiment",
    criterion="at least 4/5 of the runs solved at each of the six batch sizes; medians within a factor 2 of 3600, "
    "1600, 215, 155, 165, 165 steps at B = 1, 4, 16, 64, 256, 1024",
)
MEDIANS = {"B = 1": 3600, "B = 4": 1600, "B = 16": 215, "B = 64": 155, "B = 256": 165, "B = 1024": 165}
_SURE = "batch 32: at least 6/8 of the runs of (*ii), (vii), (viii), (xi), (xii) each solved within 20,000 steps"
_SLOWER = "; so are they within 60,000 with single examples at a tenth of the rate"
SMALL_NETS = Claim(
    id="E21",
    source="Barak et al. 2022, figure 6 (third row)",
    statement="Nets barely wide enough to represent the parity learn it with fair probability.",
    kind="experiment",
    criterion={
        "smoke": _SURE,
        "desk": _SURE + "; at least 1 run of (*i) is" + _SLOWER,
        "paper": _SURE + "; at least 1 run of (*i) is" + _SLOWER,
    },
)
SMALL_NETS_PRINTED = Claim(
    id="E21-printed",
    source="Barak et al. 2022, figure 6 (third row) and appendix D.1.6, as printed",
    statement="They do with single examples at learning rate 0.1, and 0.01 for (*ii).",
    kind="errata",
    criterion="at least 1/4 of the runs of each of the six nets solved within 60,000 steps",
)


def sweeps(scale: str) -> dict[str, ay.Sweep]:
    """By row and panel, written as `row: panel`."""
    return {
        f"{row}: {name}": _sweep(panel, RUNS[scale][row])
        for row, panels in ROWS.items()
        if row in RUNS[scale]
        for name, panel in panels.items()
        if scale != "smoke" or name not in NOT_AT_SMOKE
    }


def _sweep(panel: Panel, runs: int) -> ay.Sweep:
    trial = ay.Trial(
        task=ay.Parity(n=panel.n, k=panel.k),
        net=net(panel.setting, panel.k),
        optimiser=ay.SGD(learning_rate=panel.learning_rate),
        batch=panel.batch,
        budget=panel.budget,
        solve=WHOLE_SAMPLE,
        record=ay.Record(measures=("eval/error",), every=panel.budget // 200, points=100),
    )
    return ay.Sweep(trial, ay.seeds(runs))


def sweep(scale: str) -> ay.Sweep:
    return joined(sweeps(scale))


def table(runs: ay.Runs, scale: str) -> pl.DataFrame:
    found = curves_and_trials(runs, sweeps(scale), examples=3)
    place = pl.col("panel").str.split(": ")
    found = found.with_columns(row=place.list.first(), panel=place.list.last())
    return pl.concat([found, _times(found.filter(part="trials"))], how="diagonal_relaxed")


def _times(trials: pl.DataFrame) -> pl.DataFrame:
    """Part `times`: the survival summary of each panel, in the order of the panels."""
    order = trials.select("row", "panel").unique(maintain_order=True)
    times = survival.summary(trials, by=["row", "panel"])
    return order.join(times, on=["row", "panel"], maintain_order="left").with_columns(part=pl.lit("times"))


def figure(table: pl.DataFrame) -> Display:
    curves = table.filter(part="curves").drop("part", "chance")
    variant = {"smallest": "B = 32", "smallest as printed": "B = 1", "smallest, slower": "B = 1, a tenth of the rate"}
    small = curves.filter(pl.col("row").is_in(list(variant))).with_columns(
        measure=pl.col("row").replace_strict(variant, return_dtype=pl.String)
    )
    rows = {
        "ReLU nets of width 100: other n and k": curves.filter(row="parities"),
        "PolyNets: other batch sizes": curves.filter(row="batches"),
        "The smallest nets": small,
        "Nets of width 1000: (iii) ReLU, (vi) $z^3$": curves.filter(row="large"),
    }
    displays = [
        TrainingCurves(
            part,
            panel="panel",
            columns=6,
            x_scale="log" if part is small else "linear",
            y_label="held-out error",
            title=title,
        )
        for title, part in rows.items()
        if part.height
    ]
    heights = tuple(display.default_size()[1] for display in displays)
    return board(
        *displays,
        columns=1,
        heights=heights,
        size=(displays[0].default_size()[0], 0.3 + sum(heights)),
        title="More training curves",
        caption="Error on 8,192 held-out examples: single runs (thin), their median and 10-90 % band against the steps "
        "of SGD on the (50,3)-parity, in a on (n, k). Runs end when all examples are right, or their budget is spent; "
        "an error of 1 is that of runs that diverged. Barak et al. 2022, figure 6.",
    )


def judge(table: pl.DataFrame, scale: str) -> list[Judgement]:
    times = {(row["row"], row["panel"]): row for row in table.filter(part="times").iter_rows(named=True)}
    return [
        _harder(times, scale),
        WIDTH_PRINTED.judged(WIDTH == 10, WIDTH, note="caption and number say width 100"),
        _batches(times),
        _small_nets(times, scale),
        _small_nets_printed(times),
    ]


Times = Mapping[tuple[str, str], Mapping[str, Any]]
"""Solve times by row and panel: rows of `survival.summary`."""


def _median(times: Times, row: str, panel: str) -> float:
    middle = times[row, panel]["q50"]
    return math.inf if middle is None else middle


def _harder(times: Times, scale: str) -> Judgement:
    median = {panel: _median(times, "parities", panel) for row, panel in times if row == "parities"}
    base = median["(30, 3)"]
    holds = 800 <= base <= 1600 and median["(60, 3)"] > 1.8 * base
    holds &= median["(30, 4)"] > base and median["(30, 5)"] > 4 * base
    if scale != "smoke":
        holds &= median["(90, 3)"] > median["(60, 3)"]
    if scale == "paper":
        holds &= median["(30, 6)"] > median["(30, 5)"]
    at = times["parities", "(30, 3)"]
    note = "value: median at (30,3). " + "; ".join(f"{panel}: {middle:.0f}" for panel, middle in median.items())
    return HARDER.judged(holds, base, (at["q50_low"], _or_infinite(at["q50_high"])), note)


def _batches(times: Times) -> Judgement:
    rows = {panel: times["batches", panel] for panel in MEDIANS}
    ratios = {panel: _median(times, "batches", panel) / wanted for panel, wanted in MEDIANS.items()}
    worst = min(rows.values(), key=lambda row: row["solved_fraction"])
    holds = worst["solved_fraction"] >= 0.8 and all(0.5 <= ratio <= 2 for ratio in ratios.values())
    note = "value: smallest solved fraction. Median over the expected one: "
    note += "; ".join(f"{panel}: {ratio:.2f}" for panel, ratio in ratios.items())
    return BATCHES.judged(holds, worst["solved_fraction"], (worst["solved_low"], worst["solved_high"]), note)


def _small_nets(times: Times, scale: str) -> Judgement:
    rows = ["smallest"] if scale == "smoke" else ["smallest", "smallest, slower"]
    asked = [times[row, panel] for row in rows for panel in SURE]
    worst = min(asked, key=lambda row: row["solved_fraction"])
    holds = worst["solved_fraction"] >= 6 / 8 and (scale == "smoke" or times["smallest", HARDEST]["solved"] > 0)
    note = f"value: smallest solved fraction of the five. {_solved(times, *rows)}"
    return SMALL_NETS.judged(holds, worst["solved_fraction"], (worst["solved_low"], worst["solved_high"]), note)


def _small_nets_printed(times: Times) -> Judgement:
    row = "smallest as printed"
    worst = min((times[row, panel] for panel in SMALLEST), key=lambda found: found["solved_fraction"])
    note = f"value: smallest solved fraction. {_solved(times, row)}"
    interval = worst["solved_low"], worst["solved_high"]
    return SMALL_NETS_PRINTED.judged(worst["solved_fraction"] >= 1 / 4, worst["solved_fraction"], interval, note)


def _solved(times: Times, *rows: str) -> str:
    counts = [
        f"{panel.replace('$', '')}: {found['solved']}/{found['n']}"
        for (row, panel), found in times.items()
        if row in rows
    ]
    return "; ".join(counts)


def _or_infinite(number: float | None) -> float:
    return math.inf if number is None else number


experiment = Experiment(
    name="more-curves",
    title="More training curves",
    source="figure 6 and appendix D.1.6",
    claims=(HARDER, WIDTH_PRINTED, BATCHES, SMALL_NETS, SMALL_NETS_PRINTED),
    sweep=sweep,
    table=table,
    figure=figure,
    judge=judge,
)
