"""SGD on disjoint-PolyNets: the bounds of the error, and the steps that are enough.

Claim   the error lies between a bound by Berry and Esseen and one by Hoeffding (Lemma 7); SGD at any batch size brings
        it below eps within T = O~((n/k)^(2k-1) ln(1/eps)) steps (Theorem 7).
Source  Barak et al. 2022, Lemma 7 and Theorem 7 (appendix B.3.1 and B.4; the latter's heading names gradient flow, its
        text is about SGD). Both bounds of the lemma and two steps of the theorem's proof are wrong as printed, and are
        kept beside what is right: see `assay.theory.parity.block_error` and `assay.theory.parity.polynet_sgd`. Runs
        have batch size 1, the rates of the theorem, +-1 weights of positive relevant product; their errors are exact.
Output  table `polynet-sgd`, in parts: `bounds` (error and bounds against |v|), `random` (the same for random weights),
        `counterexamples`, `requirement` (T and the proof's numbers), `runs` (one row a run) and `path` (weights).
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
import polars as pl

from assay.analysis import frames
from assay.analysis.fractions import wilson
from assay.figures import Display, Lines, board
from assay.studies import Claim, Experiment, Judgement
from assay.theory.parity import block_error
from assay.theory.parity.polynet_sgd import Requirement, requirement_table, simulate

EPS, DELTA = 0.05, 0.1
RUNS = 20
SETTINGS = {"smoke": ((2, 2),), "desk": ((2, 2), (3, 2), (4, 2)), "paper": ((2, 2), (3, 2), (4, 2), (3, 3), (4, 3))}
"""(block size, k), trained with the printed constants."""
CORRECTED = {"smoke": (), "desk": ((2, 2),), "paper": ((2, 2), (3, 2), (4, 2))}
"""Trained with the corrected constants."""
GRID = [(block, k) for k in (2, 3, 4) for block in (2, 3, 4, 5, 10, 20, 50, 100)]
"""Where the proof's inequalities are evaluated."""
RANDOM = 500
ROUNDING = 1e-7
"""Of errors by Fourier series."""

BOUNDS = Claim(
    id="T11",
    source="Barak et al. 2022, Lemma 7, corrected",
    statement="The error of a disjoint-PolyNet lies between 1/2 - 1/2 prod(erf(|v|/(||u|| sqrt 2)) + 1.12 max|u|/||u||)"
    " and 2 sum exp(-v^2/(2||u||^2)).",
    kind="theorem",
    criterion="exact errors within both bounds (1e-7 for rounding) for 500 random nets, k <= 5, blocks of 42 to 200",
)
UPPER_PRINTED = Claim(
    id="T11-upper-printed",
    source="Barak et al. 2022, Lemma 7, as printed",
    statement="The error is at most 2 sum exp(-v^2/||u||^2).",
    kind="errata",
    criterion="exact error at k = 1, 199 irrelevant weights +-1 and |v| = 2.5 ||u|| <= printed bound",
)
LOWER_PRINTED = Claim(
    id="T11-lower-printed",
    source="Barak et al. 2022, Lemma 7, as printed",
    statement="The error is at least 1/2 - 1/2 prod(erf(|v|/(||u|| sqrt 2)) + c max|u|/||u||^3) with one constant c.",
    kind="errata",
    criterion="the c needed at k = 1, +-1 weights and v -> 0+ is the same for 50, 500 and 5000 irrelevant weights, up "
    "to a factor 2",
)
ENOUGH = Claim(
    id="T12",
    source="Barak et al. 2022, Theorem 7",
    statement="After T steps at the theorem's rates the error is at most eps, and no irrelevant weight has moved by "
    "more than 1/2.",
    kind="theorem",
    criterion={
        "smoke": "(n/k, k) = (2,2) only, printed T and rates, B = 1, eps = 0.05, delta = 0.1, 20 runs: exact final "
        "error <= eps in >= 90 %, drift <= 0.5 in all",
        "desk": "(n/k, k) = (2,2), (3,2), (4,2), printed T and rates, and (2,2) with the corrected ones, B = 1, eps = "
        "0.05, delta = 0.1, 20 runs each: exact final error <= eps in >= 90 % of each, drift <= 0.5 in all",
        "paper": "as desk, and printed at (3,3), (4,3), corrected at (3,2), (4,2)",
    },
)
PROOF = Claim(
    id="T12-proof",
    source="Barak et al. 2022, proof of Theorem 7, corrected",
    statement="With rates half as large, T >= 48 ln(2nT/delta) ln(2k/eps) (3n/k - 2)^(2k-1) and the corrected Lemma 7, "
    "the two steps of the proof hold.",
    kind="theorem",
    criterion="Azuma bound of a drift beyond 1/2 <= delta/(nT), and guaranteed relevant weight >= the weight that "
    "Lemma 7 wants, for n/k = 2, ..., 100 and k = 2, 3, 4 (up to 1e-9)",
)
PROOF_PRINTED = Claim(
    id="T12-printed",
    source="Barak et al. 2022, proof of Theorem 7, as printed",
    statement="With the printed rates and T the two steps of the proof hold.",
    kind="errata",
    criterion="the same two inequalities with the printed constants (1/2 and 6)",
)


def table(runs: None, scale: str) -> pl.DataFrame:
    requirement = pl.DataFrame(requirement_table(GRID, EPS, DELTA))
    trained, path = _trained(scale)
    return frames.parts(
        bounds=_bounds(),
        random=_random(),
        counterexamples=_counterexamples(),
        requirement=requirement,
        runs=trained,
        path=path,
    )


def _bounds() -> pl.DataFrame:
    """k = 1 and 199 irrelevant weights +-1, at |v| between two values of their sum."""
    u = np.ones((1, 199))
    law = block_error.sum_law(u[0])
    rows = []
    for v in np.arange(2.0, 64.0, 4.0):
        weight = np.array([v])
        bounds = {
            "exact": block_error.error([v], [law]),
            "upper": block_error.upper_bound(weight, u),
            "upper, printed": block_error.upper_bound(weight, u, printed=True),
            "lower": block_error.lower_bound(weight, u),
        }
        rows += [{"relative": v / math.sqrt(199), "line": name, "value": float(b)} for name, b in bounds.items()]
    return pl.DataFrame(rows)


def _random() -> pl.DataFrame:
    """Normal, uniform and +-1 irrelevant weights; relevant ones from a twentieth of their norm to six times it."""
    rng = np.random.default_rng(0)
    rows = []
    for i in range(RANDOM):
        k, block = int(rng.integers(1, 6)), int(rng.integers(42, 201))
        size = (k, block - 1)
        irrelevant = (rng.standard_normal(size), rng.uniform(-1, 1, size), rng.choice([-1.0, 1.0], size))[i % 3]
        relevant = np.exp(rng.uniform(math.log(0.05), math.log(6), k)) * np.linalg.norm(irrelevant, axis=1)
        row: dict[str, float] = {"k": k, "block": block}
        row["exact"] = block_error.error(relevant, [block_error.sum_law(each) for each in irrelevant])
        for name, bound in (("lower", block_error.lower_bound), ("upper", block_error.upper_bound)):
            row[name] = float(bound(relevant, irrelevant))
            row[f"{name}_printed"] = float(bound(relevant, irrelevant, printed=True))
        rows.append(row)
    return pl.DataFrame(rows)


def _counterexamples() -> pl.DataFrame:
    """Exact error and printed bound where they contradict each other; `needed` is the constant that would save it."""
    v, u = np.array([2.5 * math.sqrt(199)]), np.ones((1, 199))
    exact = block_error.error(v, [block_error.SignSum(199)])
    bound = float(block_error.upper_bound(v, u, printed=True))
    rows = [{"line": "upper", "block": 200, "exact": exact, "bound": bound}]
    for count in (50, 500, 5000):
        v, u = np.array([1e-6]), np.ones((1, count))
        exact = block_error.error(v, [block_error.SignSum(count)])
        bound = float(block_error.lower_bound(v, u, printed=True))
        needed = (1 - 2 * exact) * count**1.5  # 1/2 - 1/2 c / ||u||^3 = exact
        rows.append({"line": "lower", "block": count + 1, "exact": exact, "bound": bound, "needed": needed})
    return pl.DataFrame(rows, infer_schema_length=None)


def _trained(scale: str) -> tuple[pl.DataFrame, pl.DataFrame]:
    """One row a run; and, at each recorded step, the smallest relevant weight of any run beside the promised one."""
    rows, path = [], []
    for constants, settings in (("printed", SETTINGS[scale]), ("corrected", CORRECTED[scale])):
        for block, k in settings:
            requirement = Requirement(block=block, k=k, eps=EPS, delta=DELTA, corrected=constants == "corrected")
            found = simulate(requirement, RUNS, seed=0, records=400)
            setting = {"block": block, "k": k, "constants": constants, "steps": requirement.steps}
            ends = zip(found.errors, found.drift, found.zero_error, strict=True)
            rows += [{**setting, "exact": error, "drift": drift, "zero_error": zero} for error, drift, zero in ends]
            for i in _thinned(len(found.steps)):
                step = found.steps[i]
                weights = {"smallest of 20 runs": found.relevant[i].min(), "promised": requirement.relevant_at(step)}
                shared = {**setting, "relative": step / requirement.steps}
                path += [{**shared, "line": line, "value": float(weight)} for line, weight in weights.items()]
    return pl.DataFrame(rows), pl.DataFrame(path)


def _thinned(count: int) -> Iterable[int]:
    return np.unique(np.linspace(0, count - 1, 15).round().astype(int)).tolist()


def figure(table: pl.DataFrame) -> Display:
    bounds = table.filter(part="bounds").drop("part").with_columns(value=pl.when(pl.col("value") > 0).then("value"))
    path = table.filter(part="path", constants="printed").drop("part")
    last = path.filter(steps=path["steps"].max())
    block, k = last.select("block", "k").row(0)
    return board(
        Lines(
            bounds,
            x="relative",
            y="value",
            y_scale="log",
            x_label=r"$|v| / \|u\|$",
            y_label="error",
            title="Bounds of Lemma 7, k = 1",
        ),
        Lines(
            last,
            x="relative",
            y="value",
            x_label="step / T",
            y_label="smallest relevant weight",
            title=f"Weights, n/k = {block}, k = {k}",
        ),
        Lines(
            _steps(table),
            x="block",
            y="value",
            x_scale="log",
            y_scale="log",
            x_label="n/k",
            y_label="steps",
            title="Steps that are enough",
        ),
        columns=3,
        size=(6.8, 3.0),
        title="SGD on disjoint-PolyNets: Lemma 7 and Theorem 7",
        caption="Left: exact error and its bounds, one relevant weight v among 199 of size 1; the printed upper bound "
        "falls below the error. Middle: the smallest relevant weight of 20 runs of SGD with B = 1 and what the proof "
        "promises, with the printed constants. Right: steps T of Theorem 7 for eps = 0.05 and delta = 0.1, with the "
        "printed and the corrected constants, and the median step at which the error of those runs was first zero. "
        "Barak et al. 2022, Lemma 7 and Theorem 7.",
    )


def _steps(table: pl.DataFrame) -> pl.DataFrame:
    required = table.filter((pl.col("part") == "requirement") & (pl.col("k") <= 3) & (pl.col("block") <= 20))
    line = pl.format("k = {}, {}", "k", "constants")
    runs = table.filter(part="runs", constants="printed")
    first = runs.group_by("block", "k").agg(value=pl.col("zero_error").median()).sort("k", "block")
    return pl.concat(
        [
            required.select("block", line=line, value=pl.col("steps").cast(pl.Float64)),
            first.select("block", line=pl.format("k = {}, zero error", "k"), value="value"),
        ],
        how="vertical_relaxed",
    )


def judge(table: pl.DataFrame, scale: str) -> list[Judgement]:
    part = {name: rows for (name,), rows in table.partition_by("part", as_dict=True).items()}
    return [*_judge_bounds(part["random"], part["counterexamples"]), _judge_runs(part["runs"]), *_judge_proof(part)]


def _judge_bounds(random: pl.DataFrame, counterexamples: pl.DataFrame) -> list[Judgement]:
    above = {name: pl.col("exact") > pl.col(name) + ROUNDING for name in ("upper", "upper_printed")}
    below = {name: pl.col("exact") < pl.col(name) - ROUNDING for name in ("lower", "lower_printed")}
    wrong = random.filter(above["upper"] | below["lower"]).height
    telling = random.filter((pl.col("lower") > 0) | (pl.col("upper") < 0.5)).height
    upper = counterexamples.filter(line="upper").row(0, named=True)
    lower = counterexamples.filter(line="lower").sort("block")
    needed = lower["needed"].to_list()
    return [
        BOUNDS.judged(wrong == 0, wrong, note=f"value: violations; {telling} nets have a bound that is not trivial"),
        UPPER_PRINTED.judged(
            upper["exact"] <= upper["bound"],
            upper["exact"] / upper["bound"],
            note=f"value: error over bound; {upper['exact']:.2e} against {upper['bound']:.2e}; violated by "
            f"{random.filter(above['upper_printed']).height} of the {random.height} random nets",
        ),
        LOWER_PRINTED.judged(
            max(needed) <= 2 * min(needed),
            max(needed) / min(needed),
            note=f"value: largest c over smallest; c = {', '.join(f'{c:.0f}' for c in needed)}; with c = 1.12 the "
            f"error {lower['exact'][0]:.3f} at n = 51 is below the bound {lower['bound'][0]:.3f}, and so are those of "
            f"{random.filter(below['lower_printed']).height} random nets",
        ),
    ]


def _judge_runs(runs: pl.DataFrame) -> Judgement:
    reached = runs.with_columns(reached=pl.col("exact") <= EPS)
    settings = reached.group_by("constants", "block", "k").agg(pl.col("reached").sum(), count=pl.len())
    few, count = min(settings.select("reached", "count").rows(), key=lambda row: row[0] / row[1])
    drift = max(reached["drift"])
    return ENOUGH.judged(
        few / count >= 0.9 and drift <= 0.5,
        few / count,
        wilson(few, count),
        f"value: smallest fraction of runs with error <= {EPS} of any setting; largest drift {drift:.3f}",
    )


def _judge_proof(part: dict[str, pl.DataFrame]) -> list[Judgement]:
    judged = []
    for claim, constants in ((PROOF, "corrected"), (PROOF_PRINTED, "printed")):
        rows = part["requirement"].filter(constants=constants)
        drift = max(rows["azuma"] / rows["azuma_wanted"])
        weight = min(rows["relevant"] / rows["relevant_wanted"])
        holds = drift <= 1 + 1e-9 and weight >= 1 - 1e-9
        note = f"value: largest Azuma bound over delta/(nT); smallest promised over wanted weight {weight:.3f}"
        judged.append(claim.judged(holds, drift, note=note))
    return judged


experiment = Experiment(
    name="polynet-sgd",
    title="SGD on disjoint-PolyNets",
    source="Lemma 7, Theorem 7",
    claims=(BOUNDS, UPPER_PRINTED, LOWER_PRINTED, ENOUGH, PROOF, PROOF_PRINTED),
    sweep=None,
    table=table,
    figure=figure,
    judge=judge,
)
