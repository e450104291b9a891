"""What SGD is compared with: examples and work until the hidden subset is known, for nets and for programs.

Claim   search over subsets needs k log n examples and n^k work; Gaussian elimination n examples and n^3 work, but no
        noise; a net that is barely better than chance is as good as one that has learnt the parity.
Source  Barak et al. 2022, sections 1 to 3 on the limits and on random search, appendix C.6 on elimination and noise,
        appendix C.1 on weak nets. The paper states these, and measures SGD only; the programs are `assay.learners`.
        SGD: setting (ii) at learning rate 1 and batch 32, solved at 98 % of 8,192 held-out examples, which noisy runs
        reach too. Weak nets: ReLU nets too narrow for the parity (width 1 for k = 2, else 2), batch 128, learning rate
        0.1, stopped as soon as they answer 55 % of 8,192 held-out examples rightly (ten checks in a row, the paper's
        rule, would let them go on to 62 % and more). Held-out examples are not counted.
Output  table `comparison`, in two parts: `samples` and `work` (quantiles for each learner, k, noise and n; unsuccessful
        tries are infinite), with the moments that the claims are about in the first.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

import assay as ay
from assay.analysis import survival
from assay.analysis.fractions import wilson
from assay.figures import Display, SolveTimes, board
from assay.learners import (
    CorrelationScreen,
    Elimination,
    Examples,
    ExhaustiveSearch,
    Learner,
    PooledElimination,
    RandomSearch,
    WeakToStrong,
)
from assay.learners.elimination import expected_attempts
from assay.studies import Claim, Experiment, Judgement
from assay.studies.hidden_progress.settings import NETS

PROGRAMS: Mapping[str, Learner] = {
    "random search": RandomSearch(confidence=0.999),
    "exhaustive search": ExhaustiveSearch(confidence=0.999),
    "elimination": Elimination(),
    "pooled elimination": PooledElimination(),
    "correlations": CorrelationScreen(),
}
SGD, WEAK = "SGD, ReLU net of width 100", "weak net, decoded"
DRAWN = (SGD, WEAK, *PROGRAMS)[:-1]
"""In the figure; correlations find no parity of three bits."""
BY = ["learner", "task.k", "task.noise", "task.n"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Grid:
    """What is learnt at a scale, and how often."""

    ns: Sequence[int]
    ks: Sequence[int]
    noises: Sequence[float]
    tries: int  # of each program
    runs: int  # of SGD
    nets: int  # weak ones
    weak_ns: Sequence[int]


GRID: Mapping[str, Grid] = {
    "smoke": Grid(ns=(20, 50), ks=(3,), noises=(0.0, 0.1), tries=50, runs=5, nets=6, weak_ns=(20,)),
    "desk": Grid(
        ns=(10, 20, 30, 50, 70), ks=(2, 3, 4), noises=(0.0, 0.1, 0.25), tries=50, runs=10, nets=10,
        weak_ns=(10, 20, 30, 50),
    ),
    "paper": Grid(
        ns=(10, 20, 30, 50, 70, 100), ks=(2, 3, 4), noises=(0.0, 0.1, 0.25), tries=1000, runs=100, nets=100,
        weak_ns=(10, 20, 30, 50, 70),
    ),
}  # fmt: skip
MOST_ATTEMPTS = {"smoke": 20, "desk": 500, "paper": 10_000}
"""Pooled elimination is run where it is expected to need so many systems at most."""
BUDGET = 100_000
CHECKED = 1 << 14
"""Examples on which the accuracy of a weak net is measured."""

ELIMINATION = Claim(
    id="L1",
    source="Barak et al. 2022, section 1 and appendix C.6 (n examples and n^3 operations without noise)",
    statement="Without noise Gaussian elimination finds the subset from n examples and a few more, whatever k is.",
    kind="theorem",
    criterion="noise 0: the subset is found in every try, from at most n + 20 examples, at every n and k",
)
NOISE = Claim(
    id="L2",
    source="Barak et al. 2022, section 1 and appendix C.6 (noise as what elimination does not survive)",
    statement="Gaussian elimination fails once labels are noisy.",
    kind="theorem",
    criterion="noise 0.1, n >= 50: the subset is found in at most 5 % of the tries ((1-p)^n is 0.5 % at n = 50)",
)
SEARCH = Claim(
    id="L3",
    source="Barak et al. 2022, sections 1 and 2 (statistical limit log2 C(n,k))",
    statement="Exhaustive search needs about log2 C(n,k) = Theta(k log n) examples, as few as any learner can.",
    kind="theorem",
    criterion="noise 0: mean number of examples until one subset is left, less log2 C(n,k), in [0, 3] at every n and k",
)
WEAK_TO_STRONG = Claim(
    id="L4",
    source="Barak et al. 2022, appendix C.1 (weak learners of parities become strong ones)",
    statement="A net that is right on about 55 % of the inputs gives the subset away exactly.",
    kind="theorem",
    criterion="of the nets too narrow for the parity that SGD brings to 55 % of 8192 held-out examples, and that are "
    "stopped there, at least 90 % lead to the subset; at least 10 nets",
)
CORRELATIONS = Claim(
    id="L5",
    source="Barak et al. 2022, section 2, equation 2",
    statement="No correlation of degree at most 2 tells anything of a parity of more than 2 bits.",
    kind="theorem",
    criterion={
        "smoke": "the most correlated feature gives the subset in at most 5 % of the tries at k = 3",
        "desk": "the most correlated feature gives the subset in >= 95 % of the tries at k = 2, in <= 5 % at k >= 3",
        "paper": "the most correlated feature gives the subset in >= 95 % of the tries at k = 2, in <= 5 % at k >= 3",
    },
)
RETRIES = Claim(
    id="L6",
    source="Barak et al. 2022, appendix C.6 (noise); Esser, Kuebler, May 2017 (Pooled Gauss)",
    statement="Elimination on random n of the examples, again and again, takes (1-p)^-n systems under noise p.",
    kind="theorem",
    criterion={
        "smoke": "noise 0.1: mean number of systems over (1-p)^-n in [1/2, 2] wherever (1-p)^-n <= 20",
        "desk": "noise 0.1 and 0.25: mean number of systems over (1-p)^-n in [1/2, 2] wherever (1-p)^-n <= 500",
        "paper": "noise 0.1 and 0.25: mean number of systems over (1-p)^-n in [1/2, 2] wherever (1-p)^-n <= 10,000",
    },
)


def sweeps(scale: str) -> dict[str, ay.Sweep]:
    grid = GRID[scale]
    trial = ay.Trial(
        task=ay.Parity(n=grid.ns[0], k=grid.ks[0]),
        net=NETS["ii"],
        optimiser=ay.SGD(learning_rate=1.0),
        batch=32,
        budget=BUDGET,
        solve=ay.Solve(accuracy=0.98),
    )
    weak = trial.replace(
        net=ay.MLP(width=1),
        optimiser=ay.SGD(learning_rate=0.1),
        batch=128,
        solve=ay.Solve(accuracy=0.55),
        record=ay.Record(measures=("weights/snapshot",)),
    )
    noise = ay.axis("task.noise", *grid.noises)
    widths = ay.zipped(ay.axis("task.k", *grid.ks), ay.axis("net.width", *(1 if k == 2 else 2 for k in grid.ks)))
    return {
        SGD: ay.Sweep(trial, ay.axis("task.k", *grid.ks), ay.axis("task.n", *grid.ns), noise, ay.seeds(grid.runs)),
        WEAK: ay.Sweep(weak, widths, ay.axis("task.n", *grid.weak_ns), noise, ay.seeds(grid.nets)),
    }


def sweep(scale: str) -> ay.Sweep:
    first, second = sweeps(scale).values()
    return first + second


def table(runs: ay.Runs, scale: str) -> pl.DataFrame:
    rows = [*_trained(runs, scale), *_decoded(runs, scale), *_programs(scale)]
    tries = pl.DataFrame(rows, infer_schema_length=None)
    tries = tries.with_columns(outcome=pl.when("found").then(pl.lit("solved")).otherwise(pl.lit("censored")))
    moments = tries.group_by(BY).agg(
        pl.first("bits"),
        pl.max("samples").alias("samples_max"),
        pl.mean("samples").alias("samples_mean"),
        pl.std("samples").alias("samples_sd"),
        pl.mean("queries").alias("queries_mean"),
        pl.std("queries").alias("queries_sd"),
        pl.col("accuracy").drop_nulls().len().alias("weak"),
        pl.median("accuracy").alias("accuracy_median"),
        pl.min("accuracy").alias("accuracy_min"),
    )
    order = pl.col("learner").replace_strict({name: i for i, name in enumerate((*DRAWN, "correlations"))})
    samples, work = (
        survival.summary(tries.with_columns(step=pl.col(column)), by=BY)
        .sort(order, *BY[1:])
        .with_columns(part=pl.lit(column))
        for column in ("samples", "work")
    )
    return pl.concat([samples.join(moments, on=BY, how="left", maintain_order="left"), work], how="diagonal_relaxed")


def _trained(runs: ay.Runs, scale: str) -> Iterator[dict[str, Any]]:
    """SGD: an example costs a multiply-add for each parameter forwards and one backwards."""
    ended = dict(runs.frame.select("trial", pl.struct("outcome", "step")).iter_rows())
    for trial in sweeps(scale)[SGD].trials():
        end = ended[trial.identity]
        samples = 32 * end["step"]
        yield _row(SGD, trial.task, end["outcome"] == "solved", samples, 0, 2 * trial.learner.size * samples)


def _decoded(runs: ay.Runs, scale: str) -> Iterator[dict[str, Any]]:
    """Weak nets, each turned into a function of its inputs and decoded; those that never became weak are not."""
    ended = dict(runs.frame.select("trial", pl.struct("outcome", "step")).iter_rows())
    names = ("hidden_1.weight", "hidden_1.bias", "output.weight", "output.bias")
    arrays = [runs.arrays(f"weights/snapshot.{name}") for name in names]
    for trial in sweeps(scale)[WEAK].trials():
        end, size = ended[trial.identity], trial.learner.size
        samples, work = 128 * end["step"], 2 * size * 128 * end["step"]
        if end["outcome"] != "solved":
            yield _row(WEAK, trial.task, False, samples, 0, work)
            continue
        net = Net(*(array[trial.identity][-1] for array in arrays))
        assert isinstance(trial.task, ay.Parity)
        found = WeakToStrong(hypothesis=net, cost=size).learn(Examples(trial.task, trial.seed))
        right = found.subset == trial.task.coordinates(trial.seed)
        x, y = Examples(trial.task.replace(noise=0.0), trial.seed).take(CHECKED)
        accuracy = float(np.mean(net(1 - 2 * x.view(np.int8)) == 1 - 2 * y.view(np.int8)))
        row = _row(WEAK, trial.task, right, samples + found.samples, found.queries, work + found.work)
        yield row | {"accuracy": accuracy}


class Net:
    """The answers of a ReLU net with one hidden layer."""

    def __init__(self, hidden: np.ndarray, bias: np.ndarray, output: np.ndarray, constant: np.ndarray) -> None:
        self.hidden, self.bias = np.ascontiguousarray(hidden.T), bias
        self.output, self.constant = output[0], constant[0]

    def __call__(self, x: np.ndarray) -> np.ndarray:
        features = np.maximum(x.astype(np.float32) @ self.hidden + self.bias, 0)
        return np.sign(features @ self.output + self.constant)


def _programs(scale: str) -> Iterator[dict[str, Any]]:
    grid = GRID[scale]
    for name, learner in PROGRAMS.items():
        seeds = itertools.count()  # of its own for each try: no two share examples
        for k, noise, n in itertools.product(grid.ks, grid.noises, grid.ns):
            if isinstance(learner, PooledElimination) and expected_attempts(n, noise) > MOST_ATTEMPTS[scale]:
                continue
            task = ay.Parity(n=n, k=k, noise=noise, subset="random")
            for seed in itertools.islice(seeds, grid.tries):
                found = learner.learn(Examples(task, seed))
                right = found.subset == task.coordinates(seed)
                yield _row(name, task, right, found.samples, found.queries, found.work)


def _row(learner: str, task: Any, found: bool, samples: int, queries: int, work: int) -> dict[str, Any]:
    return {
        "learner": learner,
        "task.k": task.k,
        "task.noise": task.noise,
        "task.n": task.n,
        "bits": math.log2(math.comb(task.n, task.k)),
        "found": found,
        "samples": samples,
        "queries": queries,
        "work": work,
        "accuracy": None,
    }


def figure(table: pl.DataFrame) -> Display:
    rows = table.filter(pl.col("task.k") == 3, pl.col("learner").is_in(DRAWN))
    words = {str(noise): f"p = {noise:g}" if noise else "no noise" for noise in rows["task.noise"].unique()}
    displays = [
        SolveTimes(
            rows.filter(part=part).drop("part"),
            panel="task.noise",
            columns=rows["task.noise"].n_unique(),
            x="task.n",
            line="learner",
            labels=words | {"task.n": "n"},
            y_label=label,
            title=title,
        )
        for part, label, title in (
            ("samples", "labelled examples", "Examples until the subset is known"),
            ("work", "word operations, multiply-adds", "Work until the subset is known"),
        )
    ]
    return board(
        *displays,
        columns=1,
        title="Learning a parity of 3 bits, with and without gradients",
        caption="Median over tries with 95 % bootstrap bars; an open triangle is a learner that failed in most tries, "
        "with the fraction in which it did not. Searches test subsets on a sample of the size that the statistical "
        "limit asks for. Elimination solves one linear system, pooled elimination system after system (where few "
        "enough are expected). Weak nets have 2 neurons and are stopped at 55 % accuracy. "
        "Barak et al. 2022, sections 1 to 3.",
    )


def judge(table: pl.DataFrame, scale: str) -> list[Judgement]:
    cells = table.filter(part="samples")
    return [
        _elimination(cells),
        _noise(cells),
        _search(cells),
        _weak_to_strong(cells),
        _correlations(cells, scale),
        _retries(cells),
    ]


def _elimination(cells: pl.DataFrame) -> Judgement:
    rows = cells.filter(pl.col("learner") == "elimination", pl.col("task.noise") == 0)
    more = float((rows["samples_max"] - rows["task.n"]).to_numpy().max())
    found = bool((rows["solved"] == rows["n"]).all())
    note = f"value: most examples beyond n; {rows['solved'].sum()} of {rows['n'].sum()} tries found the subset"
    return ELIMINATION.judged(found and more <= 20, more, note=note)


def _noise(cells: pl.DataFrame) -> Judgement:
    rows = cells.filter(pl.col("learner") == "elimination", pl.col("task.noise") == 0.1, pl.col("task.n") >= 50)
    found, interval = _fraction(rows)
    return NOISE.judged(found <= 0.05, found, interval, note="value: fraction of tries that found the subset")


def _search(cells: pl.DataFrame) -> Judgement:
    rows = cells.filter(pl.col("learner") == "exhaustive search", pl.col("task.noise") == 0)
    means = (rows["samples_mean"] - rows["bits"]).to_numpy()
    error = math.sqrt(float((rows["samples_sd"] ** 2 / rows["n"]).sum())) / rows.height
    mean = float(means.mean())
    found = bool((rows["solved"] == rows["n"]).all())
    note = f"value: mean number of examples beyond log2 C(n,k); cells from {means.min():.2f} to {means.max():.2f}"
    holds = found and bool(means.min() >= 0 and means.max() <= 3)
    return SEARCH.judged(holds, mean, (mean - 1.96 * error, mean + 1.96 * error), note)


def _weak_to_strong(cells: pl.DataFrame) -> Judgement:
    rows = cells.filter(learner=WEAK)
    decoded, weak, nets = int(rows["solved"].sum()), int(rows["weak"].sum()), int(rows["n"].sum())
    note = f"value: fraction of weak nets decoded; {weak} of {nets} nets became weak; median accuracies of the cells "
    note += f"{rows['accuracy_median'].min():.3f} to {rows['accuracy_median'].max():.3f}, lowest of all nets "
    note += f"{rows['accuracy_min'].min():.3f}"
    holds = None if weak < 10 else decoded >= 0.9 * weak
    return WEAK_TO_STRONG.judged(holds, decoded / max(weak, 1), wilson(decoded, weak), note)


def _correlations(cells: pl.DataFrame, scale: str) -> Judgement:
    rows = cells.filter(learner="correlations")
    found, interval = _fraction(rows.filter(pl.col("task.k") >= 3))
    holds, note = found <= 0.05, "value: fraction of tries that found a subset of at least 3"
    if scale != "smoke":
        pairs, _ = _fraction(rows.filter(pl.col("task.k") == 2))
        holds, note = holds and pairs >= 0.95, f"{note}; of 2: {pairs:.3f}"
    return CORRELATIONS.judged(holds, found, interval, note)


def _retries(cells: pl.DataFrame) -> Judgement:
    rows = cells.filter(pl.col("learner") == "pooled elimination", pl.col("task.noise") > 0)
    expected = np.array([expected_attempts(n, noise) for n, noise in rows.select("task.n", "task.noise").rows()])
    ratios = rows["queries_mean"].to_numpy() / expected
    worst = int(np.abs(np.log(ratios)).argmax())
    half = 1.96 * rows["queries_sd"][worst] / math.sqrt(rows["n"][worst]) / expected[worst]
    n, k, noise = (rows[f"task.{name}"][worst] for name in ("n", "k", "noise"))
    note = f"value: the ratio farthest from 1, at n = {n}, k = {k}, p = {noise}; {rows['solved'].sum()} of "
    note += f"{rows['n'].sum()} tries found the subset"
    value = float(ratios[worst])
    return RETRIES.judged(bool(ratios.min() >= 0.5 and ratios.max() <= 2), value, (value - half, value + half), note)


def _fraction(rows: pl.DataFrame) -> tuple[float, tuple[float, float]]:
    """Of tries that found the subset, with its 95 % Wilson interval."""
    found, tries = int(rows["solved"].sum()), int(rows["n"].sum())
    return found / tries, wilson(found, tries)


experiment = Experiment(
    name="comparison",
    title="SGD beside search, elimination and decoding",
    source="sections 1 to 3, appendices C.1 and C.6",
    claims=(ELIMINATION, NOISE, SEARCH, WEAK_TO_STRONG, CORRELATIONS, RETRIES),
    sweep=sweep,
    table=table,
    figure=figure,
    judge=judge,
)
