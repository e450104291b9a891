"""What the judge of the panel makes of success laws that are known: a logistic frontier, and laws that break it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl
import pytest

from assay.studies.claims import Verdict
from assay.studies.pareto_frontiers import panel
from assay.studies.pareto_frontiers.frontier import largest_falls

RUNS, NEVER = 40, 10**6


class Made:
    """Runs of a panel whose chances and steps are given."""

    def __init__(self, chance: Callable[[int, int, bool], float]) -> None:
        rng, rows = np.random.default_rng(3), []
        for r in (10, 30, 100, 300):
            for m in (200, 400, 800, 1600, 3200, 0):
                for sparse in (False, True):
                    for solved in rng.random(RUNS) < chance(r, m, sparse):
                        rows.append(
                            {
                                "task.n": 50, "task.k": 3, "init.kind": "sparse" if sparse else "uniform",
                                "net.width": r, "data.samples": m or None, "budget": NEVER,
                                "outcome": "solved" if solved else "censored",
                                "step": int(4e6 / (m or 10**5)) + int(rng.integers(200)) if solved else NEVER,
                            }
                        )  # fmt: skip
        self.frame = pl.DataFrame(rows)


def logistic(r: int, m: int, sparse: bool, gain: float = 0.7) -> float:
    """Half of the runs at m = 2000 r^-0.3, times `gain` from sparse weights."""
    level = 2000 * r**-0.3 * (gain if sparse else 1)
    return 1 / (1 + (level / m) ** 6) if m else 1.0


def verdicts(chance: Callable[[int, int, bool], float]) -> dict[str, Verdict]:
    table = panel.table(Made(chance), "desk")  # type: ignore[arg-type]
    panel.figure(table)
    return {judged.claim.id: judged.verdict for judged in panel.judge(table, "desk")}


@pytest.mark.slow
def test_a_logistic_frontier_has_all_that_is_claimed():
    assert set(verdicts(logistic).values()) == {Verdict.HOLDS}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("chance", "failing"),
    [
        (lambda r, m, sparse: logistic(r, m, sparse) * (r != 300 or m != 1600), {"C3-panel", "C3-panel-test"}),
        (lambda r, m, sparse: logistic(r, m, sparse, gain=1.0), {"C5-panel"}),
        (lambda r, m, sparse: logistic(r, m, sparse) * (0.5 if not m else 1), {"C9-panel"}),
        (lambda r, m, sparse: logistic(30, m, sparse), {"C1-panel", "C3-panel-test", "C4-panel"}),
    ],
)
def test_a_claim_fails_where_its_law_is_broken(chance: Callable[[int, int, bool], float], failing: set[str]):
    found = verdicts(chance)
    assert {name for name, verdict in found.items() if verdict is Verdict.FAILS} >= failing


def test_falls_are_counted_in_standard_errors_of_the_difference():
    rows = pl.DataFrame(
        [
            {"bits": 50, "k": 3, "init": "dense", "samples": m, "width": r, "n": 50, "solved": solved}
            for m, counts in ((100, (0, 0, 10)), (200, (50, 49, 25)))
            for r, solved in zip((10, 30, 100), counts, strict=True)
        ]
    )
    errors = dict(largest_falls(rows).select(pl.concat_str("samples", "width", separator="/"), "errors").iter_rows())
    assert errors["100/30"] == 0  # none, twice: no error either
    assert errors["200/30"] == pytest.approx(0.02 / (2 * 0.99 * 0.01 / 50) ** 0.5)
    assert errors["200/100"] == pytest.approx(0.48 / (2 * 0.74 * 0.26 / 50) ** 0.5)
    assert errors["100/100"] < -2
