"""Sample-wise double descent: more examples can be worse, at a fixed width and number of steps.

Claim   success along the number of examples can come, go and come again; transitions depend on weight decay, and vanish
        for wider nets.
Source  Edelman et al. 2023, section 5, finding 4, and figures 2 and 4. Its example is (200,3), sparse; here (100,3)
        below the paper's scale.
Output  table `descent`, in two parts: `cells` (solved fraction and median steps for each width, initialisation, weight
        decay and m) and `tests` (largest fall of the solved fraction along m, fresh examples last, and the p-value of a
        likelihood-ratio test against fractions that never fall).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

import assay as ay
from assay.analysis import survival
from assay.analysis.trend import departure
from assay.figures import Display, Lines
from assay.studies import Claim, Experiment, Judgement
from assay.studies.pareto_frontiers.settings import ONLINE, cells, source, together, trial

DECAYS = (0.01, 0.003)
GRID: Mapping[str, tuple[int, Sequence[int], Sequence[int], Sequence[str], Sequence[float], int, int]] = {
    # n, widths, sizes, inits, weight decays, runs, budget
    "smoke": (100, (30, 300), (6000, 100_000, ONLINE), ("sparse",), (0.01,), 16, 30_000),
    "desk": (
        100, (10, 30, 100, 1000), (3000, 6000, 20_000, 60_000, 100_000, 300_000, ONLINE), ("dense", "sparse"), DECAYS,
        16, 30_000,
    ),
    "paper": (
        200, (30, 100, 300, 1000, 3000, 10_000, 30_000),
        (2000, 3000, 6000, 10_000, 20_000, 30_000, 60_000, 100_000, 200_000, 300_000, 600_000, 1_000_000, ONLINE),
        ("dense", "sparse"), DECAYS, 50, 100_000,
    ),
}  # fmt: skip
SLICE = ("init", "decay", "width")

_CRITERION = (
    "some slice of width r <= {} with weight decay 0.01 falls: a solved fraction lies >= 0.5 below that of fewer "
    "examples, and the likelihood-ratio test against never falling has p < 0.01; at no slice of width {} it has"
)
DESCENT = Claim(
    id="C8",
    source="Edelman et al. 2023, section 5, finding 4",
    statement="More examples can be worse for narrow nets: success along m rises and falls, and wide nets do not show "
    "it.",
    kind="experiment",
    criterion={
        "smoke": "(100,3): " + _CRITERION.format(30, 300),
        "desk": "(100,3): " + _CRITERION.format(100, 1000),
        "paper": "(200,3): " + _CRITERION.format(3000, 30_000),
    },
)
NARROW = {"smoke": (30, 300), "desk": (100, 1000), "paper": (3000, 30_000)}
DECAY = Claim(
    id="C8-decay",
    source="Edelman et al. 2023, section 5, finding 4",
    statement="Where success is lost along m depends on weight decay.",
    kind="experiment",
    criterion={
        "smoke": "undecided at this scale, which has no second weight decay beside 0.01",
        "desk": "(100,3): of the slices that fall at weight decay 0.01 >= 1/2 do not at 0.003, or at another m",
        "paper": "(200,3): of the slices that fall at weight decay 0.01 >= 1/2 do not at 0.003, or at another m",
    },
)


def sweep(scale: str) -> ay.Sweep:
    n, widths, sizes, inits, decays, runs, budget = GRID[scale]
    grid = (ay.axis("net.width", *widths), ay.axis("optimiser.weight_decay", *decays), ay.seeds(runs))
    return together(
        ay.Sweep(trial(n, 3, init=init, budget=budget).replace(data=source(size)), *grid)
        for init in inits
        for size in sizes
    )


def table(runs: ay.Runs, scale: str) -> pl.DataFrame:
    frame = cells(runs.frame).with_columns(decay="optimiser.weight_decay")
    # fresh examples are as many as are ever seen: the last point of a slice
    last = pl.when(pl.col("samples") == ONLINE).then(32 * pl.col("budget").max()).otherwise(pl.col("samples"))
    times = survival.summary(frame.with_columns(seen=last), by=[*SLICE, "samples", "seen"], quantiles=(0.5,))
    tests = []
    for key, part in times.group_by(SLICE, maintain_order=True):
        found = departure(part, "seen")
        best = part.sort("solved_fraction", "seen", descending=[True, False])["seen"][0]
        after = part.filter(pl.col("seen") > best).sort("solved_fraction", "seen")
        lowest = after["seen"][0] if after.height else None
        row = {"drop": found.drop, "p": found.p, "best": best, "lowest": lowest}
        tests.append(dict(zip(SLICE, key, strict=True)) | row)
    return pl.concat(
        [times.with_columns(part=pl.lit("cells")), pl.DataFrame(tests).with_columns(part=pl.lit("tests"))],
        how="diagonal_relaxed",
    )


def figure(table: pl.DataFrame) -> Display:
    panel = pl.format("{}, decay {}", "init", "decay")
    return Lines(
        table.filter(part="cells").with_columns(panel=panel).sort(*SLICE, "seen").drop("part"),
        x="seen",
        y="solved_fraction",
        line="width",
        panel="panel",
        columns=2,
        bars=("solved_low", "solved_high"),
        x_scale="log",
        x_label="examples m (last: fresh ones)",
        y_label="solved",
        labels={"width": "r"},
        title="More examples can be worse",
        caption="Fraction of solved runs against the number of examples, with 95 % Wilson intervals, for nets of width "
        "r; the last point stands for fresh examples at every step, at the number that is seen in the whole budget. "
        "Edelman et al. 2023, section 5, finding 4.",
    )


def judge(table: pl.DataFrame, scale: str) -> list[Judgement]:
    tests = table.filter(part="tests").with_columns(falls=(pl.col("drop") >= 0.5) & (pl.col("p") < 0.01))
    narrow, wide = NARROW[scale]
    usual = tests.filter(decay=0.01)
    falling = usual.filter(pl.col("falls") & (pl.col("width") <= narrow)).sort("drop", descending=True)
    steady = usual.filter(width=wide)
    smooth = bool((steady["p"] >= 0.01).all())
    drop = max(usual["drop"])
    note = f"value: largest fall; {falling.height} slices of r <= {narrow} fall; smallest p at r = {wide}: "
    note += f"{min(steady['p']):.2g}"
    judged = [DESCENT.judged(falling.height > 0 and smooth, drop, note=note)]
    if tests["decay"].n_unique() < 2 or not falling.height:
        return [*judged, DECAY.judged(None, note="no second weight decay, or nothing that falls")]
    other = falling.join(tests.filter(pl.col("decay") != 0.01), on=["init", "width"], suffix="_other")
    moved = other.filter(~pl.col("falls_other") | (pl.col("lowest") != pl.col("lowest_other"))).height
    return [*judged, DECAY.judged(moved >= other.height / 2, moved / other.height, note=f"of {other.height} slices")]


experiment = Experiment(
    name="descent",
    title="Sample-wise double descent",
    source="section 5, finding 4",
    claims=(DESCENT, DECAY),
    sweep=sweep,
    table=table,
    figure=figure,
    judge=judge,
)
