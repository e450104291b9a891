"""The runs of the study: Transformers and minimal models on Markov chains, as the dissertation says and, where it is
silent, as the code behind its figures does.

Transformers: `small` is the printed architecture (no layer norm, no projection, weights N(0, 0.2^2)) at a rate at which
the whole story takes 400 steps; `two` and `three` have the layer norms and projections of the code, its rate 5e-4 and
2000 steps, for two and three states. The printed rate 3e-5 does not leave the plateau in that time (claim A29).
"""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

import assay as ay
from assay.analysis import stages
from assay.studies import Claim

BATCH = 64
PAPER = "Edelman, Edelman, Goel, Malach and Tsilivis 2024"
THESIS = "Edelman 2024 (dissertation)"

STRATEGIES = ("markov/uniform", "markov/unigram", "markov/bigram")
LOSSES = ("markov/truth", *STRATEGIES, "markov/unigram_line", "markov/bigram_line")
PARTS = ("markov/truth_iid", "markov/truth_balanced")
HEADS = ("attention/previous", "attention/followers", "attention/match", "attention/lags", "attention/encoding")
ALL = (*LOSSES, *PARTS, *HEADS, "attention/maps", "weights/snapshot")

NAMES = {"markov/truth": "truth", "uniform": "uniform", "unigram": "unigram", "bigram": "bigram", "trigram": "trigram"}


def decayed(net: ay.SequenceTransformer) -> tuple[ay.Rate, ...]:
    """Weight decay on matrices alone: not on embeddings, tables of positions and norms."""
    positions = [f"layer_{i}_positions" for i in range(net.layers)] if net.positions == "relative" else []
    embeddings = ["embed_tokens", *(["embed_positions"] if net.positions == "absolute" else [])]
    return tuple(ay.Rate(layer=layer, weight_decay=0.0) for layer in (*embeddings, *positions, *net.norms))


def transformer(
    rate: float,
    task: ay.MarkovChains,
    net: ay.SequenceTransformer | None = None,
    *,
    budget: int,
    every: int,
    measures: tuple[str, ...] = ALL,
    decay: float = 0.1,
    sample: int = 1000,
) -> ay.Trial:
    """A Transformer, trained on fresh batches of 64 with AdamW (betas 0.9 and 0.95)."""
    net = net or ay.SequenceTransformer()
    return ay.Trial(
        task=task,
        net=net,
        init=ay.Normal(std=0.02 if net.preset == "mingpt" else 0.2),
        loss=ay.SequenceCrossEntropy(),
        optimiser=ay.AdamW(
            learning_rate=rate, beta2=0.95, weight_decay=decay, rates=decayed(net) if decay else ()
        ),
        batch=BATCH,
        budget=budget,
        solve=None,
        record=ay.Record(measures=measures, every=every, sample=sample),
    )  # fmt: skip


def minimal(task: ay.MarkovChains, *, budget: int, every: int) -> ay.Trial:
    """The minimal model: SGD at rate 2e-3 from v = 0.02, W = 0."""
    return ay.Trial(
        task=task,
        net=ay.MinimalInduction(),
        loss=ay.SequenceCrossEntropy(),
        optimiser=ay.SGD(learning_rate=2e-3),
        batch=BATCH,
        budget=budget,
        solve=None,
        record=ay.Record(measures=(*LOSSES, *PARTS, "weights/snapshot"), every=every, sample=1000),
    )


TWO, THREE = ay.MarkovChains(states=2), ay.MarkovChains(states=3)
MINGPT = ay.SequenceTransformer(preset="mingpt")
SEEDS = {"smoke": 4, "desk": 8, "paper": 10}


def transformers(scale: str) -> dict[str, ay.Sweep]:
    """The runs that most figures show, by name."""
    seeds = ay.seeds(SEEDS[scale])
    found = {"small": ay.Sweep(transformer(3e-3, TWO, budget=400, every=20 if scale == "smoke" else 10), seeds)}
    if scale != "smoke":
        for name, task in (("two", TWO), ("three", THREE)):
            found[name] = ay.Sweep(transformer(5e-4, task, MINGPT, budget=2000, every=20), seeds)
    return found


def minimals(scale: str) -> dict[str, ay.Sweep]:
    """Minimal models on chains with flat rows."""
    seeds = ay.seeds(SEEDS[scale])
    two = {"smoke": 1300, "desk": 1300, "paper": 2000}[scale]
    three = {"smoke": 200, "desk": 2000, "paper": 2000}[scale]
    return {
        "two": ay.Sweep(minimal(TWO, budget=two, every=20), seeds),
        "three": ay.Sweep(minimal(THREE, budget=three, every=20), seeds),
    }


WORDS: Mapping[str, str] = {
    "small": "two states, as printed",
    "two": "two states",
    "three": "three states",
}


def joined(sweeps: Mapping[str, ay.Sweep]) -> ay.Sweep:
    """The sweeps of all names as one."""
    first, *rest = sweeps.values()
    return sum(rest, first)


def labels(sweeps: Mapping[str, ay.Sweep], column: str = "runs") -> pl.DataFrame:
    """Which trial belongs to which name, and its seed: columns `trial`, the name, `seed`."""
    rows = [(trial.identity, name, trial.seed) for name, sweep in sweeps.items() for trial in sweep.trials()]
    return pl.DataFrame(rows, schema={"trial": pl.String, column: pl.String, "seed": pl.Int64}, orient="row")


def curves(runs: ay.Runs, sweeps: Mapping[str, ay.Sweep], strategies: tuple[str, ...] = STRATEGIES) -> pl.DataFrame:
    """The curves with name, seed, number of sequences seen, the stage, and the loss half-way between the lines."""
    found = runs.curves.join(labels(sweeps), on="trial", maintain_order="left")
    middle = (pl.col("markov/unigram_line") + pl.col("markov/bigram_line")) / 2
    return stages.labelled(found, strategies).with_columns(sequences=pl.col("step") * BATCH, half=middle)


def drops(curves: pl.DataFrame) -> pl.DataFrame:
    """The step at which the test loss of each trial falls below half-way between the lines for good: column `drop`."""
    return stages.falls(curves, "markov/truth", "half").rename({"step": "drop"})


def by_lag(runs: ay.Runs, sweeps: Mapping[str, ay.Sweep], name: str) -> pl.DataFrame:
    """An array measure [records, heads, t] of one head: trial, step, lag, value."""
    steps = runs.curves.group_by("trial", maintain_order=True).agg("step")
    of = dict(steps.rows())
    parts = []
    for trial, array in runs.arrays(name).items():
        if trial not in of:
            continue
        values = array[:, 0]
        records, t = values.shape
        parts.append(
            pl.DataFrame({"step": of[trial], "lag": [list(range(t))] * records, "value": values.tolist()})
            .explode("lag", "value")
            .select(pl.lit(trial).alias("trial"), "step", "lag", "value")
        )
    return pl.concat(parts).join(labels(sweeps), on="trial", maintain_order="left").drop_nulls("runs")


def weights(runs: ay.Runs, sweeps: Mapping[str, ay.Sweep]) -> pl.DataFrame:
    """What is read off the weights of minimal models: per trial and step the mean diagonal and off-diagonal entries of
    W (`same`, `other`), and v by lag as `v0`, ..., `v9`, with the largest of all others than lag 1 as `rest`."""
    steps = dict(runs.curves.group_by("trial", maintain_order=True).agg("step").rows())
    match, lags = (runs.arrays(f"weights/snapshot.{name}.weight") for name in ("match", "lags"))
    rows = []
    for trial, name, seed in labels(sweeps).rows():
        for step, w, v in zip(steps[trial], match[trial], lags[trial], strict=True):
            k = len(w)
            same, total = float(w.trace()) / k, float(w.sum())
            other = (total - same * k) / (k * (k - 1))
            rest = max(abs(float(x)) for i, x in enumerate(v) if i != 1)
            rows.append(
                {"trial": trial, "runs": name, "seed": seed, "step": step, "same": same, "other": other, "rest": rest}
                | {f"v{i}": float(v[i]) for i in range(10)}
            )
    return pl.DataFrame(rows)


def claim(id: str, source: str, statement: str, criterion: str | Mapping[str, str], kind: str = "experiment") -> Claim:
    """A claim of the paper, by its place in the dissertation."""
    return Claim(id=id, source=f"{PAPER}; {THESIS}, {source}", statement=statement, kind=kind, criterion=criterion)
