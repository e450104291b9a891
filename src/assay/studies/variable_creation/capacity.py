"""Capacity of attention: covering numbers, the generalisation that they give, and how little the length matters.

Claim   the capacity of bounded-norm heads, in parallel or in depth, grows like log T; so do the samples that suffice.
Source  Edelman, Goel, Kakade, Zhang 2022, sections 4.1 and 4.2, appendix A.1 (chapter 4 of Edelman 2024).
Output  table `capacity`, in parts: `length` (bounds against T), `heads`, `samples` (that suffice for a gap), `checks`
        (one row a check: the number found and its limit).
"""

from __future__ import annotations

import itertools
import math

import numpy as np
import polars as pl

from assay.figures import Display, Lines, board
from assay.studies import Claim, Experiment, Judgement
from assay.theory.capacity.attention import Norms, amplification, deep, parallel_heads, single_head, with_positions
from assay.theory.capacity.covering import best_split, greedy_cover, linear_cover, matrix_cover, maurey
from assay.theory.capacity.generalisation import samples_needed
from assay.theory.capacity.lipschitz import softmax, softmax_jacobian, to_ball

LENGTHS = tuple(10**e for e in (2, 3, 4, 5, 6))
DRAWS = {"smoke": 2000, "desk": 100_000, "paper": 100_000}
SOURCE = "Edelman, Goel, Kakade, Zhang 2022, "

SPLIT = Claim(
    id="C1",
    source=SOURCE + "lemma A.8",
    statement="The best way to share out an error has the stated closed form.",
    kind="theorem",
    criterion="1000 random problems: budget and value met to 1e-10, and no random split below the minimum",
)
SOFTMAX = Claim(
    id="C2",
    source=SOURCE + "lemma A.6 and corollary A.7",
    statement="Softmax changes in l1 by at most 2 times the largest change of a score; its Jacobian sums to 2 sum "
    "p(1-p).",
    kind="theorem",
    criterion="largest ratio over random pairs <= 2 (the sharp constant is 1), Jacobian to 1e-12",
)
PROJECTION = Claim(
    id="C3",
    source=SOURCE + "lemma A.9",
    statement="Projection to the unit ball does not increase distances.",
    kind="theorem",
    criterion="largest ratio over random pairs <= 1 + 1e-12",
)
COVERS = Claim(
    id="C7",
    source=SOURCE + "lemmas 4.10 and A.10",
    statement="Linear and matrix classes have covers of the stated sizes, with explicit constants.",
    kind="theorem",
    criterion="reference values to 1e-9 (1e-7 where given to fewer digits); no greedy cover larger than the bound",
)
MAUREY = Claim(
    id="C8",
    source=SOURCE + "lemma 4.10, proof",
    statement="A vector of l1-norm B is within eps of an average of B^2/eps^2 signed unit vectors times B.",
    kind="theorem",
    criterion="best of 200 averages within eps = 0.2, for 20 random vectors",
)
LOGARITHMIC = Claim(
    id="C9",
    source=SOURCE + "corollary 4.9, lemmas A.11 and A.12, theorem 4.11",
    statement="The capacity of bounded-norm heads and Transformers is affine in log T, and grows with the cube of the "
    "number of parallel heads; d and k enter through the logarithm alone.",
    kind="theorem",
    criterion="T = 1e2..1e6: R^2 > 0.9999 against log T; heads: H^3 to 1e-12; ratio of theorem 4.11 at d = 4096 and "
    "d = 8 equal to that of the logarithms to 1e-12",
)
DEPTH_PRINTED = Claim(
    id="C9-printed",
    source=SOURCE + "theorem A.17, as printed",
    statement="The capacity in depth has factors d^(2/3) and k^(2/3), as theorem A.17 prints and its proof does not.",
    kind="errata",
    criterion="printed value at most 1.01 times what the proof gives, at L = 1, norms 1, B_w = 2, d = 8, k = 4",
)
DEPTH_REMARK = Claim(
    id="C9-depth",
    source=SOURCE + "remark after theorem 4.11, as printed",
    statement="With spectral norms at most 1 the capacity does not grow exponentially with depth.",
    kind="errata",
    criterion="amplification of a layer with all norms 1 <= 1",
)
SAMPLES = Claim(
    id="C10",
    source=SOURCE + "lemmas 4.2 and A.5",
    statement="The samples that suffice for a given generalisation gap grow like log T, where a bound on the Frobenius "
    "norm of the input would ask for T times as many.",
    kind="theorem",
    criterion="m(1e6) / m(1e2) <= 4; with B_X sqrt(T) in place of B_X > 1e3",
)


def table(runs: None, scale: str) -> pl.DataFrame:
    norms = Norms()
    at = {"d": 64, "samples": 100, "eps": 0.1}
    lengths = [
        {"part": "length", "line": line, "x": length, "value": value}
        for length in LENGTHS
        for line, value in (
            ("one head", single_head(norms, length=length, **at)),
            ("one head, with positions", with_positions(norms, length=length, **at)),
            ("16 heads", parallel_heads(norms, 16, length=length, **at)),
            ("3 layers", deep([norms] * 3, d=64, k=64, length=length, samples=100, eps=0.1)),
        )
    ]
    one = parallel_heads(norms, 1, length=300, **at)
    heads = [
        {"part": "heads", "line": "H heads over one", "x": h, "value": parallel_heads(norms, h, length=300, **at) / one}
        for h in (1, 2, 4, 8, 16)
    ]
    samples = [
        {"part": "samples", "line": line, "x": length, "value": value}
        for length in LENGTHS
        for line, value in (
            ("bounded rows", samples_needed(lambda m, t=length: _capacity(t, m), 0.1)),
            ("bounded Frobenius norm", samples_needed(lambda m, t=length: _capacity(t, m) * t, 0.1)),
        )
    ]
    return pl.DataFrame(lengths + heads + samples + _checks(DRAWS[scale]), infer_schema_length=None)


def _capacity(length: int, samples: float) -> float:
    return single_head(Norms(), d=64, samples=math.ceil(samples), length=length, eps=1.0)


def _checks(draws: int) -> list[dict[str, object]]:
    rng = np.random.default_rng(0)
    z = rng.uniform(0.1, 8) * rng.normal(size=(draws, 2)).repeat(3, axis=1)
    near = z + rng.normal(size=z.shape) * 10 ** rng.uniform(-4, 1, (draws, 1))
    softmaxes = np.abs(softmax(z) - softmax(near)).sum(1) / np.abs(z - near).max(1)
    jacobians = []
    for point in z[:200]:
        p = softmax(point)
        jacobians.append(abs(np.abs(softmax_jacobian(point)).sum() - 2 * (p * (1 - p)).sum()))
    u, v = 2 * rng.normal(size=(2, draws, 5))
    projections = np.linalg.norm(to_ball(u) - to_ball(v), axis=1) / np.linalg.norm(u - v, axis=1)
    printed, derived = (
        deep([Norms()], d=8, k=4, samples=100, length=300, eps=0.1, readout=2, printed=p) for p in (True, False)
    )
    at = {"k": 4, "samples": 100, "length": 300, "eps": 0.1}
    wide = deep([Norms()] * 2, d=4096, **at) / deep([Norms()] * 2, d=8, **at)
    found = {
        "split": _splits(rng),
        "softmax": float(softmaxes.max()),
        "jacobian": float(max(jacobians)),
        "projection": float(projections.max()),
        "covers": _references(),
        "greedy": _greedy(rng),
        "maurey": _maurey(rng),
        "printed over derived": printed / derived,
        "width": abs(wide / (math.log(4096 * 30_000) / math.log(8 * 30_000)) - 1),
        "amplification": amplification(Norms()),
    }
    return [{"part": "checks", "line": name, "x": None, "value": value} for name, value in found.items()]


def _splits(rng: np.random.Generator) -> float:
    """The largest relative error of budget and value, infinite where some split is better than the best."""
    worst = 0.0
    for _ in range(1000):
        n = int(rng.integers(1, 11))
        costs, weights, budget = rng.uniform(0.1, 5, n), rng.uniform(0.1, 5, n), rng.uniform(0.1, 5)
        x, least = best_split(costs, weights, budget)
        worst = max(worst, abs(float(weights @ x) / budget - 1), abs(float(np.sum(costs / x**2)) / least - 1))
        other = rng.dirichlet(np.ones(n), 20) * budget / weights
        if (np.sum(costs / other**2, axis=1) < least * (1 - 1e-12)).any():
            return math.inf
    return worst


def _references() -> float:
    """Largest relative error, those with seven digits counted a hundredth."""
    pairs = [
        (linear_cover(1, 1, 0.1, 1000), 40818.902337, 1.0),
        (linear_cover(2, 3, 0.5, 10), 35814.984776, 1.0),
        (matrix_cover(1, 1, 0.1, 64, 1e4, share=0.5), 208010.91, 0.01),
        (matrix_cover(1, 1, 0.1, 64, 1e4, share=0.18), 89073.08, 0.01),
    ]
    return max(abs(value / known - 1) * weight for value, known, weight in pairs)


def _greedy(rng: np.random.Generator) -> float:
    """Largest log size of a greedy cover of sampled linear functions over the bound."""
    ratios = []
    for d, points, eps in itertools.product((1, 2, 3), (5, 50), (0.1, 0.5)):
        x, w = to_ball(rng.normal(size=(points, d))), to_ball(rng.normal(size=(800, d)))
        ratios.append(math.log(greedy_cover(w @ x.T, eps)) / linear_cover(1, 1, eps, points))
    return max(ratios)


def _maurey(rng: np.random.Generator) -> float:
    """The largest over vectors of the smallest distance over averages, over eps."""
    worst = 0.0
    for _ in range(20):
        vector = rng.dirichlet(np.ones(30)) * rng.choice([-1, 1], 30)
        worst = max(worst, min(float(np.linalg.norm(maurey(vector, 1.0, 25, rng) - vector)) for _ in range(200)) / 0.2)
    return worst


def figure(table: pl.DataFrame) -> Display:
    def part(name: str) -> pl.DataFrame:
        return table.filter(part=name).drop("part")

    bounds = part("length")
    return board(
        Lines(
            bounds, x="x", y="value", line="line", x_scale="log", title="Capacity against T",
            x_label="length T", y_label="capacity", y_scale="log",
        ),
        Lines(
            part("samples"), x="x", y="value", line="line", x_scale="log", y_scale="log", title="Samples that suffice",
            x_label="length T", y_label="samples, gap 0.1",
        ),
        Lines(
            part("heads"), x="x", y="value", line="line", x_scale="log", y_scale="log", title="Parallel heads",
            x_label="heads H", y_label="capacity over one head",
        ),
        size=(6.8, 2.9),
        title="Capacity of attention",
        caption="Bounds on the log covering number of bounded-norm attention (all norms 1, hidden constant 1, m = 100, "
        "d = 64, eps = 0.1) ; the samples that make the generalisation bound 0.1 (vacuous in "
        "size, not "
        "in growth); and the factor for H parallel heads. Edelman, Goel, Kakade, Zhang 2022, sections 4.1 and 4.2.",
    )  # fmt: skip


def judge(table: pl.DataFrame, scale: str) -> list[Judgement]:
    found: dict[str, float] = dict(table.filter(part="checks").select("line", "value").iter_rows())
    fits = []
    for _, line in table.filter(part="length").group_by("line"):
        x, y = np.log(line["x"].to_numpy().astype(float)), line["value"].to_numpy()
        fits.append(float(np.corrcoef(x, y)[0, 1] ** 2))
    heads = table.filter(part="heads")
    cube = float((heads["value"] / heads["x"].cast(float) ** 3 - 1).abs().max())  # type: ignore[arg-type]
    growth = {
        str(name): float(rows["value"][-1] / rows["value"][0])
        for (name,), rows in table.filter(part="samples").sort("x").group_by("line")
    }
    rows, frobenius = growth["bounded rows"], growth["bounded Frobenius norm"]
    return [
        SPLIT.judged(found["split"] < 1e-10, found["split"]),
        SOFTMAX.judged(found["softmax"] <= 2 and found["jacobian"] < 1e-12, found["softmax"]),
        PROJECTION.judged(found["projection"] <= 1 + 1e-12, found["projection"]),
        COVERS.judged(found["covers"] < 1e-9 and found["greedy"] <= 1, found["covers"]),
        MAUREY.judged(found["maurey"] <= 1, found["maurey"]),
        LOGARITHMIC.judged(min(fits) > 0.9999 and cube < 1e-12 and found["width"] < 1e-12, min(fits)),
        DEPTH_PRINTED.judged(found["printed over derived"] <= 1.01, found["printed over derived"]),
        DEPTH_REMARK.judged(found["amplification"] <= 1, found["amplification"], note="5 a layer, so 5^(L-1) in depth"),
        SAMPLES.judged(rows <= 4 and frobenius > 1e3, rows, note=f"with the Frobenius norm {frobenius:.3g}"),
    ]


experiment = Experiment(
    name="capacity",
    title="Capacity of attention",
    source="sections 4.1 and 4.2, appendix A.1",
    claims=(
        SPLIT, SOFTMAX, PROJECTION, COVERS, MAUREY, LOGARITHMIC, DEPTH_PRINTED, DEPTH_REMARK, SAMPLES,
    ),
    sweep=None,
    table=table,
    figure=figure,
    judge=judge,
)  # fmt: skip
