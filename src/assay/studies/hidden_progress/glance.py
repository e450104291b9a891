"""Training curves at a glance: a long flat stretch at chance, then an abrupt drop to zero error.

Claim   every setting learns the (50,3)-parity by a phase transition.
Source  Barak et al. 2022, figure 1 (left): batch sizes and learning rates as there. The sinusoid is printed with its
        argument scaled by 2; it is shown with 1 and with 2, since with 2 fewer runs succeed. The transformer is not
        among these panels yet.
Output  table `glance`, in two parts: `curves` (single runs, median and band) and `trials` (solve time and plateau).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import polars as pl

import assay as ay
from assay.figures import Display, TrainingCurves
from assay.studies import Claim, Experiment, Judgement
from assay.studies.hidden_progress.curves import curves_and_trials, joined, wilson
from assay.studies.hidden_progress.settings import NETS, WHOLE_SAMPLE

# panel -> setting, scale of the activation, batch, learning rate, budget, steps between records
PANELS: Mapping[str, tuple[str, float, int, float, int, int]] = {
    "(i) ReLU-10, B = 32": ("i", 1.0, 32, 0.5, 10_000, 20),
    "(i) ReLU-10, B = 1024": ("i", 1.0, 1024, 0.05, 20_000, 50),
    "(ii) ReLU-100, B = 1": ("ii", 1.0, 1, 0.05, 60_000, 250),
    "(iv) $z^3$-10, B = 32": ("iv", 1.0, 32, 0.05, 10_000, 10),
    "(vii) zigzag, B = 32": ("vii", 1.0, 32, 0.2, 10_000, 10),
    "(x) sinusoid, B = 32": ("x", 1.0, 32, 0.05, 10_000, 20),
    "(x) sinusoid x2, B = 32": ("x", 2.0, 32, 0.05, 10_000, 20),
    "(xv) PolyNet, B = 32": ("xv", 1.0, 32, 0.07, 10_000, 10),
}
JUDGED = {"(i) ReLU-10, B = 32": 0.6, "(iv) $z^3$-10, B = 32": None, "(vii) zigzag, B = 32": 0.5,
          "(x) sinusoid, B = 32": 0.5, "(xv) PolyNet, B = 32": None}  # fmt: skip
"""Panels of the claim, and the plateau fraction that it wants."""
RUNS = {"smoke": 20, "desk": 50, "paper": 100}
SLOW_RUNS = {"smoke": 3, "desk": 10, "paper": 25}
SLOW = ("(i) ReLU-10, B = 1024", "(ii) ReLU-100, B = 1")

PHASE_TRANSITION = Claim(
    id="E5",
    source="Barak et al. 2022, figure 1 (left)",
    statement="All settings learn the (50,3)-parity after a long plateau at chance, by an abrupt drop to zero error.",
    kind="experiment",
    criterion="(i) B = 32, (iv), (vii), (x), (xv): at least 4/5 of the runs solved within 10^4 steps; median plateau "
    "fraction (last step with error > 0.45) / (solve time) >= 0.6 for (i), >= 0.5 for (vii) and (x)",
)


def sweeps(scale: str) -> dict[str, ay.Sweep]:
    found = {}
    for panel, (setting, stretch, batch, rate, budget, every) in PANELS.items():
        net = NETS[setting].replace(scale=stretch) if stretch != 1.0 else NETS[setting]
        trial = ay.Trial(
            task=ay.Parity(n=50, k=3),
            net=net,
            optimiser=ay.SGD(learning_rate=rate),
            batch=batch,
            budget=budget,
            solve=WHOLE_SAMPLE,
            record=ay.Record(measures=("eval/error", "eval/loss"), every=every * (2 if scale == "smoke" else 1)),
        )
        found[panel] = ay.Sweep(trial, ay.seeds((SLOW_RUNS if panel in SLOW else RUNS)[scale]))
    return found


def sweep(scale: str) -> ay.Sweep:
    return joined(sweeps(scale))


def table(runs: ay.Runs, scale: str) -> pl.DataFrame:
    return curves_and_trials(runs, sweeps(scale))


def figure(table: pl.DataFrame) -> Display:
    return TrainingCurves(
        table.filter(part="curves"),
        panel="panel",
        columns=4,
        y_label="held-out error",
        labels={"eval/error": "held-out error"},
        title="Learning a parity of 3 out of 50 bits",
        caption="Single runs (thin), their median and 10-90 % band against the steps of SGD; hinge loss, batch size B. "
        "Runs end when all of 8,192 held-out examples are right. Barak et al. 2022, figure 1 (left).",
    )


def judge(table: pl.DataFrame, scale: str) -> list[Judgement]:
    trials = table.filter(part="trials")
    holds, counts, words = True, [], []
    for panel, plateau in JUDGED.items():
        rows = trials.filter(panel=panel)
        solved = rows.filter((pl.col("outcome") == "solved") & (pl.col("step") <= 10_000))
        counts.append((solved.height, rows.height))
        middle = np.median(solved["plateau_fraction"]) if solved.height else 0.0
        holds &= solved.height / rows.height >= 0.8 and (plateau is None or bool(middle >= plateau))
        words.append(f"{panel.replace('$', '')}: {solved.height}/{rows.height}, median plateau fraction {middle:.2f}")
    few, all_runs = min(counts, key=lambda count: count[0] / count[1])
    note = f"value: smallest solved fraction. {'; '.join(words)}"
    return [PHASE_TRANSITION.judged(holds, few / all_runs, wilson(few, all_runs), note)]


experiment = Experiment(
    name="glance",
    title="Training curves at a glance",
    source="figure 1 (left)",
    claims=(PHASE_TRANSITION,),
    sweep=sweep,
    table=table,
    figure=figure,
    judge=judge,
)
