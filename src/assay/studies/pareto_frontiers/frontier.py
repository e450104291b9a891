"""The success frontier: how wide a net must be, and how many examples it needs, to learn a parity offline.

Claim   with m examples, far fewer than n^k, SGD over many passes learns; the wider the net the fewer it needs; sparse
        initial weights lower the frontier; fresh examples are enough at every width.
Source  Edelman et al. 2023, figures 1 (left) and 4, section 5. Loss, form of weight decay and drawing of batches
        are not stated (see the settings). Below the paper's scale n, widths and steps are smaller.
Output  table `frontier`, in two parts: `cells` (fraction solved and median steps of each cell) and `boundary` (the m
        at which half of the runs are solved, for each width).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl
from scipy import stats

import assay as ay
from assay.analysis import survival
from assay.analysis.boundary import crossings
from assay.analysis.trend import Trend, trend
from assay.figures import Display, HeatTable, board
from assay.studies import Claim, Experiment, Judgement
from assay.studies.pareto_frontiers.settings import CELL, INITS, ONLINE, SIZES, WIDTHS, cells, together, trial, wilson


@dataclasses.dataclass(frozen=True, kw_only=True)
class Panel:
    """A grid of widths and training sets for one parity."""

    n: int
    k: int
    widths: Sequence[int]
    sizes: Sequence[int]
    runs: int
    budget: int
    inits: Sequence[str] = tuple(INITS)

    def sweep(self) -> ay.Sweep:
        grid = (ay.axis("net.width", *self.widths), ay.seeds(self.runs))
        sizes = [size for size in self.sizes if size != ONLINE]
        parts = []
        for init in self.inits:
            if sizes:
                offline = trial(self.n, self.k, samples=sizes[0], init=init, budget=self.budget)
                parts.append(ay.Sweep(offline, ay.axis("data.samples", *sizes), *grid))
            if ONLINE in self.sizes:
                parts.append(ay.Sweep(trial(self.n, self.k, init=init, budget=self.budget), *grid))
        return together(parts)


NARROW = (10, 30, 100, 300, 1000)
EARLY = (200, 300, 400, 600, 1000, 2000)
LATE = (300, 600, 1000, 2000, 3000, 6000, 10_000)
PANELS: Mapping[str, Sequence[Panel]] = {
    "smoke": (
        Panel(n=30, k=3, widths=NARROW, sizes=(300, 400, 600, 1000, ONLINE), runs=20, budget=15_000),
        Panel(n=50, k=3, widths=(1000,), sizes=(1000,), runs=10, budget=20_000),
    ),
    "desk": (
        Panel(n=30, k=3, widths=NARROW, sizes=(*EARLY, 6000, ONLINE), runs=20, budget=15_000),
        Panel(n=30, k=4, widths=NARROW, sizes=(*LATE, ONLINE), runs=10, budget=15_000),
        Panel(n=50, k=3, widths=NARROW, sizes=(*EARLY, 6000, ONLINE), runs=20, budget=20_000),
        Panel(n=50, k=4, widths=NARROW, sizes=(*LATE, ONLINE), runs=10, budget=20_000),
    ),
    "paper": tuple(
        Panel(n=n, k=k, widths=WIDTHS, sizes=(*SIZES, ONLINE), runs=50, budget=100_000)
        for n in (50, 100, 150, 200, 250, 300)
        for k in (3, 4)
    ),
}  # fmt: skip

CHECK = "\N{CHECK MARK}"
_PAPER = "Edelman et al. 2023"
FRONTIER = Claim(
    id="C1",
    source=f"{_PAPER}, figures 1 (left) and 4",
    statement="Success has a frontier in width and examples: the wider the net, the fewer examples it needs.",
    kind="experiment",
    criterion={
        "smoke": "(30,3), dense, 15,000 steps: solved in >= 90 % at m = 1000 and <= 10 % at m = 300 for r = 30, 100; "
        "rank correlation of m_50 with r <= -0.8",
        "desk": "(30,3), dense, 15,000 steps: solved in >= 90 % at m = 1000 and <= 10 % at m = 300 for r = 30, 100; "
        "rank correlation of m_50 with r <= -0.8",
        "paper": "every panel: rank correlation of m_50 with r < -0.8",
    },
)
FEW_EXAMPLES = Claim(
    id="C2",
    source=f"{_PAPER}, section 5 and figure 4",
    statement="Nets generalise perfectly from far fewer than n^k examples.",
    kind="experiment",
    criterion={
        "smoke": "(30,3), dense: some width is solved in >= 80 % at m = 600 (n^k = 27,000)",
        "desk": "(30,3), dense: some width is solved in >= 80 % at m = 600 (n^k = 27,000)",
        "paper": "(200,3), dense: some width is solved in 100 % at some m <= 10^4 (n^k = 8 10^6)",
    },
)
WIDER = Claim(
    id="C3",
    source=f"{_PAPER}, section 5, finding 2",
    statement="Success does not fall with the width.",
    kind="experiment",
    criterion={
        "smoke": "(30,3), dense, m = 400: solved fraction at r = 300 exceeds that at r = 30 by >= 0.4; score test of a "
        "positive slope in log r within each m: p < 0.05",
        "desk": "(30,3), dense, m = 400: solved fraction at r = 300 exceeds that at r = 30 by >= 0.4; score test of a "
        "positive slope in log r within each m: p < 0.05",
        "paper": "no fraction falls below that of the next smaller width by more than 2 binomial standard errors of "
        "the difference",
    },
)
ZERO_TO_ONE = Claim(
    id="C4",
    source=f"{_PAPER}, section 5, finding 2",
    statement="Width alone takes success from rare to certain at the same number of examples.",
    kind="experiment",
    criterion={
        "smoke": "(30,3), dense, m = 600: solved in 30 to 80 % at r = 10 and in >= 90 % at r = 1000",
        "desk": "(30,3), dense, m = 600: solved in 30 to 80 % at r = 10 and in >= 90 % at r = 1000",
        "paper": "some m with a smallest fraction <= 0.02 and a largest >= 0.98 over the widths",
    },
)
SPARSE = Claim(
    id="C5",
    source=f"{_PAPER}, section 5, finding 3",
    statement="Sparse initial weights enlarge the region of success and speed learning up.",
    kind="experiment",
    criterion={
        "smoke": "(30,3), m = 400, r = 100: sparse - dense solved fraction >= 0.15; (50,3), m = 1000, r = 1000: median "
        "steps sparse <= 0.7 dense; score test of sparse against dense within each cell: p < 0.05",
        "desk": "(30,3), m = 400, r = 100: sparse - dense solved fraction >= 0.15; (50,3), m = 1000, r = 1000: median "
        "steps sparse <= 0.7 dense; score test of sparse against dense within each cell: p < 0.05",
        "paper": "for every n >= 200 and both k more cells are solved in >= 50 % with sparse than with dense weights",
    },
)
FRESH = Claim(
    id="C9",
    source=f"{_PAPER}, figure 4 (right-most columns)",
    statement="With fresh examples at every step the same nets learn.",
    kind="experiment",
    criterion={
        "smoke": "(30,3), r = 100, dense: solved in 100 %",
        "desk": "(30,3), r = 100, dense: solved in 100 %",
        "paper": "(50,3), r >= 100, dense: solved in 100 %",
    },
)


def sweep(scale: str) -> ay.Sweep:
    return together(panel.sweep() for panel in PANELS[scale])


def table(runs: ay.Runs, scale: str) -> pl.DataFrame:
    counted = survival.summary(cells(runs.frame), by=CELL, quantiles=(0.5,))
    boundary = crossings(counted.filter(pl.col("samples") != ONLINE), "samples", by=CELL[:-1])
    return pl.concat(
        [counted.with_columns(part=pl.lit("cells")), boundary.with_columns(part=pl.lit("boundary"))],
        how="diagonal_relaxed",
    )


def figure(table: pl.DataFrame) -> Display:
    rows = table.filter(part="cells").drop("part")
    parts = [heat_table(rows.filter(k=k), columns=2, title=f"k = {k}") for k in sorted(rows["k"].unique())]
    sizes = [part.default_size() for part in parts]
    return board(
        *parts,
        columns=1,
        size=(max(wide for wide, _ in sizes), sum(high for _, high in sizes) + 0.3),
        heights=tuple(high for _, high in sizes),
        title="Which widths and training sets learn a parity",
        caption=f"Percentage of runs that answer 90 % of the held-out sample within the budget ({CHECK}: all), for "
        "nets of width r (rows) trained on m examples (columns; fresh: new ones at every step), parities of k out of n "
        "bits, dense or 2-sparse initial weights. Edelman et al. 2023, figures 1 (left) and 4.",
    )


def heat_table(rows: pl.DataFrame, **look: Any) -> Display:
    """Solved fractions of cells; wide nets above, fresh examples last."""
    words = pl.when(pl.col("solved_fraction") == 1).then(pl.lit(CHECK)).otherwise(
        (100 * pl.col("solved_fraction")).round().cast(pl.Int64).cast(pl.String)
    )  # fmt: skip
    panel = pl.format("({}, {}), {}", "bits", "k", "init")
    last = pl.when(pl.col("samples") == ONLINE).then(2**62).otherwise(pl.col("samples"))
    drawn = rows.with_columns(text=words, panel=panel)
    drawn = drawn.sort(last, -pl.col("width"), maintain_order=True)  # cells in order of first appearance
    place = drawn.select("bits", "k", "init").unique().sort("k", "bits", "init").with_row_index("place")
    drawn = drawn.join(place, on=["bits", "k", "init"]).sort("place", -pl.col("width"), last)
    return HeatTable(
        drawn,
        panel="panel",
        row="width",
        column="samples",
        value="solved_fraction",
        centre=None,
        ends=(0.0, 1.0),
        scale="linear",
        labels={str(ONLINE): "fresh", "samples": "examples m"},
        **look,
    )


def judge(table: pl.DataFrame, scale: str) -> list[Judgement]:
    rows, boundary = table.filter(part="cells"), table.filter(part="boundary")
    return (_judge_paper if scale == "paper" else _judge_small)(rows, boundary)


def _judge_small(rows: pl.DataFrame, boundary: pl.DataFrame) -> list[Judgement]:
    small = rows.filter(pl.col("bits") == 30, pl.col("k") == 3)
    dense = small.filter(init="dense")

    def fraction(samples: int, width: int, of: pl.DataFrame = dense) -> float:
        return of.filter(samples=samples, width=width)["solved_fraction"].item()

    edge = boundary.filter(pl.col("bits") == 30, pl.col("k") == 3, pl.col("init") == "dense")
    rho = rank_correlation(edge)
    corners = all(fraction(1000, r) >= 0.9 and fraction(300, r) <= 0.1 for r in (30, 100))
    few = dense.filter(samples=600).sort("solved_fraction").row(-1, named=True)
    gain = fraction(400, 300) - fraction(400, 30)
    wider = trend(dense.filter(pl.col("samples") != ONLINE), "width", ["samples"])
    narrow, wide = fraction(600, 10), fraction(600, 1000)
    online = dense.filter(samples=ONLINE, width=100).row(0, named=True)
    sparser = fraction(400, 100, small.filter(init="sparse")) - fraction(400, 100)
    medians = rows.filter(pl.col("bits") == 50, pl.col("k") == 3, pl.col("samples") == 1000, pl.col("width") == 1000)
    times = {row["init"]: row["q50"] for row in medians.iter_rows(named=True)}
    ratio = times["sparse"] / times["dense"] if None not in times.values() else float("nan")
    of_init = sparse_against_dense(rows)
    return [
        FRONTIER.judged(corners and rho <= -0.8, rho, note=f"value: rank correlation; m_50: {_words(edge)}"),
        FEW_EXAMPLES.judged(
            few["solved_fraction"] >= 0.8, few["solved_fraction"], wilson(few["solved"], few["n"]),
            note=f"value: largest solved fraction at m = 600, at r = {few['width']}",
        ),
        WIDER.judged(
            gain >= 0.4 and wider.p < 0.05, gain,
            note=f"value: gain in solved fraction; z = {wider.z:.1f}, p = {wider.p:.1g}",
        ),
        ZERO_TO_ONE.judged(
            0.3 <= narrow <= 0.8 and wide >= 0.9, narrow, note=f"value: at r = 10; at r = 1000: {wide:.2f}"
        ),
        SPARSE.judged(
            sparser >= 0.15 and ratio <= 0.7 and of_init.p < 0.05, sparser,
            note=f"value: sparse - dense at (30,3); median steps at (50,3): ratio {ratio:.2f}; score test z = "
            f"{of_init.z:.1f}, p = {of_init.p:.1g}",
        ),
        FRESH.judged(online["solved"] == online["n"], online["solved_fraction"], wilson(online["solved"], online["n"])),
    ]  # fmt: skip


def _judge_paper(rows: pl.DataFrame, boundary: pl.DataFrame) -> list[Judgement]:
    offline = rows.filter(pl.col("samples") != ONLINE)
    correlations = {key: rank_correlation(part) for key, part in boundary.group_by("bits", "k", "init")}
    weakest = max(correlations.values())
    largest = rows.filter(
        pl.col("bits") == 200, pl.col("k") == 3, pl.col("init") == "dense", pl.col("samples").is_between(1, 10_000)
    )["solved_fraction"].max()
    violations = largest_falls(offline).filter(pl.col("errors") > 2)
    slices = offline.group_by("bits", "k", "init", "samples").agg(
        low=pl.min("solved_fraction"), high=pl.max("solved_fraction")
    )
    steep = slices.filter((pl.col("low") <= 0.02) & (pl.col("high") >= 0.98)).height
    area = (
        rows.filter(pl.col("bits") >= 200).group_by("bits", "k", "init").agg((pl.col("solved_fraction") >= 0.5).sum())
    )
    gains = area.pivot("init", index=["bits", "k"], values="solved_fraction").select(pl.col("sparse") - pl.col("dense"))
    online = rows.filter(
        pl.col("bits") == 50, pl.col("k") == 3, pl.col("init") == "dense", pl.col("samples") == ONLINE,
        pl.col("width") >= 100,
    )  # fmt: skip
    least = float(gains.min().item())
    slowest = float(online["solved_fraction"].min())  # type: ignore[arg-type]
    return [
        FRONTIER.judged(weakest < -0.8, weakest, note="value: the weakest rank correlation of all panels"),
        FEW_EXAMPLES.judged(largest == 1, float(largest)),  # type: ignore[arg-type]
        WIDER.judged(violations.height == 0, violations.height, note="value: falls beyond 2 standard errors"),
        ZERO_TO_ONE.judged(steep > 0, steep, note=f"value: such slices, of {slices.height}"),
        SPARSE.judged(least > 0, least, note="value: smallest gain in cells solved in >= 50 %"),
        FRESH.judged(slowest == 1, slowest),
    ]


def largest_falls(offline: pl.DataFrame) -> pl.DataFrame:
    """One row for each cell and that of the next smaller width: the fall in standard errors of the difference."""
    slices = (part.sort("width") for _, part in offline.group_by("bits", "k", "init", "samples", maintain_order=True))
    pairs = pl.concat(
        part.with_columns(before=pl.col("solved").shift(), runs=pl.col("n").shift()).drop_nulls("before")
        for part in slices
    )
    pooled = (pl.col("solved") + pl.col("before")) / (pl.col("n") + pl.col("runs"))
    error = (pooled * (1 - pooled) * (1 / pl.col("n") + 1 / pl.col("runs"))).sqrt()
    fall = pl.col("before") / pl.col("runs") - pl.col("solved") / pl.col("n")
    return pairs.with_columns(errors=pl.when(fall == 0).then(0.0).otherwise(fall / error))


def rank_correlation(boundary: pl.DataFrame) -> float:
    """Of m_50 with the width; widths that never reach one half need the most."""
    needed = boundary["crossing"].fill_null(float("inf")).to_numpy()
    return float(stats.spearmanr(boundary["width"].to_numpy(), needed).statistic)


def sparse_against_dense(rows: pl.DataFrame) -> Trend:
    """The score test of the initialisation within each cell."""
    coded = rows.with_columns(code=pl.when(pl.col("init") == "sparse").then(2).otherwise(1))
    return trend(coded, "code", ["bits", "k", "width", "samples"])


def _words(edge: pl.DataFrame) -> str:
    known = edge.with_columns(pl.col("crossing", "crossing_low", "crossing_high").round())
    return ", ".join(f"r = {row['width']}: {row['crossing'] or 'off the grid'}" for row in known.iter_rows(named=True))


experiment = Experiment(
    name="frontier",
    title="The success frontier",
    source="figures 1 (left) and 4",
    claims=(FRONTIER, FEW_EXAMPLES, WIDER, ZERO_TO_ONE, SPARSE, FRESH),
    sweep=sweep,
    table=table,
    figure=figure,
    judge=judge,
    runs="parities",
)
