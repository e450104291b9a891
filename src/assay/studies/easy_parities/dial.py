"""The easiness dial: how rare may hints be, and how many examples does a net then need?

Claims  (beyond the paper) with hints from 1 in 20 to 9 in 10 a net learns the parity; without any, or with nothing
        else, it does not; the rarer they are, the more examples step 1 needs; linear methods fail at every setting.
Source  The mixture of Daniely and Malach 2020, section 3, has hints half of the time. Here the weight of the hint goes
        from 0, a parity of uniform bits, to 1, where every input gives the label away. Step 1 sees the hint as a
        correlation of size hint / sqrt n, so that the examples it needs should grow as 1 / hint^2; the second stage
        sees the parity on a fraction 1 - hint of its inputs. n = 101: at n = 31 a net learns this parity in as many
        steps without any hint, from the noise that step 1 leaves.
Output  table `dial`, in three parts: `nets` (one row a run: the first recorded step from which its error on uniform
        inputs is at most 0.01, and its last errors), `errors` (for each hint and method the median error on uniform
        inputs, its range, and the median number of examples until it is at most 0.01) and `need` (for each hint the
        fewest examples of step 1 with a median of at most 0.01).
"""

from __future__ import annotations

import math

import polars as pl

import assay as ay
from assay.figures import Display, HeatTable, Lines, board
from assay.learners import linear
from assay.studies import Claim, Experiment, Judgement
from assay.studies.easy_parities.settings import trial

N, K, Q = 101, 3, 64
HINTS = {
    "smoke": (0.0, 0.05, 0.5, 1.0),
    "desk": (0.0, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 0.9, 1.0),
    "paper": (0.0, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 1.0),
}
FIRST = {"smoke": (12, 16), "desk": (12, 14, 16, 18, 20), "paper": (12, 14, 16, 18, 20, 22)}
"""Examples of step 1, as powers of 2."""
JUDGED = 16
RUNS = {"smoke": 1, "desk": 3, "paper": 20}
BATCH = 1024
STEPS = 4000
LEARNT = 0.01
LINEAR = {"ReLU features": ("relu", 1024), "tangent features": ("gated", 1024)}
EXAMPLES = 4000

_CRITERION = "(101, 3), step 1 on 2^16 examples, 4000 more steps: median error on uniform inputs <= 0.01 at hints {}, "
_CRITERION += ">= 0.1 at hints 0 and 1"
NEEDS = Claim(
    id="DM9",
    source="Beyond Daniely and Malach 2020, section 3",
    statement="A net learns the parity with hints from 1 in 20 to 9 in 10; without a hint, or with nothing else, it "
    "does not.",
    kind="experiment",
    criterion={
        "smoke": _CRITERION.format("0.05 and 0.5"),
        "desk": _CRITERION.format("0.05, 0.1, 0.5, 0.9"),
        "paper": _CRITERION.format("0.05, 0.1, 0.25, 0.5, 0.75, 0.9"),
    },
)
RARER = Claim(
    id="DM9-samples",
    source="Beyond Daniely and Malach 2020, section 3",
    statement="The rarer the hint, the more examples step 1 needs.",
    kind="experiment",
    criterion={
        "smoke": "(101, 3): fewest examples of step 1, of 2^12 and 2^16, at hint 0.05 >= those at 0.5",
        "desk": "(101, 3): fewest examples of step 1, of 2^12, 2^14, ..., 2^20, do not fall as the hint goes from 0.5 "
        "to 0.01, and rise by 4 or more",
        "paper": "(101, 3): fewest examples of step 1, of 2^12, 2^14, ..., 2^22, do not fall as the hint goes from 0.5 "
        "to 0.01, and rise by 4 or more",
    },
)
NEVER = Claim(
    id="DM9-linear",
    source="Beyond Daniely and Malach 2020, section 3",
    statement="No hint makes the parity linear: on uniform inputs linear methods fail at every setting of the dial.",
    kind="experiment",
    criterion="(101, 3), 1024 ReLU and tangent features on 4000 examples: error on uniform inputs >= 0.35 at every "
    "hint",
)


def name(power: int) -> str:
    return f"net, step 1 on $2^{{{power}}}$"


def sweeps(scale: str) -> dict[int, ay.Sweep]:
    return {
        power: ay.Sweep(
            trial(N, K, Q, 0.5, batches=2**power // BATCH).replace(
                batch=BATCH,
                budget=2**power // BATCH + STEPS,
                solve=None,
                record=ay.Record(measures=("eval/error", "eval/uniform_error"), every=100),
            ),
            ay.axis("task.hint", *HINTS[scale]),
            ay.seeds(RUNS[scale]),
        )
        for power in FIRST[scale]
    }


def sweep(scale: str) -> ay.Sweep:
    first, *rest = sweeps(scale).values()
    return sum(rest, first)


def table(runs: ay.Runs, scale: str) -> pl.DataFrame:
    of = {item.identity: power for power, part in sweeps(scale).items() for item in part.trials()}
    powers = pl.DataFrame({"trial": list(of), "power": list(of.values())})
    frame = runs.frame.select("trial", hint="task.hint").join(powers, on="trial")
    curves = runs.curves.sort("trial", "step")
    last = curves.group_by("trial", maintain_order=True).agg(
        error=pl.last("eval/error"), uniform_error=pl.last("eval/uniform_error")
    )
    learnt = curves.filter(pl.col("eval/uniform_error") <= LEARNT).group_by("trial").agg(learnt_step=pl.min("step"))
    nets = frame.join(last, on="trial").join(learnt, on="trial", how="left").sort("power", "hint", "trial")
    steps = pl.col("learnt_step").cast(pl.Float64).fill_null(math.inf).median()  # of runs that never learnt as well
    middle = (
        nets.group_by("power", "hint", maintain_order=True)
        .agg(
            pl.median("uniform_error"), low=pl.min("uniform_error"), high=pl.max("uniform_error"), runs=pl.len(),
            examples=pl.when(steps.is_finite()).then(steps * BATCH),
        )
        .with_columns(method=pl.col("power").map_elements(name, return_dtype=pl.String))
    )  # fmt: skip
    need = middle.filter(pl.col("uniform_error") <= LEARNT).group_by("hint").agg(pl.min("power")).sort("hint")
    return pl.concat(
        [
            nets.with_columns(part=pl.lit("nets")),
            pl.concat([middle, _linear(HINTS[scale])], how="diagonal_relaxed").with_columns(part=pl.lit("errors")),
            need.with_columns(part=pl.lit("need")),
        ],
        how="diagonal_relaxed",
    )


def _linear(hints: tuple[float, ...]) -> pl.DataFrame:
    """Trained with hints, chosen and tested on uniform inputs."""
    choose, test = (linear.sample(ay.EasyParity(n=N, k=K, hint=0), 0, part, EXAMPLES) for part in ("order", "eval"))
    rows = []
    for method, (kind, count) in LINEAR.items():
        for hint in hints:
            train = linear.sample(ay.EasyParity(n=N, k=K, hint=hint), 0, "data", EXAMPLES)
            error = linear.best_features(kind, count, train, choose, test, (1.0,)).uniform_error
            rows.append(
                {"method": method, "hint": hint, "uniform_error": error, "low": error, "high": error, "runs": 1}
            )
    return pl.DataFrame(rows)


def figure(table: pl.DataFrame) -> Display:
    rows = table.filter(part="errors").sort("hint", maintain_order=True)
    order = {method: i for i, method in enumerate(table.filter(part="errors")["method"].unique(maintain_order=True))}
    errors = HeatTable(
        rows.sort(pl.col("method").replace_strict(order), maintain_order=True).select(
            "method", "uniform_error", hint=pl.col("hint").map_elements("{:g}".format, return_dtype=pl.String)
        ),
        row="method", column="hint", value="uniform_error", centre=None, ends=(0.0, 0.5), scale="linear",
        bar="median error on uniform inputs", labels={"hint": "weight of the hint", "method": ""}, title="Errors",
    )  # fmt: skip
    times = Lines(
        rows.filter(pl.col("examples") > 0).sort("power", "hint").select("method", "hint", "examples"),
        x="hint", y="examples", line="method", x_scale="log", y_scale="log",
        x_label="weight of the hint", y_label="examples until learnt", title="Examples",
    )  # fmt: skip
    return board(
        errors,
        times,
        columns=1,
        title="The easiness dial",
        caption=f"Nets and linear methods on the ({N}, {K})-parity against the probability that an input comes with a "
        f"hint: median error on uniform inputs, where chance is 1/2, and median number of examples until it is at most "
        f"1 %, where more than half of the runs get there. Nets of {2 * Q} ReLU6 neurons: step 1 on so many examples, "
        f"then {STEPS:,} steps of {BATCH:,}; 1,024 features on 4,000 examples. Beyond Daniely and Malach 2020.",
    )


def judge(table: pl.DataFrame, scale: str) -> list[Judgement]:
    errors = table.filter(part="errors")
    net = dict(errors.filter(power=JUDGED).select("hint", "uniform_error").rows())
    inside = {hint: error for hint, error in net.items() if 0.05 <= hint <= 0.9}
    holds = max(inside.values()) <= LEARNT and min(net[0.0], net[1.0]) >= 0.1
    words = "; ".join(f"{hint:g}: {error:.3f}" for hint, error in net.items())
    need = dict(table.filter(part="need").select("hint", "power").rows())
    rarest = 0.05 if scale == "smoke" else 0.01
    powers = [need.get(hint, math.inf) for hint in sorted(net) if rarest <= hint <= 0.5]
    more = powers[0] - powers[-1]
    rises = powers == sorted(powers, reverse=True) and powers[-1] < math.inf and (scale == "smoke" or more >= 2)
    told = "; ".join(f"{hint:g}: 2^{power}" for hint, power in need.items())
    fits = errors.filter(pl.col("method").is_in(list(LINEAR))).sort("uniform_error").row(0, named=True)
    return [
        NEEDS.judged(holds, max(inside.values()), None, f"value: largest error from 0.05 to 0.9. By hint {words}"),
        RARER.judged(rises, 2.0**more, None, f"value: times as many at {rarest} as at 0.5. Fewest by hint {told}"),
        NEVER.judged(
            fits["uniform_error"] >= 0.35, fits["uniform_error"], None,
            f"value: smallest error ({fits['method']}, hint {fits['hint']:g})",
        ),
    ]  # fmt: skip


experiment = Experiment(
    name="dial",
    title="The easiness dial",
    source="beyond the paper",
    claims=(NEEDS, RARER, NEVER),
    sweep=sweep,
    table=table,
    figure=figure,
    judge=judge,
)
