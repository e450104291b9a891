"""Building blocks: what activations, biases and the movement of SGD have to do with Fourier gaps.

Claim   without hidden biases a ReLU net learns no parity of odd degree; smoothing the ReLU takes the gap away; taking
        gradients along the path of SGD finds the hidden bits sooner than many gradients at the start.
Source  Barak et al. 2022, appendix C.2, which argues in words; the ablations here are ours. Biases: ReLU nets of width
        100 at learning rate 1, with hidden biases and without. Activations: the relaxed gap of g = E[y x s'(w.x + b)]
        over the root mean square of s', for default initial weights, by enumeration; softplus of sharpness b is
        log(1 + exp(b z)) / b. Movement: a sinusoid neuron (xiv) trained by SGD, and the sum of its gradients at the
        initial weights, over batches of the same size, until its k largest entries are those of the hidden bits.
Output  table `building-blocks`, in parts: `biases` and `biases summary` (survival of unsolved nets; solved fractions),
        `gaps` (quantiles of the normalised gap), `movement` and `movement trials` (survival, and one row a start).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import polars as pl

import assay as ay
from assay.analysis import survival
from assay.figures import Display, Lines, SurvivalCurves, board
from assay.maths.cube import linear_form
from assay.maths.fourier import fourier_coefficients
from assay.maths.subsets import mask_of
from assay.studies import Claim, Experiment, Judgement
from assay.studies.hidden_progress.settings import NETS, WHOLE_SAMPLE
from assay.theory.parity.gaps import relaxed_gap, strict_gap

BIASED, UNBIASED = "default biases", "hidden biases 0"
MOVING, FROZEN = "SGD", "gradient at the start"
CHECKED = 10
"""Steps between looks at the gradient at the start, as between tests of SGD."""
BATCH = 32

BIASES: Mapping[str, tuple[Sequence[int], Sequence[int], int]] = {
    # n, k, runs
    "smoke": ((20,), (2, 3, 4), 6),
    "desk": ((20,), (2, 3, 4), 50),
    "paper": ((10, 20, 30), (2, 3, 4, 5), 100),
}
GAPS = {"smoke": (13, 60), "desk": (15, 300), "paper": (15, 3000)}
"""Bits and draws."""
DEGREES = (2, 3, 4, 5, 6)
EVEN = (2, 4, 6)
SHARPNESS = (1, 2, 4, 8, 16)
MOVEMENT: Mapping[str, tuple[int, Sequence[int], int, int]] = {
    # n, k, starts, budget
    "smoke": (30, (2, 3, 4), 60, 5000),
    "desk": (30, (2, 3, 4), 200, 20_000),
    "paper": (30, (2, 3, 4), 1000, 100_000),
}

NEED_BIASES = Claim(
    id="E19",
    source="Barak et al. 2022, appendix C.2 (biases)",
    statement="Parities of odd degree need hidden biases; those of even degree do not.",
    kind="experiment",
    criterion={
        "smoke": "width 100, n = 20, k = 2, 3, 4, 4000 steps: solved without hidden biases 0 runs at k = 3, at least "
        "5/6 at k = 2 and 4; with default biases all",
        "desk": "width 100, n = 20, k = 2, 3, 4, 4000 steps: solved without hidden biases 0 runs at k = 3, at least "
        "5/6 at k = 2 and 4; with default biases all",
        "paper": "width 100, n = 10, 20, 30, k = 2, 3, 4, 5, 4000 steps: solved without hidden biases 0 runs at k = 3 "
        "and 5; at k = 2 and 4 at least 5/6 of what default biases solve",
    },
)
SMOOTHING = Claim(
    id="C2-smoothing",
    source="Barak et al. 2022, appendix C.2 (activation functions), corrected",
    statement="Smoothing a ReLU on the scale of its preactivations takes its Fourier gap away, the more the higher k.",
    kind="experiment",
    criterion="median normalised gap of softplus with sharpness 1 over that of ReLU: <= 0.6 at k = 2, and falling "
    "over k = 2, 4, 6",
)
SHARPEST_PRINTED = Claim(
    id="C2-smoothing-printed",
    source="Barak et al. 2022, appendix C.2 (activation functions), taken literally",
    statement="Fourier gaps are strongest with non-smooth activations such as the ReLU.",
    kind="errata",
    criterion="k = 2, 4, 6: no smooth activation among softplus, z^k and the sinusoid has a median normalised gap "
    "larger than 1 x that of ReLU",
)
MOVEMENT_HELPS = Claim(
    id="C2-movement",
    source="Barak et al. 2022, appendix C.2 (batch sizes and learning rates)",
    statement="The movement of SGD can help: from degree 3 on it finds the hidden bits sooner than gradients that are "
    "all taken at the initial weights.",
    kind="experiment",
    criterion="sinusoid neuron, n = 30, k = 3 and 4, batch 32, same initial weights: median steps until the k largest "
    "entries of the summed gradient are the hidden ones > 1 x median solve time of SGD (undecided if the 95 % "
    "bootstrap interval of their ratio at k = 3 contains 1)",
)


def bias_sweep(scale: str) -> ay.Sweep:
    ns, ks, runs = BIASES[scale]
    trial = ay.Trial(
        task=ay.Parity(n=ns[0], k=ks[0]),
        net=NETS["ii"],
        optimiser=ay.SGD(learning_rate=1.0),
        batch=BATCH,
        budget=4000,
        solve=WHOLE_SAMPLE,
    )
    grid = ay.product(ay.axis("task.n", *ns), ay.axis("task.k", *ks), ay.seeds(runs))
    return ay.Sweep(trial, grid) + ay.Sweep(trial.replace(net=NETS["ii"].replace(hidden_bias=False)), grid)


def movement_sweep(scale: str) -> ay.Sweep:
    n, ks, starts, budget = MOVEMENT[scale]
    trial = ay.Trial(
        task=ay.Parity(n=n, k=ks[0]),
        net=NETS["xiv"],
        optimiser=ay.SGD(learning_rate=0.01),
        batch=BATCH,
        budget=budget,
        solve=WHOLE_SAMPLE,
        record=ay.Record(measures=("weights/snapshot",), steps=(0,)),
    )
    return ay.Sweep(trial, ay.axis("task.k", *ks), ay.seeds(starts))


def sweep(scale: str) -> ay.Sweep:
    return bias_sweep(scale) + movement_sweep(scale)


def table(runs: ay.Runs, scale: str) -> pl.DataFrame:
    nets = runs.frame.filter(pl.col("net.kind") == "mlp").with_columns(
        biases=pl.when("net.hidden_bias").then(pl.lit(BIASED)).otherwise(pl.lit(UNBIASED))
    )
    keys = ["task.n", "task.k", "biases"]
    starts = _starts(runs, scale)
    both = starts.unpivot([MOVING, FROZEN], index=["task.k", "trial"], variable_name="gradients", value_name="found")
    both = both.with_columns(
        outcome=pl.when(pl.col("found").is_null()).then(pl.lit("censored")).otherwise(pl.lit("solved")),
        step=pl.col("found").fill_null(MOVEMENT[scale][3]),
    )
    parts = {
        "biases": survival.curve(nets, by=keys),
        "biases summary": survival.summary(nets, by=keys),
        "gaps": _gaps(*GAPS[scale]),
        "movement": survival.curve(both, by=["task.k", "gradients"]).sort("task.k", "gradients", "step"),
        "movement trials": starts,
    }
    return pl.concat([t.with_columns(part=pl.lit(name)) for name, t in parts.items()], how="diagonal_relaxed")


def _starts(runs: ay.Runs, scale: str) -> pl.DataFrame:
    """For each initial weights the step at which SGD is solved, and that at which the summed gradient shows the hidden
    bits; null: not within the budget."""
    weights = runs.arrays("weights/snapshot.neuron.weight")
    biases = runs.arrays("weights/snapshot.neuron.bias")
    neurons = runs.frame.filter(pl.col("net.kind") == "neuron").select("trial", "task.k", "outcome", "step")
    rows = []
    for i, (trial, k, outcome, step) in enumerate(neurons.iter_rows()):
        shown = _frozen(weights[trial][0], float(biases[trial][0]), k, MOVEMENT[scale][3], np.random.default_rng(i))
        rows.append((trial, k, step if outcome == "solved" else None, shown))
    schema = {"trial": pl.String, "task.k": pl.Int64, MOVING: pl.Int64, FROZEN: pl.Int64}
    return pl.DataFrame(rows, schema=schema, orient="row")


def _frozen(w: np.ndarray, b: float, k: int, budget: int, rng: np.random.Generator) -> int | None:
    """Steps until the k largest entries of sum y x s'(w.x + b), s the sinusoid of degree k, are the first k."""
    n, looks, total = len(w), 16, np.zeros(len(w))
    for start in range(0, budget, CHECKED * looks):
        x = np.float32(1.0) - 2 * rng.integers(0, 2, (CHECKED * BATCH * looks, n), dtype=np.int8)
        slope = -np.sin(np.float32(np.pi / 2) * (x @ w + np.float32(b - k)))
        each = (np.prod(x[:, :k], axis=1) * slope).reshape(looks, 1, -1) @ x.reshape(looks, -1, n)
        sums = total + np.cumsum(each[:, 0], axis=0, dtype=np.float64)
        shown = np.flatnonzero(strict_gap(sums, range(k)) > 0)
        if shown.size:
            step = start + CHECKED * int(shown[0] + 1)
            return step if step <= budget else None
        total = sums[-1]
    return None


def _derivatives(k: int) -> Mapping[str, Callable[[np.ndarray], np.ndarray]]:
    """s' of the activations that are compared, at degree k."""
    softplus = {f"softplus {b}": lambda z, b=b: (1 + np.tanh(b * z / 2)) / 2 for b in SHARPNESS}
    return {
        "ReLU": lambda z: (z > 0).astype(float),
        **softplus,
        "$z^k$": lambda z: k * z ** (k - 1),
        "sinusoid": lambda z: -np.pi / 2 * np.sin(np.pi / 2 * (z - k)),
    }


def _gaps(n: int, draws: int) -> pl.DataFrame:
    """Quantiles of the relaxed gap over the root mean square of s', for each activation and degree."""
    rng = np.random.default_rng(0)
    found: dict[tuple[str, int], list[float]] = {}
    for _ in range(draws):
        weights = rng.uniform(-1, 1, n + 1) / n**0.5
        z = linear_form(weights[:n], weights[n])
        for k in DEGREES:
            by_coordinate = mask_of(range(k), n) ^ (1 << np.arange(n))
            for name, derivative in _derivatives(k).items():
                values = derivative(z)
                gradient = fourier_coefficients(values)[by_coordinate]
                gap = relaxed_gap(gradient[None], range(k))[0] / np.sqrt(np.mean(values**2))
                found.setdefault((name, k), []).append(float(gap))
    rows = [(name, k, *np.quantile(gaps, (0.1, 0.5, 0.9)).tolist()) for (name, k), gaps in found.items()]
    return pl.DataFrame(rows, schema=["activation", "task.k", "q10", "q50", "q90"], orient="row")


def figure(table: pl.DataFrame) -> Display:
    biases = table.filter(part="biases").filter(pl.col("task.n") == 20).drop("part")
    gaps = table.filter(pl.col("part") == "gaps", pl.col("activation").is_in(["softplus 2", "softplus 8"]).not_()).drop(
        "part"
    )
    return board(
        SurvivalCurves(
            biases,
            line="biases",
            panel="task.k",
            title="ReLU nets of width 100 with and without hidden biases, n = 20",
            labels={"task.k": "k"},
        ),
        SurvivalCurves(
            table.filter(part="movement").drop("part"),
            line="gradients",
            panel="task.k",
            title="SGD, and gradients that are all taken at the initial weights, n = 30",
            labels={"task.k": "k"},
        ),
        Lines(
            gaps,
            x="task.k",
            y="q50",
            line="activation",
            y_scale="log",
            x_label="k",
            y_label="gap / rms of derivative",
            title="Fourier gaps at the start, by activation",
        ),
        columns=1,
        heights=(2.2, 2.2, 2.6),
        size=(6.8, 7.3),
        title="Building blocks of feature learning",
        caption="Above: fraction of runs that are not solved yet. Middle: fraction of initial weights of a sinusoid "
        "neuron from which SGD is not solved yet, and whose summed gradient does not show the hidden bits yet. "
        "Below: median over random initial weights. Ablations to Barak et al. 2022, appendix C.2.",
    )


def judge(table: pl.DataFrame, scale: str) -> list[Judgement]:
    gaps = {(row["activation"], row["task.k"]): row["q50"] for row in table.filter(part="gaps").iter_rows(named=True)}
    smoothed = [gaps["softplus 1", k] / gaps["ReLU", k] for k in EVEN]
    others = {
        (name, k): gap / gaps["ReLU", k] for (name, k), gap in gaps.items() if k in EVEN and name != "ReLU"
    }  # fmt: skip
    name, k = max(others, key=lambda other: others[other])
    words = ", ".join(f"{ratio:.3g} at k = {degree}" for degree, ratio in zip(EVEN, smoothed, strict=True))
    return [
        _need_biases(table, scale),
        SMOOTHING.judged(
            smoothed[0] <= 0.6 and smoothed == sorted(smoothed, reverse=True), smoothed[0], note=f"value: {words}"
        ),
        SHARPEST_PRINTED.judged(
            others[name, k] <= 1, others[name, k], note=f"value: {name.replace('$', '')} over ReLU at k = {k}"
        ),
        _movement_helps(table),
    ]


def _need_biases(table: pl.DataFrame, scale: str) -> Judgement:
    rows = table.filter(part="biases summary").sort("task.n", "task.k").iter_rows(named=True)
    found = {(row["task.n"], row["task.k"], row["biases"]): row for row in rows}
    fractions = {key: row["solved_fraction"] for key, row in found.items()}
    odd = [key for key in fractions if key[2] == UNBIASED and key[1] % 2]
    even = [key for key in fractions if key[2] == UNBIASED and key[1] % 2 == 0]
    holds = all(fractions[key] == 0 for key in odd)
    if scale == "paper":
        holds &= all(fractions[key] >= 5 / 6 * fractions[*key[:2], BIASED] for key in even)
    else:
        holds &= all(fractions[key] >= 5 / 6 for key in even)
        holds &= all(fraction == 1 for key, fraction in fractions.items() if key[2] == BIASED)
    worst = found[max(odd, key=lambda key: fractions[key])]
    words = [f"n = {n}, k = {k}, {biases}: {row['solved']}/{row['n']}" for (n, k, biases), row in found.items()]
    interval = worst["solved_low"], worst["solved_high"]
    note = f"value: solved fraction at odd k without hidden biases. {'; '.join(words)}"
    return NEED_BIASES.judged(holds, worst["solved_fraction"], interval, note)


def _movement_helps(table: pl.DataFrame) -> Judgement:
    starts = table.filter(part="movement trials").with_columns(
        pl.col(MOVING, FROZEN).cast(pl.Float64).fill_null(np.inf)
    )
    times = {
        k: starts.filter(pl.col("task.k") == k).select(FROZEN, MOVING).to_numpy() for k in starts["task.k"].unique()
    }
    medians = {k: np.median(pairs, axis=0) for k, pairs in times.items()}
    ratios = {k: float(frozen / moving) for k, (frozen, moving) in medians.items()}
    drawn = np.random.default_rng(0).integers(len(times[3]), size=(999, len(times[3])))
    frozen, moving = np.median(times[3][drawn], axis=1).T
    low, high = np.quantile(frozen / moving, (0.025, 0.975)).tolist()
    words = [
        f"k = {k}: {moving:.0f} by SGD, {frozen:.0f} at the start" for k, (frozen, moving) in sorted(medians.items())
    ]
    holds = ratios[3] > 1 and ratios[4] > 1
    note = f"value: ratio of the medians at k = 3. {'; '.join(words)}"
    return MOVEMENT_HELPS.judged(None if holds and low <= 1 else holds, ratios[3], (low, high), note)


experiment = Experiment(
    name="building-blocks",
    title="Building blocks of feature learning",
    source="appendix C.2",
    claims=(NEED_BIASES, SMOOTHING, SHARPEST_PRINTED, MOVEMENT_HELPS),
    sweep=sweep,
    table=table,
    figure=figure,
    judge=judge,
)
