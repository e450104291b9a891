"""Linear methods beside a net on the same easy parity: the hint is linear, the parity is not.

Claims  on uniform inputs every linear method is near chance, where the net makes hardly an error; at k = 5 the majority
of
        the hidden bits, which is linear, is right more often than chance.
Source  Daniely and Malach 2020, theorems 2 and 3, which no run of theirs shows. Random ReLU and Fourier features, the
        tangent features of a net with standing gates, the tangent and the Gaussian kernel exactly, by ridge regression
        and support vector machines; each at the scale and penalty that are best on uniform inputs of a sample of its
        own. The net: 2q ReLU6 neurons, step 1 on at least 64 n^2 fresh examples, then Adam (gradient descent is slow
        at k = 5: the ramps are 1/(8k) wide and ask for large output weights).
Output  table `linear-methods`: for each method and number of features the error on all inputs and on uniform ones.
"""

from __future__ import annotations

import math

import polars as pl

import assay as ay
from assay.figures import Display, HeatTable
from assay.learners import linear
from assay.studies import Claim, Experiment, Judgement
from assay.studies.easy_parities.settings import SOURCE, trial

NET = "two-stage net"
NAMES = {"relu": "ReLU features", "fourier": "Fourier features", "gated": "tangent features"}
KERNELS = {"rbf": {"ridge": "Gaussian kernel, ridge", "svm": "Gaussian kernel, SVM"},
           "ntk": {"ridge": "tangent kernel, ridge", "svm": "tangent kernel, SVM"}}  # fmt: skip
# n, k, q, batch, batches of step 1, budget; examples and features of linear methods, examples of kernels
GRID = {
    "smoke": (
        (21, 5, 64, 1024, 64, 2000, 1000, (64,), 600),
        (21, 7, 64, 1024, 64, 5000, 1000, (64,), 600),
    ),
    "desk": (
        (51, 5, 128, 2048, 512, 3000, 20_000, (64, 512, 4096), 4000),
        (51, 7, 128, 2048, 512, 6000, 20_000, (64, 512, 4096), 4000),
    ),
    "paper": (
        (51, 5, 128, 2048, 512, 3000, 50_000, (64, 512, 4096), 10_000),
        (51, 7, 512, 2048, 512, 20_000, 50_000, (64, 512, 4096), 10_000),
    ),
}
TEST = {"smoke": 2000, "desk": 8000, "paper": 20_000}

_CRITERION = "({0}, {1}), up to {2} features on {3} examples, kernels on {4}: error on uniform inputs >= 0.4 for every "
_CRITERION += "linear method, < 0.05 for the net"
_SIZES = {"smoke": (21, "64", "1000", "600"), "desk": (51, "4096", "20,000", "4000")}
_SIZES["paper"] = (51, "4096", "50,000", "10,000")
FAIL = Claim(
    id="DM3",
    source=f"{SOURCE}, theorems 2 and 3",
    statement="Where a net learns an easy parity of 7 bits, linear methods are near chance on its uniform half.",
    kind="experiment",
    criterion={scale: _CRITERION.format(sizes[0], 7, *sizes[1:]) for scale, sizes in _SIZES.items()},
)
FIVE = Claim(
    id="DM3-five",
    source=f"{SOURCE}, theorems 2 and 3",
    statement="Where a net learns an easy parity of 5 bits, linear methods are near chance on its uniform half.",
    kind="experiment",
    criterion={scale: _CRITERION.format(sizes[0], 5, *sizes[1:]) for scale, sizes in _SIZES.items()},
)
MAJORITY = Claim(
    id="DM3-majority",
    source="Beyond Daniely and Malach 2020, theorem 2",
    statement="At k = 5 linear methods find the majority of the hidden bits, wrong on 5/16 of uniform inputs, and no "
    "more.",
    kind="experiment",
    criterion="closed form: majority wrong on 3/4, 5/16, 21/32 of uniform inputs for k = 3, 5, 7; k = 5: smallest "
    "error of a linear method on uniform inputs within 0.05 of 5/16",
)


def majority_error(k: int) -> float:
    """P[majority of k fair signs != their product]: j of them are -1."""
    return sum(math.comb(k, j) for j in range(k + 1) if (2 * j < k) != (j % 2 == 0)) / 2**k


def sweep(scale: str) -> ay.Sweep:
    parts = []
    for n, k, q, batch, batches, budget, *_ in GRID[scale]:
        net = trial(n, k, q, 0.003, batches=batches, then="adam").replace(
            batch=batch,
            budget=budget,
            solve=ay.Solve(sample=4096, every=20, accuracy=0.995),
            record=ay.Record(measures=("eval/error", "eval/uniform_error"), every=100),
        )
        parts.append(ay.Sweep(net, ay.seeds(1)))
    return sum(parts[1:], parts[0])


def table(runs: ay.Runs, scale: str) -> pl.DataFrame:
    rows = []
    ends = runs.curves.sort("step").group_by("trial").last()
    nets = runs.frame.select("trial", "task.n", "task.k", "net.width").join(ends, on="trial")
    for n, k, q, batch, batches, _, examples, counts, some in GRID[scale]:
        common = {"setting": f"n = {n}, k = {k}", "n": n, "k": k}
        (own,) = nets.filter((pl.col("task.n") == n) & (pl.col("task.k") == k)).rows(named=True)
        rows.append(
            common | {"method": NET, "features": 2 * q, "examples": batch * (batches + own["step"]),
                      "error": own["eval/error"], "uniform_error": own["eval/uniform_error"]}
        )  # fmt: skip
        task = ay.EasyParity(n=n, k=k)
        train, choose, test = (
            linear.sample(task, 0, stream, count)
            for stream, count in (("data", examples), ("order", TEST[scale]), ("eval", TEST[scale]))
        )
        few = linear.Sample(train.x[:some], train.y[:some], train.uniform[:some])
        for kind, name in NAMES.items():
            for count in counts:
                fit = linear.best_features(kind, count, train, choose, test)
                rows.append(common | {"method": name, "features": count, "examples": examples} | _errors(fit))
        for kind, names in KERNELS.items():
            fits = linear.best_kernels(kind, few, choose, test)
            rows += [
                common | {"method": name, "features": None, "examples": some} | _errors(fits[method])
                for method, name in names.items()
            ]
    return pl.DataFrame(rows, infer_schema_length=None)


def _errors(fit: linear.Fit) -> dict[str, float]:
    return {"error": fit.error, "uniform_error": fit.uniform_error, "scale": fit.scale, "penalty": fit.penalty}


def figure(table: pl.DataFrame) -> Display:
    count = pl.when(pl.col("features").is_null()).then(pl.lit("")).otherwise(pl.format(", N = {}", "features"))
    long = table.with_columns(row=pl.col("method") + count).unpivot(
        ["error", "uniform_error"], index=["setting", "row"], variable_name="column", value_name="value"
    )
    return HeatTable(
        long,
        panel="setting",
        centre=None,
        ends=(0.0, 0.5),
        scale="linear",
        number=".3f",
        bar="error",
        labels={"error": "all inputs", "uniform_error": "uniform inputs", "column": "", "row": ""},
        title="A net and linear methods on the same easy parity",
        caption="Error on all inputs, half of which have a hint, and on uniform inputs alone, where chance is 1/2. "
        "Every linear method at its best scale and penalty; N features, or a kernel in full. Daniely and Malach 2020, "
        "theorems 2 and 3.",
    )


def judge(table: pl.DataFrame, scale: str) -> list[Judgement]:
    judged = []
    for claim, k in ((FAIL, 7), (FIVE, 5)):
        rows = table.filter(k=k)
        net = float(rows.filter(method=NET)["uniform_error"][0])
        others = rows.filter(pl.col("method") != NET).sort("uniform_error")
        best = others.row(0, named=True)
        words = f"value: smallest error of {others.height} linear fits ({best['method']}); the net's {net:.4f}"
        judged.append(claim.judged(best["uniform_error"] >= 0.4 and net < 0.05, best["uniform_error"], None, words))
    least = judged[1].value or 0.0
    exact = [majority_error(k) for k in (3, 5, 7)] == [3 / 4, 5 / 16, 21 / 32]
    judged.append(
        MAJORITY.judged(exact and abs(least - 5 / 16) <= 0.05, least, None, "value: that error; 5/16 = 0.3125")
    )
    return judged


experiment = Experiment(
    name="linear-methods",
    title="Linear methods on the same data",
    source="theorems 2 and 3",
    claims=(FAIL, FIVE, MAJORITY),
    sweep=sweep,
    table=table,
    figure=figure,
    judge=judge,
)
