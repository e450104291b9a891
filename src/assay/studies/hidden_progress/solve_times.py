"""Steps until a k-parity on n bits is solved: n^O(k), not 2^n.

Claim   median solve times are power laws in n whose exponent grows with k, far below the C(n,k) subsets there are.
Source  Barak et al. 2022, figure 1 (right) and figure 10; settings (i), (ii), (iv), (xiv), (xv) at batch 32 with the
        learning rates of figure 10. Solved: all of 128 held-out examples right, checked every 10 steps.
        Differs from it in: fewer runs, n and k at smoke and desk scale.
Output  table `solve-times`, in two parts: `times` (one row per setting, n, k) and `laws` (one per setting, k).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import polars as pl

import assay as ay
from assay.analysis import powerlaw, survival
from assay.figures import Display, SolveTimes
from assay.studies import Claim, Experiment, Judgement
from assay.studies.hidden_progress.settings import NAMES, NETS, SMALL_SAMPLE, labels
from assay.theory.parity import RandomSearch

RATES: Mapping[str, float] = {"i": 1.0, "ii": 1.0, "iv": 0.01, "xiv": 0.01, "xv": 0.05}
"""Learning rates of figure 10."""
GRID: Mapping[str, tuple[Sequence[int], Sequence[int], int, int]] = {
    # n, k, runs a point, budget
    "smoke": ((10, 20, 30), (2, 3), 20, 10_000),
    "desk": ((10, 15, 20, 25, 30, 40), (2, 3, 4), 50, 30_000),
    "paper": (tuple(range(10, 41)), (2, 3, 4, 5, 6, 7, 8), 1000, 100_000),
}

POWER_LAW = Claim(
    id="E7",
    source="Barak et al. 2022, figure 1 (right), figure 10 and section 3",
    statement="Median solve times are power laws in n whose exponent grows with k and does not exceed k.",
    kind="experiment",
    criterion={
        "smoke": "setting (ii), k = 2, 3: log-log R^2 >= 0.85 at k = 3; exponent(3) > exponent(2); exponents <= k",
        "desk": "setting (ii), k = 2, 3, 4: log-log R^2 >= 0.85 at k = 3, 4; exponents increase with k and are <= k",
        "paper": "every setting: exponents increase with k and are <= k wherever medians are finite for n <= 20",
    },
)
FAR_BELOW_SEARCH = Claim(
    id="E7-search",
    source="Barak et al. 2022, section 3",
    statement="The median solve time at (30,3) lies below the number of subsets C(30,3) = 4060.",
    kind="experiment",
    criterion="largest median over the settings (i), (ii), (iv), (xiv), (xv) < 4060 steps",
)


def sweeps(scale: str) -> dict[str, ay.Sweep]:
    """One sweep a setting."""
    ns, ks, runs, budget = GRID[scale]
    grid = ay.product(ay.axis("task.n", *ns), ay.axis("task.k", *ks), ay.seeds(runs))
    task = ay.Parity(n=ns[0], k=ks[0])
    return {
        setting: ay.Sweep(
            ay.Trial(
                task=task,
                net=NETS[setting],
                optimiser=ay.SGD(learning_rate=rate),
                batch=32,
                budget=budget,
                solve=SMALL_SAMPLE,
            ),
            grid,
        )
        for setting, rate in RATES.items()
    }


def sweep(scale: str) -> ay.Sweep:
    first, *rest = sweeps(scale).values()
    return sum(rest, first)


def table(runs: ay.Runs, scale: str) -> pl.DataFrame:
    """Part `times`: survival summary of each (setting, n, k), and the mean time of random search over subsets;
    part `laws`: exponents with bootstrap intervals."""
    frame = runs.frame.join(labels("setting", sweeps(scale)), on="trial")
    order = pl.col("setting").replace_strict({name: i for i, name in enumerate(RATES)}, return_dtype=pl.Int64)
    times = survival.summary(frame, by=["setting", "task.n", "task.k"]).sort(order, "task.k", "task.n")
    subsets = [RandomSearch(n=n, k=k).mean for n, k in times.select("task.n", "task.k").rows()]
    laws = powerlaw.fit_solve_times(frame, x="task.n", by=["setting", "task.k"]).sort(order, "task.k")
    return pl.concat(
        [
            times.with_columns(part=pl.lit("times"), random_search=pl.Series(subsets)),
            laws.with_columns(part=pl.lit("laws")),
        ],
        how="diagonal_relaxed",
    )


def figure(table: pl.DataFrame) -> Display:
    return SolveTimes(
        table.filter(part="times"),
        panel="setting",
        columns=3,
        x="task.n",
        line="task.k",
        labels={**NAMES, "task.n": "n", "task.k": "k"},
        title="Steps until solved, against n and k",
        caption="Median over runs with 95 % bootstrap bars; a fraction below a point is that of solved runs where it "
        "is not 1. Batch 32, hinge loss, constant learning rate. Barak et al. 2022, figures 1 (right) and 10.",
    )


def judge(table: pl.DataFrame, scale: str) -> list[Judgement]:
    laws = table.filter(part="laws")
    at_30_3 = table.filter((pl.col("part") == "times") & (pl.col("task.n") == 30) & (pl.col("task.k") == 3))
    worst = max(
        [[math.inf if q is None else q for q in row] for row in at_30_3.select("q50", "q50_low", "q50_high").rows()]
    )
    law = laws.filter((pl.col("setting") == "ii") & (pl.col("task.k") == 3))
    return [
        POWER_LAW.judged(
            _is_power_law(laws, scale),
            law["exponent"][0],
            (law["exponent_low"][0], law["exponent_high"][0]),
            note="value: exponent of setting (ii) at k = 3",
        ),
        FAR_BELOW_SEARCH.judged(worst[0] < math.comb(30, 3), worst[0], (worst[1], worst[2])),
    ]


def _is_power_law(laws: pl.DataFrame, scale: str) -> bool:
    settings = RATES if scale == "paper" else ("ii",)
    for setting in settings:
        rows = laws.filter((pl.col("setting") == setting) & pl.col("exponent").is_not_null()).sort("task.k")
        exponents = rows["exponent"].to_list()
        if exponents != sorted(exponents) or any(e > k for e, k in rows.select("exponent", "task.k").rows()):
            return False
        if rows.filter((pl.col("task.k") >= 3) & (pl.col("r2") < 0.85)).height:
            return False
    return True


experiment = Experiment(
    name="solve-times",
    title="Solve times against n and k",
    source="figures 1 (right) and 10",
    claims=(POWER_LAW, FAR_BELOW_SEARCH),
    sweep=sweep,
    table=table,
    figure=figure,
    judge=judge,
)
