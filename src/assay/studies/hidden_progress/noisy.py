"""Noisy parities: labels of the training examples are flipped with probability p; the net still finds the hidden bits.

Claim   the noiseless parity is learnt from noisy labels, later the more of them are flipped; with p = 0.49 accuracy
        still leaves chance.
Source  Barak et al. 2022, appendix C.6 and figure 16: ReLU net of width 100, (50,3), learning rate 0.1, several batch
        sizes and noise levels up to 0.49, which it does not all name; those here are a choice. p is the probability of
        a flip: the text has p = 1/2 - eps, the caption eps = 1 - 2p. Errors are always on noiseless labels, and runs
        go on to the end of their budget: at a constant learning rate the iterates need not settle.
Output  table `noisy`, in three parts: `curves` (single runs, median and band of the held-out error), `trials` (the
        step at which a run first answers 98 % of the held-out sample, its lowest and its last error) and `times`
        (quantiles of that step for each batch size and p).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

import assay as ay
from assay.analysis import bands, survival
from assay.figures import CurveGrid, Display
from assay.studies import Claim, Experiment, Judgement
from assay.studies.hidden_progress.curves import first_step
from assay.studies.hidden_progress.settings import NETS

LEARNT = 0.02
"""Error on noiseless labels below which the parity counts as learnt."""

GRID: Mapping[str, tuple[Sequence[int], Sequence[float], int, int, int]] = {
    # batch sizes, flip probabilities, runs, budget, steps between records
    "smoke": ((128,), (0.0, 0.1, 0.2), 3, 12_000, 200),
    "desk": ((32, 128), (0.0, 0.1, 0.2, 0.3, 0.4), 5, 30_000, 200),
    "paper": ((32, 128, 1024), (0.0, 0.1, 0.2, 0.3, 0.4, 0.45, 0.49), 5, 1_000_000, 2000),
}
LATEST = {0.0: 3750, 0.1: 7500, 0.2: 12_000}
"""Steps to 98 % at batch 128: 2500, 5000, 8000 and half as much again."""

_CRITERION = (
    "batch 128, p = 0, 0.1, 0.2: median first step with noiseless accuracy >= 98 % at most 3750, 7500, 12,000, "
)
_CRITERION += "and increasing with p"
LEARNT_FROM_NOISE = Claim(
    id="E16",
    source="Barak et al. 2022, appendix C.6 and figure 16",
    statement="Parities are learnt from noisy labels, later the noisier they are, up to flips with probability 0.49.",
    kind="experiment",
    criterion={
        "smoke": _CRITERION,
        "desk": _CRITERION,
        "paper": _CRITERION + "; p = 0.49, batch 1024: lowest error < 0.45 in the median run",
    },
)


def sweep(scale: str) -> ay.Sweep:
    batches, flips, runs, budget, every = GRID[scale]
    trial = ay.Trial(
        task=ay.Parity(n=50, k=3),
        net=NETS["ii"],
        optimiser=ay.SGD(learning_rate=0.1),
        batch=batches[0],
        budget=budget,
        solve=None,
        record=ay.Record(measures=("eval/error",), every=every),
    )
    return ay.Sweep(trial, ay.axis("batch", *batches), ay.axis("task.noise", *flips), ay.seeds(runs))


def table(runs: ay.Runs, scale: str) -> pl.DataFrame:
    cells = runs.frame.select("trial", "batch", "budget", flip="task.noise").sort("batch", "flip", maintain_order=True)
    curves = runs.curves.join(cells, on="trial")
    drawn = bands.examples_and_band(curves, ["eval/error"], by=["batch", "flip"], examples=3)
    errors = curves.sort("step").group_by("trial").agg(lowest=pl.min("eval/error"), last=pl.last("eval/error"))
    learnt = first_step(curves, pl.col("eval/error") <= LEARNT, "learnt_step")
    trials = cells.join(learnt, on="trial", how="left").join(errors, on="trial", maintain_order="left")
    events = trials.with_columns(
        outcome=pl.when(pl.col("learnt_step").is_null()).then(pl.lit("censored")).otherwise(pl.lit("solved")),
        step=pl.col("learnt_step").fill_null(pl.col("budget")),
    )
    times = survival.summary(events, by=["batch", "flip"])
    return pl.concat(
        [
            drawn.with_columns(part=pl.lit("curves"), chance=pl.lit(0.5)),
            trials.with_columns(part=pl.lit("trials")),
            times.with_columns(part=pl.lit("times")),
        ],
        how="diagonal_relaxed",
    )


def figure(table: pl.DataFrame) -> Display:
    curves = table.filter(part="curves")
    words = {str(batch): f"B = {batch}" for batch in curves["batch"].unique()}
    words |= {str(flip): f"p = {flip:g}" for flip in curves["flip"].unique()}
    return CurveGrid(
        curves,
        row="batch",
        column="flip",
        y_label="held-out error",
        labels=words | {"eval/error": "error on noiseless labels"},
        title="Learning a parity of 3 out of 50 bits from noisy labels",
        caption="Single runs (thin), their median and 10-90 % band against the steps of SGD: error on 8,192 held-out "
        "examples without noise. B is the batch size, p the probability that a training label is flipped. ReLU net of "
        "width 100, learning rate 0.1. Barak et al. 2022, figure 16.",
    )


def judge(table: pl.DataFrame, scale: str) -> list[Judgement]:
    times = table.filter(pl.col("part") == "times", pl.col("batch") == 128, pl.col("flip").is_in(list(LATEST)))
    rows = times.sort("flip").select("flip", "q50", "q50_low", "q50_high").rows()
    medians = [middle for _, middle, _, _ in rows]
    holds = None not in medians and medians == sorted(set(medians))
    holds &= all(middle is not None and middle <= LATEST[flip] for flip, middle, _, _ in rows)
    if scale == "paper":
        noisiest = table.filter(pl.col("part") == "trials", pl.col("batch") == 1024, pl.col("flip") == 0.49)
        holds &= bool(noisiest.select(pl.col("lowest").median() < 0.45).item())
    words = "; ".join(f"p = {flip:g}: {'never' if middle is None else f'{middle:.0f}'}" for flip, middle, _, _ in rows)
    _, middle, low, high = rows[-1]
    interval = None if middle is None else (low, float("inf") if high is None else high)
    return [LEARNT_FROM_NOISE.judged(holds, middle, interval, f"value: median steps at p = 0.2. {words}")]


experiment = Experiment(
    name="noisy",
    title="Noisy parities",
    source="appendix C.6 and figure 16",
    claims=(LEARNT_FROM_NOISE,),
    sweep=sweep,
    table=table,
    figure=figure,
    judge=judge,
)
