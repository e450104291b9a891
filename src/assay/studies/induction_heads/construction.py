"""Induction heads by hand: weights of the trainable nets that count pairs.

Claim   a two-layer attention-only Transformer can count pairs, near the Bayes optimal loss; so can the minimal model,
        exactly.
Source  Edelman et al. 2024, proposition 8.2 and fact 8.3 of the dissertation. As printed the head outputs the number of
        times that a symbol followed; softmax averages, so it is the frequency. The first symbol counts as following
        itself, and where the current symbol never had a follower the answer is the frequency of symbols.
Output  table `construction`, in parts: `sharpness` (largest error against the sharpness c), `scale` (loss against the
        scale a of the logits, beside the bigram rule) and `checks` (errors of the minimal model; of counts).
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import polars as pl

import assay as ay
from assay.figures import Display, Lines, board
from assay.maths.markov import divergence, ngram
from assay.studies import Experiment, Judgement
from assay.studies.induction_heads.settings import claim
from assay.theory.markov.chains import PRIORS, truth, walk
from assay.theory.markov.head import answers, counted

SHARPNESS = (10.0, 20.0, 30.0, 50.0, 70.0, 100.0)
SIZES = {"smoke": ((3, 50),), "desk": ((3, 50), (5, 100)), "paper": ((3, 50), (5, 100), (10, 200))}
STATES = {"smoke": (2, 3), "desk": (2, 3), "paper": (2, 3, 10)}
SCALES = np.arange(1.0, 5.01, 0.1).round(1)
MOST_LOSS = {2: 0.017, 3: 0.045, 10: 0.24}
SAMPLES = {"smoke": 5000, "desk": 20_000, "paper": 20_000}

FACT = claim(
    "A3",
    "fact 8.3",
    "The minimal model counts pairs exactly with all weight of v on lag 1 and W = I, and symbols with lag 0 and W = 1.",
    "largest difference <= 1e-10 on 100 random sequences",
    kind="theorem",
)
HEAD = claim(
    "A4",
    "proposition 8.2",
    "Two attention layers can output how often each symbol followed the current one, in parts of all its followers.",
    "c = 100: error <= 1e-6 against frequencies with the two exceptions of the first symbol and of no copy",
    kind="theorem",
)
PRINTED = claim(
    "A4-printed",
    "proposition 8.2",
    "Two attention layers output the number of times that each symbol followed the current one.",
    "c = 100: error <= 1e-6 against counts",
    kind="errata",
)
NEAR_BAYES = claim(
    "A5",
    "proposition 8.2 and section 8.2",
    "With scaled logits the head built by hand is close to the Bayes optimal loss.",
    "k = 2: best scale within 2.2 to 2.8, loss <= 0.017; k = 3: <= 0.045; k = 10 (paper scale): <= 0.24; t = 100",
)


def table(runs: None, scale: str) -> pl.DataFrame:
    with jax.enable_x64(True):
        sharp = [row for k, length in SIZES[scale] for row in _sharpness(k, length)]
        checks = _minimal()
    scales = [row for k in STATES[scale] for row in _scales(k, SAMPLES[scale])]
    parts = {"sharpness": sharp, "scale": scales, "checks": checks}
    return pl.concat(
        [pl.DataFrame(rows).with_columns(part=pl.lit(name)) for name, rows in parts.items()], how="diagonal_relaxed"
    )


def _sharpness(k: int, length: int) -> list[dict[str, Any]]:
    """Largest error of the head in the trainable net, in double precision, by sharpness."""
    x = np.random.default_rng(0).integers(k, size=(100, length)).astype(np.int32)
    net, _ = ay.induction_head(k, length)
    found = jax.jit(lambda params, x: (net.apply(params, x), net.first_weights(params, x[:4])))
    rows = []
    for c in SHARPNESS:
        _, params = ay.induction_head(k, length, c)
        exact = jax.tree.map(lambda array: np.asarray(array, np.float64), params)
        logits, first = (np.asarray(array) for array in found(exact, x))
        lag_1 = first[:, 0, np.arange(1, length), np.arange(length - 1)].min()
        error = float(np.abs(logits - answers(x, k))[:, 1:].max())
        counts = float(np.abs(logits - counted(x, k, 1))[:, 1:].max())
        rows.append({"k": k, "t": length, "c": c, "error": error, "counts_error": counts, "lag_1": float(lag_1)})
    return rows


def _scales(k: int, samples: int) -> list[dict[str, Any]]:
    """Loss of a times the frequencies after 100 symbols; the head's answers are those of its limit."""
    rng = np.random.default_rng(0)
    chains = PRIORS["full"](rng, samples, k, k)
    x = walk(rng, chains, 100)
    true, rule = truth(chains, x), ngram(x, k, 2, np.float64)
    before = np.concatenate([x[:, :1], x[:, :-1]], axis=1) == x[:, -1:]
    frequency = (before[..., None] * np.eye(k)[x]).sum(axis=1) / np.maximum(before.sum(axis=1), 1)[:, None]
    unseen = before.sum(axis=1) == 0
    frequency[unseen] = np.eye(k)[x[unseen]].mean(axis=1)
    rows = []
    for a in SCALES.tolist():
        law = np.exp(a * frequency)
        law /= law.sum(axis=1, keepdims=True)
        loss, distance = divergence(true, law).mean(), divergence(rule, law).mean()
        line = float(divergence(true, rule).mean())
        rows.append({"k": k, "a": a, "loss": float(loss), "distance": float(distance), "bigram_line": line})
    return rows


def _minimal() -> list[dict[str, Any]]:
    x = np.random.default_rng(1).integers(3, size=(100, 40)).astype(np.int32)
    net = ay.MinimalInduction(states=3, length=40)
    rows = []
    for name, lag, match in (("pairs", 1, np.eye(3)), ("symbols", 0, np.ones((3, 3)))):
        params = {"match": {"weight": jnp.asarray(match)}, "lags": {"weight": jnp.asarray(np.eye(40)[lag])}}
        error = np.abs(np.asarray(net.apply(params, jnp.asarray(x))) - counted(x, 3, lag)).max()
        rows.append({"check": name, "error": float(error)})
    return rows


def figure(table: pl.DataFrame) -> Display:
    sharp = table.filter(part="sharpness").drop("part").with_columns(size=pl.format("k = {}, t = {}", "k", "t"))
    scales = table.filter(part="scale").drop("part").with_columns(states=pl.format("k = {}", "k"))
    return board(
        Lines(
            sharp, x="c", y="error", line="size", y_scale="log", x_label="sharpness c", y_label="largest error",
            title="the sharper the more exact",
        ),
        Lines(
            scales, x="a", y="loss", line="states", curve="bigram_line", x_label="scale a of the logits",
            y_label="KL(truth || head)", title="close to the bigram rule",
        ),
        columns=2,
        title="An induction head by hand",
        caption="a: largest error of the head's answers, in the trainable net, against frequencies of followers. b: "
        "its "
        "loss after 100 symbols against the scale of its logits (points), and that of the bigram rule (lines). Edelman "
        "et al. 2024, proposition 8.2.",
    )  # fmt: skip


def judge(table: pl.DataFrame, scale: str) -> list[Judgement]:
    sharp = table.filter(part="sharpness", c=100.0)
    error, counts = float(sharp["error"].max()), float(sharp["counts_error"].min())  # type: ignore[arg-type]
    fact = float(table.filter(part="checks")["error"].max())  # type: ignore[arg-type]
    best = table.filter(part="scale").sort("loss").unique("k", keep="first").sort("k")
    near = all(row["loss"] <= MOST_LOSS[row["k"]] for row in best.rows(named=True))
    two = best.filter(k=2).row(0, named=True)
    near &= 2.2 <= two["a"] <= 2.8
    words = "; ".join(
        f"k = {row['k']}: a = {row['a']}, loss {row['loss']:.4f}, bigram rule {row['bigram_line']:.4f}"
        for row in best.rows(named=True)
    )
    lag_1 = sharp["lag_1"].min()
    return [
        FACT.judged(fact <= 1e-10, fact, None, "value: largest difference"),
        HEAD.judged(error <= 1e-6, error, None, f"value: largest error; weight on lag 1 at least {lag_1:.9f}"),
        PRINTED.judged(counts <= 1e-6, counts, None, "value: largest difference from counts"),
        NEAR_BAYES.judged(near, two["loss"], None, f"value: loss at k = 2. {words}"),
    ]


experiment = Experiment(
    name="construction",
    title="An induction head by hand",
    source="proposition 8.2 and fact 8.3",
    claims=(FACT, HEAD, PRINTED, NEAR_BAYES),
    sweep=None,
    table=table,
    figure=figure,
    judge=judge,
)
