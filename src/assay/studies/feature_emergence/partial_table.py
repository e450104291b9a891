"""Part of the table held out: the net fits its part first, and generalises when its neurons become waves.

Claim   the training error is 0 thousands of steps before the held-out error falls; meanwhile spectra of neurons narrow,
        and the margin over the whole table passes 0.
Source  beyond Morwani et al. 2023, which trains on the whole table; Power et al. 2022 (grokking), Gromov 2023. p = 23,
        160 quadratic neurons, the schedule of Z_71, a random 60 or 80 % of the table to train on, the rest held out.
Output  table `partial-table`: training error, held-out error, purity (of u, weighted with the mass) and the normalised
        margin over the whole table, over the maximum, at each record.
"""

from __future__ import annotations

import numpy as np
import polars as pl

import assay as ay
from assay.analysis import features
from assay.figures import Display, TrainingCurves
from assay.maths.groups import irreps, named
from assay.studies import Claim, Experiment, Judgement
from assay.studies.feature_emergence import settings
from assay.studies.feature_emergence.checks import PAPER
from assay.theory.margins import cyclic_margin

P = 23
PARTS = {"smoke": (0.6,), "desk": (0.6, 0.8), "paper": (0.6, 0.8)}
SEEDS = {"smoke": 1, "desk": 3, "paper": 5}
LEARNT = 0.05
"""Held-out error below which a net has generalised."""

GROKKING = Claim(
    id="partial-table",
    source=f"beyond {PAPER}, section 7.1",
    statement="Trained on a part of the table, the net fits it long before it generalises; neurons get purer in "
    "between.",
    kind="experiment",
    criterion="every run: held-out error <= 0.05 at the end, first so at least 1000 steps after the training error is "
    "0; purity then larger than when the training error is first 0",
)


def sweep(scale: str) -> ay.Sweep:
    parts = []
    for fraction in PARTS[scale]:
        record = ay.Record(
            measures=("train/error", "eval/error", "margin/normalised", "weights/snapshot"),
            every=500,
            sample=round((1 - fraction) * P**2),
        )
        trial = settings.Z23.replace(data=ay.Split(fraction=fraction), record=record, budget=12_000)
        parts.append(ay.Sweep(trial, ay.seeds(SEEDS[scale])))
    return sum(parts[1:], parts[0])


def table(runs: ay.Runs, scale: str) -> pl.DataFrame:
    rows = []
    for trial, seed, fraction in (
        runs.frame.select("trial", "seed", "data.fraction").sort("data.fraction", "seed").rows()
    ):
        curve = runs.curves.filter(trial=trial).sort("step")
        purity = _purity(runs, trial)
        for i, (step, train, rest, margin) in enumerate(
            curve.select("step", "train/error", "eval/error", "margin/normalised").rows()
        ):
            ratio = margin / cyclic_margin(P)
            values = {"training error": train, "held-out error": rest, "purity": purity[i], "margin": ratio}
            rows += [
                {
                    "panel": f"{fraction:.0%} of the table", "trial": trial, "seed": seed, "step": step,
                    "measure": name, "value": value,
                }
                for name, value in values.items()
            ]  # fmt: skip
    null = pl.lit(None, pl.Float64)
    return pl.DataFrame(rows).with_columns(low=null, high=null)


def _purity(runs: ay.Runs, trial: str) -> list[float]:
    """Mean purity at each record, neurons weighted with their mass."""
    left, right, out = (runs.arrays(f"weights/snapshot.{layer}.weight")[trial] for layer in ("left", "right", "output"))
    every, found = irreps(named(f"Z{P}")), []
    for u, v, w in zip(left, right, out, strict=True):
        rows = features.neurons(u.T.astype(float), v.T.astype(float), w.astype(float), every)
        found.append(float(np.average(rows["purity"].to_numpy(), weights=rows["mass"].to_numpy())))
    return found


def figure(table: pl.DataFrame) -> Display:
    return TrainingCurves(
        table.with_columns(pl.col("value").clip(lower_bound=-0.2)),
        panel="panel",
        columns=2,
        y_label="error, purity, margin",
        labels={"margin": "margin / maximum margin"},
        title="Learning a part of the table, p = 23",
        caption="Error on the part that is trained on and on the rest; the largest part of the power of u at one "
        "frequency (mean over neurons, weighted with their norm cubed); normalised margin over the whole table, over "
        "that of Theorem 7.7 (values below -0.2 are drawn there). One line a run.",
    )


def judge(table: pl.DataFrame, scale: str) -> list[Judgement]:
    holds, delays, words = True, [], []
    for rows in table.partition_by("trial", maintain_order=True):
        curve = rows.pivot(on="measure", index="step", values="value").sort("step")
        fitted = curve.filter(pl.col("training error") == 0)
        learnt = curve.filter(pl.col("held-out error") <= LEARNT)
        if fitted.is_empty() or learnt.is_empty():
            holds = False
            continue
        delay = learnt["step"][0] - fitted["step"][0]
        before, after = fitted["purity"][0], learnt["purity"][0]
        holds &= delay >= 1000 and after > before and curve["held-out error"][-1] <= LEARNT
        delays.append(delay)
        words.append(f"{rows['panel'][0]}: fits at {fitted['step'][0]}, generalises at {learnt['step'][0]}, ")
        words[-1] += f"purity {before:.2f} to {after:.2f}, margin in the end {curve['margin'][-1]:.2f} of the maximum"
    value = float(min(delays)) if delays else None
    return [GROKKING.judged(holds, value, None, f"value: shortest delay in steps. {'; '.join(words)}")]


experiment = Experiment(
    name="partial-table",
    title="Part of the table",
    source="beyond the paper",
    claims=(GROKKING,),
    sweep=sweep,
    table=table,
    figure=figure,
    judge=judge,
)
