"""Attention weights of a trained Transformer with one head: which bits were selected.

Claim   the weights, which depend on the input, about vanish on irrelevant positions.
Source  Edelman, Goel, Kakade, Zhang 2022, figure 3 (right) and appendix A.3.1; Edelman 2024, figure 4.3 (right). It is
        true of negative examples, where a relevant bit is 0; on positive ones, where all relevant bits are 1, the
        weight spreads over irrelevant positions as well. Both are shown, the claim as printed is an erratum.
Output  table `attention`, in parts: `weights` (mean and range at each position, by label and bit), `runs` (one row a
        run: validation error, mass on the relevant positions, largest irrelevant weight, what was selected).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import polars as pl

import assay as ay
from assay.figures import Display, Lines
from assay.studies import Claim, Experiment, Judgement
from assay.studies.variable_creation.settings import TRIAL

GRID: Mapping[str, tuple[int, int, int, int]] = {
    # T, m, seeds, steps
    "smoke": (20, 100, 1, 200),
    "desk": (50, 300, 2, 500),
    "paper": (50, 300, 10, 500),
}
RELEVANT = (4, 19, 29)
"""I = {5, 20, 30}, counted from 1."""
SHOWN = 100
"""Validation examples."""

SPARSE = Claim(
    id="E3",
    source="Edelman, Goel, Kakade, Zhang 2022, figure 3 (right), for negative examples",
    statement="On negative examples the attention weights vanish on irrelevant positions.",
    kind="experiment",
    criterion={
        "smoke": "T = 20, 1 seed: validation accuracy >= 0.999; negative examples: mean mass on I >= 0.95, every "
        "irrelevant "
        "weight <= 0.05",
        "desk": "2 seeds: validation accuracy >= 0.999; negative examples: mean mass on I >= 0.99, every irrelevant "
        "weight "
        "<= 0.01",
        "paper": "at least 9 of 10 seeds: validation accuracy >= 0.999; negative examples: mean mass on I >= 0.99, "
        "every "
        "irrelevant weight <= 0.01",
    },
)
SPARSE_PRINTED = Claim(
    id="E3-printed",
    source="Edelman, Goel, Kakade, Zhang 2022, figure 3 (right), caption, of all examples",
    statement="The attention weights vanish on irrelevant positions.",
    kind="errata",
    criterion="positive examples, every seed: every irrelevant weight <= 0.05",
)
SELECTED = Claim(
    id="E3-selected",
    source="Edelman 2024, section 4.5: variable creation by selection",
    statement="The relevant positions can be read off the attention of the trained net.",
    kind="experiment",
    criterion="the 3 positions with the largest mean weight over negative examples are I, in every seed",
)


def sweep(scale: str) -> ay.Sweep:
    length, size, count, budget = GRID[scale]
    trial = TRIAL.replace(
        task=ay.SparseBoolean(n=length, subset=RELEVANT if length == 50 else "random", screened=size),
        net=ay.ClsTransformer(heads=1, d_attention=64),
        data=ay.Offline(samples=size),
        budget=budget,
        solve=ay.Solve(sample=10_000, every=budget),
        record=ay.Record(measures=("eval/error", "train/error", "weights/snapshot"), steps=(budget,)),
    )
    return ay.Sweep(trial, ay.seeds(count))


def table(runs: ay.Runs, scale: str) -> pl.DataFrame:
    errors = dict(runs.curves.sort("step").group_by("trial").agg(pl.last("eval/error")).iter_rows())
    scores = {name: runs.arrays(f"weights/snapshot.scores.{name}") for name in ("zero", "one", "start")}
    rows: list[dict[str, object]] = []
    for trial in sweep(scale).trials():
        if trial.identity not in scores["zero"]:
            continue
        zero, one, start = (scores[name][trial.identity][-1, 0] for name in ("zero", "one", "start"))
        task = trial.task
        assert isinstance(task, ay.SparseBoolean)
        bits = task.bits(trial.seed, "eval", SHOWN, task.draw(trial.seed))
        labels = task.labels(trial.seed, bits)
        relevant = list(task.coordinates(trial.seed))
        weights = attention(bits, zero, one, start)
        rows += _positions(weights, bits, labels, relevant, trial.seed)
        negative = weights[labels == 0]
        rest = np.setdiff1d(np.arange(task.n), relevant)
        chosen = np.sort(np.argsort(negative[:, : task.n].mean(axis=0))[-len(relevant) :])
        rows.append(
            {
                "part": "runs", "seed": trial.seed, "error": errors[trial.identity],
                "mass_negative": float(negative[:, relevant].sum(axis=1).mean()),
                "mass_positive": float(weights[labels == 1][:, relevant].sum(axis=1).mean()),
                "largest_negative": float(negative[:, rest].max()),
                "largest_positive": float(weights[labels == 1][:, rest].max()),
                "on_itself": float(weights[:, -1].mean()),
                "selected": " ".join(str(i + 1) for i in chosen),
                "relevant": " ".join(str(i + 1) for i in relevant),
            }
        )  # fmt: skip
    return pl.DataFrame(rows, infer_schema_length=None)


def attention(bits: np.ndarray, zero: np.ndarray, one: np.ndarray, start: np.ndarray) -> np.ndarray:
    """Softmax of the scores of each example's tokens, the last one [CLS]."""
    scores = np.append(np.where(bits == 1, one, zero), np.broadcast_to(start, (len(bits), 1)), axis=1).astype(
        np.float64
    )
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    return weights / weights.sum(axis=1, keepdims=True)


def _positions(
    weights: np.ndarray, bits: np.ndarray, labels: np.ndarray, relevant: list[int], seed: int
) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    for label, words in ((0, "negative examples"), (1, "positive examples")):
        for bit in (0, 1):
            for position in range(bits.shape[1]):
                seen = weights[(labels == label) & (bits[:, position] == bit), position]
                if seen.size:
                    kind = "relevant" if position in relevant else "irrelevant"
                    rows.append(
                        {
                            "part": "weights", "seed": seed, "label": words, "line": f"{kind}, bit {bit}",
                            "position": position + 1, "mean": float(seen.mean()), "low": float(seen.min()),
                            "high": float(seen.max()), "examples": seen.size,
                        }
                    )  # fmt: skip
    return rows


def figure(table: pl.DataFrame) -> Display:
    shown = table.filter(pl.col("part") == "weights", pl.col("seed") == table["seed"].min())
    shown = shown.sort("label", "line", "position").with_columns(joined=pl.lit(None, pl.Float64))
    return Lines(
        shown, x="position", y="mean", line="line", panel="label", bars=("low", "high"), curve="joined",
        x_label="position", y_label="attention weight of [CLS]",
        title="What a trained head attends to",
        caption=f"Mean and range of the attention weights over {SHOWN} validation examples, by position, label and "
        f"bit; one head "
        "trained on a conjunction of 3 bits, dropout off. Edelman, Goel, Kakade, Zhang 2022, figure 3 (right).",
    )  # fmt: skip


def judge(table: pl.DataFrame, scale: str) -> list[Judgement]:
    runs = table.filter(part="runs")
    least, most = (0.95, 0.05) if scale == "smoke" else (0.99, 0.01)
    met = (pl.col("error") <= 0.001) & (pl.col("mass_negative") >= least) & (pl.col("largest_negative") <= most)
    count = int(runs.select(met.sum()).item())
    wanted = 9 if scale == "paper" else runs.height
    positive = float(runs["largest_positive"].to_numpy().max())
    right = int((runs["selected"] == runs["relevant"]).sum())
    spread = float(runs["mass_positive"].to_numpy().mean())
    return [
        SPARSE.judged(
            count >= wanted, float(runs["mass_negative"].to_numpy().min()), note=f"{count} of {runs.height} seeds"
        ),
        SPARSE_PRINTED.judged(positive <= 0.05, positive, note=f"mean mass on I over positive examples {spread:.2f}"),
        SELECTED.judged(right == runs.height, right / runs.height),
    ]


experiment = Experiment(
    name="attention",
    title="What a trained head attends to",
    source="figure 3 (right)",
    claims=(SPARSE, SPARSE_PRINTED, SELECTED),
    sweep=sweep,
    table=table,
    figure=figure,
    judge=judge,
)
