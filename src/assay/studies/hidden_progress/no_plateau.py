"""Wide z^k nets without a plateau: with many neurons and large batches their error falls from the start.

Claim   the error of wide z^k nets goes down steadily, and the sooner the wider they are and the larger the batch; ReLU
        nets keep their plateau at every width and batch size.
Source  Barak et al. 2022, appendix C.8 and figure 17, on (50,3); learning rates are not given there. Those of z^3
        nets are of figures 6 (fourth row) and 10: 0.01, and 0.001 for single examples; those of ReLU nets 0.1 and 0.05.
Output  table `no-plateau`, in two parts: `curves` (single runs, median and band) and `trials` (solve time, plateau,
        the error at 0.3 of the solve time, and how fast it falls over the first fifth of it).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

import assay as ay
from assay.figures import CurveGrid, Display
from assay.studies import Claim, Experiment, Judgement
from assay.studies.hidden_progress.curves import curves_and_trials, joined
from assay.studies.hidden_progress.settings import NETS, WHOLE_SAMPLE

N, K = 50, 3
EARLY, START = 0.3, 0.2
"""Fractions of the solve time: where the error is compared, and over which its first slope is taken."""
WORDS: Mapping[str, str] = {
    "i": "ReLU, r = 10", "ii": "ReLU, r = 100", "iii": "ReLU, r = 1000",
    "iv": "$z^3$, r = 10", "v": "$z^3$, r = 100", "vi": "$z^3$, r = 1000",
}  # fmt: skip

GRID: Mapping[str, tuple[Sequence[str], Sequence[int], int, int]] = {
    # settings, batch sizes, runs, steps between records
    "smoke": (("ii", "vi"), (256,), 3, 50),
    "desk": (("i", "ii", "iii", "iv", "v", "vi"), (32, 256), 5, 25),
    "paper": (("i", "ii", "iii", "iv", "v", "vi"), (1, 4, 16, 64, 256, 1024), 25, 10),
}

_CRITERION = (
    "batch 256, plateau fraction (last step with error > 0.45) / (solve time), median of the runs: {} >= 0.7, (vi) <= "
    "0.55; error at 0.3 of the solve time, mean over the runs: (vi) <= 0.48, {} >= 0.485"
)
FALLS_AT_ONCE = Claim(
    id="E18",
    source="Barak et al. 2022, appendix C.8 and figure 17",
    statement="Wide z^k nets learn without a plateau, their error falling from the start; ReLU nets keep theirs.",
    kind="experiment",
    criterion={
        "smoke": _CRITERION.format("(ii)", "(ii)"),
        "desk": _CRITERION.format("(ii) and (iii)", "(ii) and (iii)"),
        "paper": _CRITERION.format("(ii) and (iii)", "(ii) and (iii)") + "; the first slope of the error of z^3 nets, "
        "median over the first 0.2 of the solve time, grows with the width at batch 256 and with the batch at r = 1000",
    },
)


def rate(setting: str, batch: int) -> float:
    """Learning rate of a setting: z^3 nets, then ReLU nets; the lower one for single examples."""
    usual, single = (0.01, 0.001) if setting in ("iv", "v", "vi") else (0.1, 0.05)
    return single if batch == 1 else usual


def sweeps(scale: str) -> dict[str, ay.Sweep]:
    settings, batches, runs, every = GRID[scale]
    return {
        f"{setting} at {batch}": ay.Sweep(
            ay.Trial(
                task=ay.Parity(n=N, k=K),
                net=NETS[setting],
                optimiser=ay.SGD(learning_rate=rate(setting, batch)),
                batch=batch,
                budget=100_000 if batch < 32 else 10_000,
                solve=WHOLE_SAMPLE,
                record=ay.Record(measures=("eval/error",), every=every * (20 if batch < 32 else 1)),
            ),
            ay.seeds(runs),
        )
        for setting in settings
        for batch in batches
    }


def sweep(scale: str) -> ay.Sweep:
    return joined(sweeps(scale))


def table(runs: ay.Runs, scale: str) -> pl.DataFrame:
    found = curves_and_trials(runs, sweeps(scale), examples=3)
    place = pl.col("panel").str.split(" at ")
    found = found.with_columns(setting=place.list.first(), batch=place.list.last().cast(pl.Int64))
    return found.join(_descent(runs), on="trial", how="left", maintain_order="left")


def _descent(runs: ay.Runs) -> pl.DataFrame:
    """For each solved run the error at 0.3 of its solve time (`early_error`), and by how much a step the error fell
    over the first 0.2 of it (`first_slope`), by least squares."""
    solved = runs.frame.filter(pl.col("outcome") == "solved").select("trial", end="step")
    rows = []
    for (trial,), run in runs.curves.join(solved, on="trial").sort("step").group_by(["trial"], maintain_order=True):
        steps, error = run["step"].to_numpy(), run["eval/error"].to_numpy()
        end = run["end"][0]
        first = steps <= max(START * end, steps[1])
        slope = -np.polyfit(steps[first], error[first], 1)[0]
        rows.append((trial, float(error[steps <= EARLY * end][-1]), float(slope)))
    return pl.DataFrame(
        rows, schema={"trial": pl.String, "early_error": pl.Float64, "first_slope": pl.Float64}, orient="row"
    )


def figure(table: pl.DataFrame) -> Display:
    curves = table.filter(part="curves")
    batches = {str(batch): f"B = {batch:,}" for batch in curves["batch"].unique()}
    return CurveGrid(
        curves,
        row="setting",
        column="batch",
        y_label="held-out error",
        labels={**WORDS, **batches, "eval/error": "held-out error"},
        title="Nets of width r without a plateau, and with one",
        caption="Single runs (thin), their median and 10-90 % band against the steps of SGD on the (50,3)-parity, "
        "batch size B; error on 8,192 held-out examples. Runs end when all of them are right. Barak et al. 2022, "
        "figure 17.",
    )


def judge(table: pl.DataFrame, scale: str) -> list[Judgement]:
    trials = table.filter(part="trials")
    relu = [setting for setting in ("ii", "iii") if setting in GRID[scale][0]]
    at_256 = {setting: trials.filter(setting=setting, batch=256) for setting in (*relu, "vi")}
    plateau = {setting: _or_nan(rows["plateau_fraction"].median()) for setting, rows in at_256.items()}
    early = {setting: _or_nan(rows["early_error"].mean()) for setting, rows in at_256.items()}
    holds = plateau["vi"] <= 0.55 and early["vi"] <= 0.48
    holds &= all(plateau[setting] >= 0.7 and early[setting] >= 0.485 for setting in relu)
    if scale == "paper":
        wider = [trials.filter(setting=setting, batch=256) for setting in ("iv", "v", "vi")]
        larger = [trials.filter(setting="vi", batch=batch) for batch in GRID[scale][1]]
        for rows in (wider, larger):
            slopes = [_or_nan(part["first_slope"].median()) for part in rows]
            holds &= bool(np.all(np.diff(slopes) > 0))
    words = [
        f"{WORDS[name].replace('$', '')}: plateau fraction {plateau[name]:.2f}, error {early[name]:.3f}, "
        f"{rows['plateau_fraction'].count()}/{rows.height} solved"
        for name, rows in at_256.items()
    ]
    first, last = (_or_nan(at_256["vi"]["plateau_fraction"].quantile(q)) for q in (0.0, 1.0))
    note = f"value: median plateau fraction of (vi), with its range over runs. {'; '.join(words)}"
    return [FALLS_AT_ONCE.judged(holds, plateau["vi"], (first, last), note)]


def _or_nan(number: object) -> float:
    return float("nan") if number is None else float(number)  # type: ignore[arg-type]


experiment = Experiment(
    name="no-plateau",
    title="No plateau for wide polynomial nets",
    source="appendix C.8 and figure 17",
    claims=(FALLS_AT_ONCE,),
    sweep=sweep,
    table=table,
    figure=figure,
    judge=judge,
)
