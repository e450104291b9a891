"""Weights on their way, at batch sizes from 1 to 128 and in a layer of ten neurons.

Claim   at every batch size the loss moves only once the relevant weights exceed all others, while rho(t) =
        max |W_t - W_0| has been rising on the plateau; in a layer the neurons get there one after the other.
Source  Barak et al. 2022, figure 13, appendices C.2 and C.3: a sinusoid neuron (xiv) at several batch sizes, 1 and 4
        among them, with losses of single steps averaged over windows of 16 and 4, and a ReLU net of width 10 (i). The
        paper gives neither n nor learning rates: (50,3) here; at batch 1 and 4 smaller rates, since with 0.01 no run,
        or 13 of 20, are solved.
Output  table `trajectories`, in parts: `curves` and `weights` (the run with seed 0 of each panel), `trials` (one row a
        run) and `summary` (one row a panel).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

import numpy as np
import polars as pl
from scipy import stats

import assay as ay
from assay.analysis import survival
from assay.analysis.neurons import ahead, first_step, last_step, solve_order
from assay.analysis.paths import moving_mean
from assay.analysis.quantiles import bootstrap_quantiles, percentile_interval
from assay.figures import Display, TwinCurves, WeightTrajectories, board
from assay.studies import Claim, Experiment, Judgement
from assay.studies.hidden_progress.settings import NETS, WHOLE_SAMPLE, labels

N, K = 50, 3
RUNS = {"smoke": 12, "desk": 200, "paper": 1000}
DRAWN = 240
"""Points of a drawn curve."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Panel:
    """A setting, the window of its drawn loss, the steps between records of the judged runs, the records drawn."""

    net: str
    batch: int
    rate: float
    budget: int
    window: int = 1
    every: int = 10
    drawn_weights: int = 60


LAYER = "ReLU-10, B = 32"
PANELS: Mapping[str, Panel] = {
    "sinusoid, B = 1": Panel(net="xiv", batch=1, rate=0.001, budget=40_000, window=16, every=50),
    "sinusoid, B = 4": Panel(net="xiv", batch=4, rate=0.004, budget=20_000, window=4, every=20),
    "sinusoid, B = 128": Panel(net="xiv", batch=128, rate=0.01, budget=10_000),
    LAYER: Panel(net="i", batch=32, rate=0.5, budget=10_000, drawn_weights=45),
}

LOSS_FOLLOWS = Claim(
    id="E11-batches",
    source="Barak et al. 2022, figure 13 and appendix C.3",
    statement="At every batch size, and in a layer, the loss moves only once the relevant weights of a neuron exceed "
    "all its others.",
    kind="experiment",
    criterion="in each of the four panels at least half of the runs are solved, and in >= 70 % of these the held-out "
    "loss first falls below 0.95 x initial no earlier than (step at which the relevant weights, in the layer those of "
    "its first neuron, exceed all others) - 0.1 (solve time)",
)
RISING = Claim(
    id="E11-rising",
    source="Barak et al. 2022, figure 13 and appendix C.3",
    statement="The movement of the weights rises during the plateau, in the end faster than that of a random walk.",
    kind="experiment",
    criterion="sinusoid neuron, at each batch size: median over solved runs of rho(end of plateau) / rho(half of it) "
    ">= 2^(1/2), which a walk has; the plateau ends at the last record with error > 0.45; undecided if a 95 % interval "
    "contains it",
)
ONE_BY_ONE = Claim(
    id="E11-neurons",
    source="Barak et al. 2022, appendix C.2 and figure 13",
    statement="The neurons of a layer find the hidden coordinates one after the other.",
    kind="experiment",
    criterion="ReLU net of width 10: in >= 70 % of the solved runs the second neuron whose relevant weights exceed all "
    "its others gets there at least 0.05 (solve time) after the first, or none does",
)


def sweeps(scale: str) -> dict[str, tuple[ay.Sweep, ay.Sweep]]:
    """For each panel: the run that is drawn, recorded at every step, and the runs that are judged."""
    found = {}
    for name, panel in PANELS.items():
        trial = ay.Trial(
            task=ay.Parity(n=N, k=K),
            net=NETS[panel.net],
            optimiser=ay.SGD(learning_rate=panel.rate),
            batch=panel.batch,
            budget=panel.budget,
            solve=WHOLE_SAMPLE,
        )
        weights = ("weights/movement_linf", "weights/first_layer")
        drawn = trial.replace(record=ay.Record(measures=("train/loss", *weights), every=1))
        judged = trial.replace(record=ay.Record(measures=("eval/loss", "eval/error", *weights), every=panel.every))
        found[name] = (ay.Sweep(drawn, ay.seeds(1)), ay.Sweep(judged, ay.seeds(RUNS[scale])))
    return found


def sweep(scale: str) -> ay.Sweep:
    first, *rest = [part for parts in sweeps(scale).values() for part in parts]
    return sum(rest, first)


def table(runs: ay.Runs, scale: str) -> pl.DataFrame:
    parts = sweeps(scale)
    drawn = labels("panel", {name: drawn for name, (drawn, _) in parts.items()})
    judged = labels("panel", {name: judged for name, (_, judged) in parts.items()})
    weights = runs.arrays("weights/first_layer")
    frame = runs.frame.select("trial", survival.solve_time())
    by_trial = runs.curves.sort("step").partition_by("trial", as_dict=True)
    rows = {str(trial): run for (trial,), run in by_trial.items()}
    curves = [_curve(name, rows[trial], weights[trial]) for trial, name in drawn.rows()]
    paths = [_trajectories(name, rows[trial]["step"].to_numpy(), weights[trial]) for trial, name in drawn.rows()]
    found = [_trial(trial, rows[trial], weights[trial]) for trial in judged["trial"]]
    trials = pl.DataFrame(found, infer_schema_length=None)
    trials = trials.join(judged, on="trial").join(frame, on="trial")
    named = {
        "curves": pl.concat(curves),
        "weights": pl.concat(paths),
        "trials": trials,
        "summary": pl.DataFrame([_summary(part) for part in trials.partition_by("panel", maintain_order=True)]),
    }
    return pl.concat([t.with_columns(part=pl.lit(name)) for name, t in named.items()], how="diagonal_relaxed")


def _neurons(weights: np.ndarray) -> np.ndarray:
    """Snapshots with an axis of neurons, also of one."""
    return weights.reshape(len(weights), -1, N)


def _thinned(count: int, drawn: int) -> np.ndarray:
    """Places of so many records, the first and the last among them."""
    return np.unique(np.linspace(0, count - 1, min(count, drawn)).round().astype(np.int64))


def _curve(name: str, run: pl.DataFrame, weights: np.ndarray) -> pl.DataFrame:
    steps = run["step"].to_numpy()
    at = _thinned(len(steps), DRAWN)
    smooth = moving_mean(run["train/loss"].to_numpy().astype(np.float64), PANELS[name].window)
    columns = {"step": steps[at], "loss": smooth[at], "movement": run["weights/movement_linf"].to_numpy()[at]}
    found = float(first_step(steps, np.any(ahead(_neurons(weights), range(K)), axis=1)))
    return pl.DataFrame(columns).with_columns(
        panel=pl.lit(name), ahead=pl.lit(found if np.isfinite(found) else None, pl.Float64)
    )


def _trajectories(name: str, steps: np.ndarray, weights: np.ndarray) -> pl.DataFrame:
    """Every weight; neurons are numbered in the order in which they find the hidden coordinates."""
    layer = _neurons(weights)
    layer = layer[:, solve_order(steps, layer, range(K))["neuron"].to_numpy()]
    at = _thinned(len(steps), PANELS[name].drawn_weights)
    step, neuron, coordinate = np.meshgrid(steps[at], np.arange(layer.shape[1]), np.arange(N), indexing="ij")
    columns = {"step": step, "neuron": neuron + 1, "coordinate": coordinate, "value": layer[at]}
    frame = pl.DataFrame({key: values.ravel() for key, values in columns.items()})
    return frame.with_columns(panel=pl.lit(name), relevant=pl.col("coordinate") < K)


def _trial(trial: str, run: pl.DataFrame, weights: np.ndarray) -> dict[str, object]:
    """When the plateau ended, the loss first moved, and the first two neurons had found the hidden coordinates."""
    measures = ("step", "eval/loss", "eval/error", "weights/movement_linf")
    steps, loss, error, movement = (run[name].to_numpy() for name in measures)
    order = solve_order(steps, _neurons(weights), range(K))["step"].to_list()
    plateau = float(last_step(steps, error > 0.45))
    growth = np.interp(plateau, steps, movement) / max(np.interp(plateau / 2, steps, movement), 1e-30)
    return {
        "trial": trial,
        "plateau_end": plateau,
        "loss_moved": float(first_step(steps, loss < 0.95 * loss[0])),
        "relevant_ahead": order[0],
        "second_ahead": order[1] if len(order) > 1 else None,
        "growth": float(growth),
    }


def _summary(trials: pl.DataFrame) -> dict[str, object]:
    solved = trials.filter(pl.col("solve_time").is_finite())
    row: dict[str, object] = {"panel": trials["panel"][0], "runs": trials.height, "solved": solved.height}
    if solved.is_empty():
        return row
    time = pl.col("solve_time")
    in_order = solved.select((pl.col("loss_moved") >= pl.col("relevant_ahead") - 0.1 * time).mean()).item()
    later = solved.select((pl.col("second_ahead") >= pl.col("relevant_ahead") + 0.05 * time).mean()).item()
    growth = solved["growth"].to_numpy()
    low, high = percentile_interval(bootstrap_quantiles(growth, (0.5,), 999, np.random.default_rng(0)))
    row |= {"in_order": in_order, "one_by_one": later, "growth": float(np.median(growth))}
    return row | {"growth_low": float(low[0]), "growth_high": float(high[0])}


def figure(table: pl.DataFrame) -> Display:
    drawn = dict(table.partition_by("part", as_dict=True, include_key=False))
    across = {"panel": "panel", "columns": len(PANELS)}
    return board(
        TwinCurves(
            drawn["curves",],
            title="Loss of the batch, and movement of the weights",
            marks=("ahead",),
            y_label="loss",
            labels={"movement": r"$\rho(t)=\max|W_t-W_0|$ (right axis)", "ahead": "relevant weights ahead"},
            **across,
        ),
        WeightTrajectories(drawn["weights",], title="Weights of the first layer", neuron="neuron", **across),
        columns=1,
        title="Weights on their way to a parity of 3 out of 50 bits",
        caption="One run a panel (seed 0). Above: training loss, averaged over the last 16 steps at B = 1 and 4 steps "
        "at B = 4, and the largest movement of a weight; dotted: the relevant weights of a neuron exceed all others. "
        "Below: all weights of the first layer; of the ReLU net a colour for each neuron, in the order in which they "
        "find the hidden coordinates. Barak et al. 2022, figure 13.",
        size=(6.8, 5.0),
    )


def judge(table: pl.DataFrame, scale: str) -> list[Judgement]:
    rows = {row["panel"]: row for row in table.filter(part="summary").rows(named=True)}
    enough = all(2 * row["solved"] >= row["runs"] > 0 for row in rows.values())
    if not all(row["solved"] for row in rows.values()):
        return [claim.judged(None, note="a panel without a solved run") for claim in experiment.claims]
    in_order = min(row["in_order"] for row in rows.values())
    slowest = min((row for name, row in rows.items() if name != LAYER), key=lambda row: row["growth"])
    interval = (slowest["growth_low"], slowest["growth_high"])
    one_by_one, solved = rows[LAYER]["one_by_one"], rows[LAYER]["solved"]
    spread = stats.binomtest(round(one_by_one * solved), solved).proportion_ci(method="wilson")
    words = [
        f"{name}: {row['solved']}/{row['runs']} solved, loss after weights {row['in_order']:.0%}, growth "
        f"{row['growth']:.2f}"
        for name, row in rows.items()
    ]
    clear = not interval[0] < 2**0.5 <= interval[1]
    return [
        LOSS_FOLLOWS.judged(enough and in_order >= 0.7, in_order, note=f"value: smallest fraction. {'; '.join(words)}"),
        RISING.judged(
            slowest["growth"] >= 2**0.5 if clear else None,
            slowest["growth"],
            interval,
            f"value: smallest median, of {slowest['panel']}",
        ),
        ONE_BY_ONE.judged(
            one_by_one >= 0.7, one_by_one, (spread.low, spread.high), "value: fraction of the solved runs"
        ),
    ]


experiment = Experiment(
    name="trajectories",
    title="Weights on their way",
    source="figure 13",
    claims=(LOSS_FOLLOWS, RISING, ONE_BY_ONE),
    sweep=sweep,
    table=table,
    figure=figure,
    judge=judge,
)
