"""Which layer is ahead on the plateau: layers of the end, transplanted into the net of the plateau.

Claim   on the plateau the second layer is further along than the first: what is missing is mostly the first.
Source  Section 8.3.1 of Edelman 2024 (dissertation; Edelman et al. 2024), "2nd layer is learnt first", of which it says
        that the evidence is not so clear in the Transformer. Attention maps cannot tell, since what the second layer
        does depends on the first; so one layer of the end of the run replaces that of the plateau, and the loss of the
        hybrid tells what the other was worth. The plateau is half-way between the first loss near the unigram line and
        the fall. Embedding and output are those of the plateau. Layers of one run grow up together, so a bad hybrid may
        also be a bad match.
Output  table `transplant`, in parts: `trials` (loss of the net of the plateau, of the hybrids and of the net of the
        end, run by run) and `medians` (the same over runs, with smallest and largest).
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import polars as pl

import assay as ay
from assay.figures import Display, HeatTable
from assay.maths import markov, streams
from assay.studies import Experiment, Judgement
from assay.studies.induction_heads.phases import trials
from assay.studies.induction_heads.settings import WORDS, claim, curves, joined, transformers

Weights = dict[str, dict[str, np.ndarray]]
SEQUENCES = 2000
HYBRIDS = {
    "plateau": (),
    "first layer of the end": ("layer_0",),
    "second layer of the end": ("layer_1",),
    "both layers of the end": ("layer_0", "layer_1"),
    "end": ("",),
}
"""What is taken from the end, by the beginnings of names of parameters."""

AHEAD = claim(
    "A18-transplant",
    "section 8.3.1",
    "On the plateau the second layer of the Transformer is ahead: with the first layer of the end the net of the "
    "plateau predicts better than with the second.",
    {
        "smoke": "small: loss with the first layer of the end < with the second in at least 3 of 4 runs",
        "desk": "small, two, three, each: loss with the first layer of the end < with the second in at least 80 % of "
        "the runs",
        "paper": "small, two, three, each: loss with the first layer of the end < with the second in at least 80 % of "
        "the runs",
    },
)
SMALLEST = {"smoke": 0.75, "desk": 0.8, "paper": 0.8}


def sweep(scale: str) -> ay.Sweep:
    return joined(transformers(scale))


def table(runs: ay.Runs, scale: str) -> pl.DataFrame:
    sweeps = transformers(scale)
    rows = curves(runs, sweeps)
    found = {trial.identity: trial for sweep in sweeps.values() for trial in sweep.trials()}
    weights = runs.weights()
    lines = []
    for run in trials(rows).drop_nulls("drop").rows(named=True):
        identity = run["trial"]
        steps = rows.filter(trial=identity)["step"].to_list()
        middle = min(steps, key=lambda step: abs(step - (run["plateau_start"] + run["drop"]) / 2))
        plateau, end = (_at(weights[identity], record) for record in (steps.index(middle), -1))
        losses = hybrids(found[identity], plateau, end)
        lines += [
            {"trial": identity, "runs": run["runs"], "seed": run["seed"], "step": middle, "hybrid": name, "loss": loss}
            for name, loss in losses.items()
        ]
    single = pl.DataFrame(lines)
    loss = pl.col("loss")
    medians = single.group_by("runs", "hybrid", maintain_order=True).agg(
        loss=loss.median(), low=loss.min(), high=loss.max(), n=pl.len()
    )
    return pl.concat(
        [single.with_columns(part=pl.lit("trials")), medians.with_columns(part=pl.lit("medians"))],
        how="diagonal_relaxed",
    )


def hybrids(trial: ay.Trial, plateau: Weights, end: Weights) -> dict[str, float]:
    """Test loss of each hybrid."""
    loss = jax.jit(lambda params: _loss(trial, params))
    return {
        name: float(loss({layer: (end if layer.startswith(taken) else plateau)[layer] for layer in plateau}))
        for name, taken in HYBRIDS.items()
    }


def _at(layers: Weights, record: int) -> Weights:
    return jax.tree.map(lambda array: array[record], layers)


def _loss(trial: ay.Trial, params: Any) -> Any:
    """KL(truth || net) at the last position, on sequences that no run has seen."""
    task: Any = trial.task
    net: Any = trial.learner
    key, index = streams.stream(trial.seed, "eval"), jnp.arange(SEQUENCES, dtype=jnp.uint32)
    x, _ = task.examples((), key, index)
    true = task.truth(task.chains(key, index), x)
    return jnp.mean(markov.divergence(true, jax.nn.softmax(net.last(params, x)[0], axis=-1)))


def figure(table: pl.DataFrame) -> Display:
    ends = (pl.col(end).round(3).cast(pl.String).str.pad_end(5, "0") for end in ("loss", "low", "high"))
    cells = table.filter(part="medians").select("runs", "hybrid", "loss", text=pl.format("{} ({} to {})", *ends))
    cells = cells.sort(pl.col("runs").replace_strict({name: i for i, name in enumerate(WORDS)}), maintain_order=True)
    return HeatTable(
        cells,
        row="hybrid",
        column="runs",
        value="loss",
        centre=None,
        scale="linear",
        labels={"end": "net of the end", "plateau": "net of the plateau", "runs": "runs", "hybrid": "net"},
        title="What the plateau lacks",
        caption="Test loss of nets half-way along the plateau, of the same nets with layers of the end of their run in "
        "the place of their own, and of the end: median over runs, smallest and largest. Embedding and output are "
        "those of the plateau. Edelman et al. 2024, section 8.3.1.",
    )


def judge(table: pl.DataFrame, scale: str) -> list[Judgement]:
    losses = table.filter(part="trials").pivot("hybrid", index=["runs", "seed"], values="loss", maintain_order=True)
    ahead = losses["first layer of the end"] < losses["second layer of the end"]
    shares = losses.with_columns(ahead=ahead).group_by("runs", maintain_order=True).agg(pl.col("ahead").mean())
    medians = losses.group_by("runs", maintain_order=True).agg(pl.col(name).median() for name in HYBRIDS)
    words = "; ".join(
        f"{row['runs']}: " + ", ".join(f"{name} {row[name]:.3f}" for name in HYBRIDS)
        for row in medians.rows(named=True)
    )
    least = float(shares["ahead"].min())  # type: ignore[arg-type]
    return [AHEAD.judged(least >= SMALLEST[scale], least, None, f"value: smallest fraction of runs. {words}")]


experiment = Experiment(
    name="transplant",
    title="Which layer is ahead",
    source="section 8.3.1",
    claims=(AHEAD,),
    sweep=sweep,
    table=table,
    figure=figure,
    judge=judge,
    runs="transformers",
)
