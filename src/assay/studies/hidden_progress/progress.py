"""Hidden progress at a glance: while loss and error stand still, the weights of the hidden coordinates drift away.

Claim   rho(t) = ||w_t - w_0||_inf rises during the plateau, well above that of a net trained on pure noise, and
        foretells the solve time; the loss moves only when the relevant weights exceed all others.
Source  Barak et al. 2022, figure 3, section 5 and appendix C.3. A sinusoid neuron with bias and without second layer
        (setting xiv) on the (50,3)-parity. The paper gives neither batch nor rate of the figure: 32 and 128, and 0.01
        here. The control has the same configuration with every training label flipped with probability 1/2.
        Where appendix C.3 writes rho([w_t]_i), what it draws are the weights themselves; so do we.
Output  table `progress`, in parts: `run` and `weights` (one run a batch size), `movement` (bands under signal and
        noise), `trials` (one row a run) and `summary` (the numbers of the claims).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import polars as pl
from scipy import stats

import assay as ay
from assay.analysis import bands, correlate, powerlaw, survival
from assay.analysis.neurons import ahead, first_step, last_step
from assay.analysis.paths import path_length
from assay.figures import Display, ProgressMeasure, TrainingCurves, WeightTrajectories, board
from assay.studies import Claim, Experiment, Judgement
from assay.studies.hidden_progress.settings import NETS, WHOLE_SAMPLE
from assay.theory.parity.gaps import relaxed_gap
from assay.theory.parity.sinusoid import sinusoid_gradient

N, K = 50, 3
BATCHES, JUDGED = (32, 128), 128
RUNS = {"smoke": 20, "desk": 1000, "paper": 1000}
EVERY = 10
NOISE_BUDGET = 2000
SIGNAL, NOISE = "parity labels", "pure noise"
MOVEMENT = "weights/movement_linf"

Arrays = Mapping[str, np.ndarray]
"""What was recorded of each trial."""

HIDDEN_PROGRESS = Claim(
    id="E11",
    source="Barak et al. 2022, figure 3 and section 5",
    statement="Weights make progress while loss and accuracy are flat: early movement foretells the solve time and "
    "exceeds that of a noise control, and the loss moves only once relevant weights exceed all others.",
    kind="experiment",
    criterion="batch 128: at the last step with mean accuracy <= 0.52, Spearman(rho, solve time) <= -0.5; median rho "
    "of signal over noise >= 1.8 at 90 % of the 10th-percentile solve time (undecided if its 95 % interval contains "
    "1.8); "
    "in >= 70 % of runs the loss first falls below 0.95 x initial no earlier than (step at which the relevant weights "
    "exceed all others) - 0.1 (solve time); (last step with accuracy < 0.55) / (solve time) >= 0.5 in all solved runs",
)
RANDOM_WALK = Claim(
    id="E12",
    source="Barak et al. 2022, appendix C.3 (heuristic) and figure 3 (right, below)",
    statement="Trained on pure noise, the weights are a random walk: rho(t) grows like the square root of t.",
    kind="experiment",
    criterion="exponent of the median rho(t) under noise in [0.4, 0.65], at batch 32 and 128",
)


def sweeps(scale: str) -> dict[str, ay.Sweep]:
    measures = ("eval/error", "eval/loss", MOVEMENT, "weights/snapshot")
    trial = ay.Trial(
        task=ay.Parity(n=N, k=K),
        net=NETS["xiv"],
        optimiser=ay.SGD(learning_rate=0.01),
        budget=20_000,
        solve=WHOLE_SAMPLE,
        record=ay.Record(measures=measures, every=EVERY),
    )
    control = trial.replace(task=ay.Parity(n=N, k=K, noise=0.5), solve=None, budget=NOISE_BUDGET)
    axes = ay.product(ay.axis("batch", *BATCHES), ay.seeds(RUNS[scale]))
    return {SIGNAL: ay.Sweep(trial, axes), NOISE: ay.Sweep(control, axes)}


def sweep(scale: str) -> ay.Sweep:
    parts = sweeps(scale)
    return parts[SIGNAL] + parts[NOISE]


def table(runs: ay.Runs, scale: str) -> pl.DataFrame:
    condition = pl.when(pl.col("task.noise") > 0).then(pl.lit(NOISE)).otherwise(pl.lit(SIGNAL))
    frame = runs.frame.with_columns(condition=condition)
    curves = runs.curves.join(frame.select("trial", "condition", "batch"), on="trial").sort("trial", "step")
    weights = runs.arrays("weights/snapshot.neuron.weight")
    trials = _trials(curves.filter(condition=SIGNAL), weights, runs.arrays("weights/snapshot.neuron.bias"))
    trials = trials.join(frame.select("trial", survival.solve_time()), on="trial")
    movement = bands.quantile_band(curves, MOVEMENT, by=["batch", "condition"])
    shown = [_shown(trials.filter(batch=batch)) for batch in BATCHES]
    ends = pl.concat(shown).select("batch", end="solve_time")
    parts = {
        "run": pl.concat([_run(curves, row["trial"][0]) for row in shown]),
        "weights": pl.concat([_trajectories(curves, row["trial"][0], weights) for row in shown]),
        "movement": movement.join(ends, on="batch").filter(pl.col("step") <= pl.col("end")).drop("end"),
        "trials": trials,
        "summary": pl.concat(
            [
                _summary(curves.filter(batch=b), trials.filter(batch=b), movement.filter(batch=b), weights)
                for b in BATCHES
            ]
        ),
    }
    return pl.concat([t.with_columns(part=pl.lit(name)) for name, t in parts.items()], how="diagonal_relaxed")


def _shown(trials: pl.DataFrame) -> pl.DataFrame:
    """The run whose solve time is the median's."""
    return trials.sort("solve_time", "trial")[(trials.height - 1) // 2]


def _run(curves: pl.DataFrame, trial: str) -> pl.DataFrame:
    rows = curves.filter(trial=trial)
    null = pl.lit(None, pl.Float64)
    curve = rows.unpivot(["eval/loss", "eval/error"], index=["batch", "trial", "step"], variable_name="measure")
    return curve.with_columns(low=null, high=null)


def _trajectories(curves: pl.DataFrame, trial: str, weights: Arrays) -> pl.DataFrame:
    rows = curves.filter(trial=trial)
    steps = rows["step"].to_list()
    return pl.DataFrame(
        {
            "step": np.repeat(steps, N),
            "coordinate": np.tile(np.arange(N), len(steps)),
            "value": weights[trial].reshape(-1),
        }
    ).with_columns(relevant=pl.col("coordinate") < K, batch=pl.lit(rows["batch"][0], pl.Int64))


def _trials(curves: pl.DataFrame, weights: Arrays, biases: Arrays) -> pl.DataFrame:
    """One row a run: when the plateau ended, when the loss first moved, when relevant weights exceeded all others, and
    the Fourier gap of the gradient of the population at the first weights."""
    rows = []
    for (trial, batch), run in curves.group_by(["trial", "batch"], maintain_order=True):
        steps, loss, error = (run[name].to_numpy() for name in ("step", "eval/loss", "eval/error"))
        path = weights[str(trial)]
        gradient, _ = sinusoid_gradient(path[0].astype(np.float64), float(biases[str(trial)][0]), range(K))
        rows.append(
            {
                "trial": trial,
                "batch": batch,
                "plateau_end": float(last_step(steps, error > 0.45)),
                "loss_moved": float(first_step(steps, loss < 0.95 * loss[0])),
                "relevant_ahead": float(first_step(steps, ahead(path, range(K)))),
                "gap": float(relaxed_gap(gradient[None], range(K))[0]),
            }
        )
    return pl.DataFrame(rows)


def _summary(curves: pl.DataFrame, trials: pl.DataFrame, movement: pl.DataFrame, weights: Arrays) -> pl.DataFrame:
    """The numbers of the claims at one batch size: one row a quantity."""
    signal = curves.filter(condition=SIGNAL)
    flat = _last_flat_step(signal)
    early = signal.filter(step=flat).join(trials.select("trial", "solve_time", "gap"), on="trial")
    rank, gap = (correlate.spearman(early, x, "solve_time").row(0, named=True) for x in (MOVEMENT, "gap"))
    tenth = float(np.quantile(trials["solve_time"].to_numpy(), 0.1))
    at = int(0.9 * tenth // EVERY * EVERY)
    moved = _until(curves, at)
    lengths = [float(path_length(weights[trial][: at // EVERY + 1])[-1]) for trial in moved["trial"]]
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
        ("spearman of the gap", gap["rho"], gap["rho_low"], gap["rho_high"], 0),
        ("signal over noise", *_signal_over_noise(moved, MOVEMENT), at),
        (
            "path length, signal over noise",
            *_signal_over_noise(moved.with_columns(length=pl.Series(lengths)), "length"),
            at,
        ),
        ("loss moves after weights", in_order, None, None, None),
        ("smallest plateau fraction", plateau, None, None, None),
        ("exponent under noise", walk.exponent, walk.exponent_low, walk.exponent_high, None),
    ]
    frame = pl.DataFrame(rows, schema=columns, orient="row", infer_schema_length=None)
    return frame.with_columns(batch=pl.lit(curves["batch"][0], pl.Int64))


def _until(curves: pl.DataFrame, step: int) -> pl.DataFrame:
    """The last row of each run up to a step; a run that was solved earlier counts with its last movement."""
    return curves.filter(pl.col("step") <= step).group_by("trial", maintain_order=True).last()


def _signal_over_noise(rows: pl.DataFrame, value: str) -> tuple[float, float, float]:
    """Ratio of the medians under signal and noise, with a 95 % bootstrap interval over runs."""
    samples = [rows.filter(condition=c)[value].to_numpy() for c in (SIGNAL, NOISE)]

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
    rows = [_row({name: rows.filter(batch=batch) for (name,), rows in part.items()}, batch) for batch in BATCHES]
    return board(
        *(display for row in rows for display in row),
        columns=3,
        title="Hidden progress: a sinusoid neuron learns a parity of 3 out of 50 bits",
        caption="Left: loss and error of the run with the median solve time. Middle: its weights; those of the hidden "
        "coordinates are named. Right: median and 10-90 % band over runs of the largest movement of a weight, under "
        "parity labels and under pure noise. Learning rate 0.01, batch 32 above and 128 below. Barak et al. 2022, "
        "figure 3.",
    )


def _row(part: Mapping[str, pl.DataFrame], batch: int) -> tuple[Display, Display, Display]:
    return (
        TrainingCurves(
            part["run"],
            title=f"One run, B = {batch}",
            labels={"eval/error": "error", "eval/loss": "loss"},
            y_label="held-out loss and error",
        ),
        WeightTrajectories(part["weights"], title="Its weights"),
        ProgressMeasure(
            part["movement"], title="Movement of the weights", y_label=r"$\rho(t)=\|w_t-w_0\|_\infty$"
        ),
    )  # fmt: skip


def judge(table: pl.DataFrame, scale: str) -> list[Judgement]:
    summary = table.filter(part="summary")
    numbers = {row["quantity"]: row for row in summary.filter(batch=JUDGED).rows(named=True)}
    rank, gap, ratio = (numbers[name] for name in ("spearman", "spearman of the gap", "signal over noise"))
    in_order = numbers["loss moves after weights"]["value"]
    plateau = numbers["smallest plateau fraction"]["value"]
    others = rank["value"] <= -0.5 and in_order >= 0.7 and plateau >= 0.5
    unclear = ratio["low"] < 1.8 <= ratio["high"]
    note = (
        f"value: signal over noise at step {ratio['step']:.0f} (path lengths: "
        f"{numbers['path length, signal over noise']['value']:.2f}); Spearman {rank['value']:.2f} at step "
        f"{rank['step']:.0f}, of the Fourier gap {gap['value']:.2f} at step 0; loss after weights in {in_order:.0%} of "
        f"runs; smallest plateau fraction {plateau:.2f}"
    )
    walks = summary.filter(quantity="exponent under noise").sort((pl.col("value") - 0.5).abs()).rows(named=True)
    return [
        HIDDEN_PROGRESS.judged(
            None if others and unclear else others and ratio["value"] >= 1.8,
            ratio["value"],
            (ratio["low"], ratio["high"]),
            note,
        ),
        RANDOM_WALK.judged(
            all(0.4 <= walk["value"] <= 0.65 for walk in walks),
            walks[-1]["value"],
            (walks[-1]["low"], walks[-1]["high"]),
            f"value: exponent further from 1/2, at batch {walks[-1]['batch']}",
        ),
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
