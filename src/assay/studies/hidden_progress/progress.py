"""Hidden progress at a glance: while loss and error stand still, the weights of the hidden coordinates drift away.

Claim   rho(t) = ||w_t - w_0||_inf rises during the plateau, well above that of a net trained on pure noise, and
        foretells the solve time; the loss moves only when the relevant weights exceed all others.
Source  Barak et al. 2022, figure 3 and section 3. A sinusoid neuron with bias and without second layer (setting xiv) on
        the (50,3)-parity. The paper does not give batch and rate of the figure: 128 and 0.01 here. The control has the
        same configuration with every training label flipped with probability 1/2.
Output  table `progress`, in parts: `run` and `weights` (one run), `movement` (bands under signal and noise), `trials`
        (one row a run) and `summary` (the numbers of the claims).
"""

from __future__ import annotations

import math

import numpy as np
import polars as pl
from scipy import stats

import assay as ay
from assay.analysis import bands, correlate, powerlaw, survival
from assay.figures import Display, ProgressMeasure, TrainingCurves, WeightTrajectories, board
from assay.studies import Claim, Experiment, Judgement
from assay.studies.hidden_progress.settings import NETS, WHOLE_SAMPLE

N, K = 50, 3
RUNS = {"smoke": 20, "desk": 200, "paper": 1000}
EVERY = 10
NOISE_BUDGET = 2000
SIGNAL, NOISE = "parity labels", "pure noise"

HIDDEN_PROGRESS = Claim(
    id="E11",
    source="Barak et al. 2022, figure 3 and section 3",
    statement="Weights make progress while loss and accuracy are flat: early movement foretells the solve time and "
    "exceeds that of a noise control, and the loss moves only once relevant weights exceed all others.",
    kind="experiment",
    criterion="at the last step with mean accuracy <= 0.52, Spearman(rho, solve time) <= -0.5; median rho of signal "
    "over noise >= 1.8 at 90 % of the 10th-percentile solve time (undecided if its 95 % interval contains 1.8); in "
    ">= 70 % of runs the loss first falls below 0.95 x initial no earlier than (step at which the relevant weights "
    "exceed all others) - 0.1 (solve time); (last step with accuracy < 0.55) / (solve time) >= 0.5 in all solved runs",
)
RANDOM_WALK = Claim(
    id="E12",
    source="Barak et al. 2022, section 3 (heuristic) and figure 3 (right, below)",
    statement="Trained on pure noise, the weights are a random walk: rho(t) grows like the square root of t.",
    kind="experiment",
    criterion="exponent of the median rho(t) under noise in [0.4, 0.65]",
)


def sweeps(scale: str) -> dict[str, ay.Sweep]:
    measures = ("eval/error", "eval/loss", "weights/movement_linf", "weights/first_layer")
    trial = ay.Trial(
        task=ay.Parity(n=N, k=K),
        net=NETS["xiv"],
        optimiser=ay.SGD(learning_rate=0.01),
        batch=128,
        budget=20_000,
        solve=WHOLE_SAMPLE,
        record=ay.Record(measures=measures, every=EVERY),
    )
    control = trial.replace(task=ay.Parity(n=N, k=K, noise=0.5), solve=None, budget=NOISE_BUDGET)
    seeds = ay.seeds(RUNS[scale])
    return {SIGNAL: ay.Sweep(trial, seeds), NOISE: ay.Sweep(control, seeds)}


def sweep(scale: str) -> ay.Sweep:
    parts = sweeps(scale)
    return parts[SIGNAL] + parts[NOISE]


def table(runs: ay.Runs, scale: str) -> pl.DataFrame:
    condition = pl.when(pl.col("task.noise") > 0).then(pl.lit(NOISE)).otherwise(pl.lit(SIGNAL))
    frame = runs.frame.with_columns(condition=condition)
    curves = runs.curves.join(frame.select("trial", "condition"), on="trial")
    signal = frame.filter(condition=SIGNAL)
    weights = runs.arrays("weights/first_layer")
    solve_times = signal.select("trial", survival.solve_time())
    trials = _trials(curves.filter(condition=SIGNAL), solve_times, weights)
    movement = bands.quantile_band(curves, "weights/movement_linf", by=["condition"])
    last = np.quantile(solve_times["solve_time"], 0.5, method="nearest")
    parts = {
        **_one_run(curves, solve_times, weights),
        "movement": movement.filter(pl.col("step") <= last),
        "trials": trials,
        "summary": _summary(curves, trials, solve_times, movement),
    }
    return pl.concat([t.with_columns(part=pl.lit(name)) for name, t in parts.items()], how="diagonal_relaxed")


def _one_run(
    curves: pl.DataFrame, solve_times: pl.DataFrame, weights: dict[str, np.ndarray]
) -> dict[str, pl.DataFrame]:
    """Loss, error and weights of the run whose solve time is the median's."""
    ordered = solve_times.sort("solve_time", "trial")
    trial = ordered["trial"][(ordered.height - 1) // 2]
    rows = curves.filter(trial=trial).sort("step")
    null = pl.lit(None, pl.Float64)
    curve = rows.unpivot(["eval/loss", "eval/error"], index=["trial", "step"], variable_name="measure")
    steps = rows["step"].to_list()
    trajectories = pl.DataFrame(
        {
            "step": np.repeat(steps, N),
            "coordinate": np.tile(np.arange(N), len(steps)),
            "value": weights[trial].reshape(-1),
        }
    ).with_columns(relevant=pl.col("coordinate") < K)
    return {"run": curve.with_columns(low=null, high=null), "weights": trajectories}


def _trials(curves: pl.DataFrame, solve_times: pl.DataFrame, weights: dict[str, np.ndarray]) -> pl.DataFrame:
    """One row a run: when the plateau ended, when the loss first moved, when relevant weights exceeded all others."""
    rows = []
    for (trial,), run in curves.sort("step").group_by(["trial"], maintain_order=True):
        steps, loss, error = (run[name].to_numpy() for name in ("step", "eval/loss", "eval/error"))
        size = np.abs(weights[str(trial)])
        ahead = size[:, :K].min(axis=1) > size[:, K:].max(axis=1)
        rows.append(
            {
                "trial": trial,
                "plateau_end": _last(steps, error > 0.45),
                "loss_moved": _first(steps, loss < 0.95 * loss[0]),
                "relevant_ahead": _first(steps, ahead),
            }
        )
    return pl.DataFrame(rows).join(solve_times, on="trial")


def _first(steps: np.ndarray, holds: np.ndarray) -> float:
    return float(steps[holds][0]) if holds.any() else math.inf


def _last(steps: np.ndarray, holds: np.ndarray) -> float:
    return float(steps[holds][-1]) if holds.any() else 0.0


def _summary(
    curves: pl.DataFrame, trials: pl.DataFrame, solve_times: pl.DataFrame, movement: pl.DataFrame
) -> pl.DataFrame:
    """The numbers that the claims are judged by: one row a quantity."""
    signal = curves.filter(condition=SIGNAL)
    flat = _last_flat_step(signal)
    early = signal.filter(step=flat).join(solve_times, on="trial")
    rank = correlate.spearman(early, "weights/movement_linf", "solve_time").row(0, named=True)
    tenth = float(np.quantile(solve_times["solve_time"].to_numpy(), 0.1))
    at = int(0.9 * tenth // EVERY * EVERY)
    ratio = _signal_over_noise(curves, at)
    order = trials.filter(pl.col("solve_time").is_finite())
    in_order = order.select(
        (pl.col("loss_moved") >= pl.col("relevant_ahead") - 0.1 * pl.col("solve_time")).mean()
    ).item()
    plateau = order.select((pl.col("plateau_end") / pl.col("solve_time")).min()).item()
    noise = movement.filter((pl.col("condition") == NOISE) & (pl.col("step") > 0))
    walk = powerlaw.fit(noise["step"].to_numpy(), noise["q50"].to_numpy())
    columns = ("quantity", "value", "low", "high", "step")
    rows = [
        ("spearman", rank["rho"], rank["rho_low"], rank["rho_high"], flat),
        ("signal over noise", *ratio, at),
        ("loss moves after weights", in_order, None, None, None),
        ("smallest plateau fraction", plateau, None, None, None),
        ("exponent under noise", walk.exponent, walk.exponent_low, walk.exponent_high, None),
    ]
    return pl.DataFrame(rows, schema=columns, orient="row", infer_schema_length=None)


def _signal_over_noise(curves: pl.DataFrame, step: int) -> tuple[float, float, float]:
    """Ratio of the median movements under signal and noise, with a 95 % bootstrap interval over runs; a run that was
    solved earlier counts with its last movement."""
    rows = curves.filter(pl.col("step") <= step).sort("step").group_by("trial", "condition").last()
    rows = rows.sort("trial")
    samples = [rows.filter(condition=c)["weights/movement_linf"].to_numpy() for c in (SIGNAL, NOISE)]

    def ratio(signal: np.ndarray, noise: np.ndarray, axis: int) -> np.ndarray:
        return np.median(signal, axis=axis) / np.median(noise, axis=axis)

    spread = stats.bootstrap(samples, ratio, paired=False, method="percentile", rng=np.random.default_rng(0))
    low, high = spread.confidence_interval
    return float(ratio(*samples, axis=-1)), float(low), float(high)


def _last_flat_step(signal: pl.DataFrame) -> int:
    """The last recorded step, with all runs still training, up to which the mean accuracy is at most 0.52."""
    runs = signal["trial"].n_unique()
    mean = signal.group_by("step").agg(accuracy=1 - pl.col("eval/error").mean(), runs=pl.len()).sort("step")
    ended = mean.filter((pl.col("accuracy") > 0.52) | (pl.col("runs") < runs))
    end = ended["step"].to_numpy().min(initial=np.iinfo(np.int64).max)
    return int(mean.filter(pl.col("step") < end)["step"].to_numpy().max())


def figure(table: pl.DataFrame) -> Display:
    part = dict(table.partition_by("part", as_dict=True, include_key=False))
    return board(
        TrainingCurves(
            part["run",],
            title="One run",
            labels={"eval/error": "error", "eval/loss": "loss"},
            y_label="held-out loss and error",
        ),
        WeightTrajectories(part["weights",], title="Its weights"),
        ProgressMeasure(
            part["movement",],
            title="Movement of the weights",
            y_label=r"$\rho(t)=\|w_t-w_0\|_\infty$",
        ),
        columns=3,
        title="Hidden progress: a sinusoid neuron learns a parity of 3 out of 50 bits",
        caption="Left: loss and error of the run with the median solve time. Middle: its weights; those of the hidden "
        "coordinates are named. Right: median and 10-90 % band over runs of the largest movement of a weight, under "
        "parity labels and under pure noise. Batch 128, learning rate 0.01. Barak et al. 2022, figure 3.",
    )


def judge(table: pl.DataFrame, scale: str) -> list[Judgement]:
    numbers = {row["quantity"]: row for row in table.filter(part="summary").rows(named=True)}
    rank, ratio, walk = (numbers[name] for name in ("spearman", "signal over noise", "exponent under noise"))
    in_order = numbers["loss moves after weights"]["value"]
    plateau = numbers["smallest plateau fraction"]["value"]
    others = rank["value"] <= -0.5 and in_order >= 0.7 and plateau >= 0.5
    unclear = ratio["low"] < 1.8 <= ratio["high"]
    note = (
        f"value: signal over noise at step {ratio['step']:.0f}; Spearman {rank['value']:.2f} at step "
        f"{rank['step']:.0f}; loss after weights in {in_order:.0%} of runs; smallest plateau fraction {plateau:.2f}"
    )
    return [
        HIDDEN_PROGRESS.judged(
            None if others and unclear else others and ratio["value"] >= 1.8,
            ratio["value"],
            (ratio["low"], ratio["high"]),
            note,
        ),
        RANDOM_WALK.judged(0.4 <= walk["value"] <= 0.65, walk["value"], (walk["low"], walk["high"])),
    ]


experiment = Experiment(
    name="progress",
    title="Hidden progress at a glance",
    source="figure 3",
    claims=(HIDDEN_PROGRESS, RANDOM_WALK),
    sweep=sweep,
    table=table,
    figure=figure,
    judge=judge,
)
