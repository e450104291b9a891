"""How far simplicity delays the induction head: a survival analysis by setting, at equally many useful examples.

Claim   examples that counting symbols explains delay the induction head, beyond the time that they take up.
Source  Figure 8.4a and section 8.3.2 of Edelman 2024 (dissertation; Edelman et al. 2024), "unigram solution slows down
        learning full solution", of which the paper shows k = 4: here for two, three and four states and for the
        printed architecture and that of the code. Time is the number of doubly stochastic examples seen, in which
        independent symbols that were of no use would cost nothing; what falls is the loss on doubly stochastic chains.
Output  table `simplicity`, in parts: `survival` (Kaplan-Meier curves by setting and share), `times` (quantiles) and
        `tests` (log-rank test between shares 1 and 1/2 in each setting, and the ratio of medians).
"""

from __future__ import annotations

import dataclasses
import itertools

import polars as pl

import assay as ay
from assay.analysis import survival
from assay.figures import Display, SurvivalCurves
from assay.studies import Experiment, Judgement
from assay.studies.induction_heads.settings import BATCH, MINGPT, claim, joined, transformer
from assay.studies.induction_heads.waits import events


@dataclasses.dataclass(frozen=True, kw_only=True)
class Setting:
    """A net and a number of states, with the rate and the steps on doubly stochastic examples that it is given."""

    net: ay.SequenceTransformer
    states: int
    rate: float
    steps: int


PRINTED = ay.SequenceTransformer()
SETTINGS = {
    "printed net, k = 2": Setting(net=PRINTED, states=2, rate=3e-3, steps=600),
    "printed net, k = 3": Setting(net=PRINTED, states=3, rate=3e-3, steps=900),
    "net of the code, k = 3": Setting(net=MINGPT, states=3, rate=1e-3, steps=1400),
    "net of the code, k = 4": Setting(net=MINGPT, states=4, rate=1e-3, steps=1400),
}
SHOWN = {"smoke": 1, "desk": 4, "paper": 4}
SHARES = {"smoke": (1.0, 0.5), "desk": (1.0, 0.5), "paper": (1.0, 0.75, 0.5, 0.25)}
"""Of doubly stochastic chains among the examples."""
SEEDS = {"smoke": 2, "desk": 8, "paper": 100}
LONGER = {"smoke": 0.4, "desk": 1.0, "paper": 2.0}
"""Steps as a part of those of the setting."""

_EACH = "each of four settings: log-rank p <= 0.01 after Holm between shares 1 and 1/2, median later at share 1/2"
EVERYWHERE = claim(
    "A20-settings",
    "figure 8.4a",
    "Independent symbols among the examples delay the induction head at equally many doubly stochastic examples, for "
    "two to four states and both architectures.",
    {"smoke": "needs 4 settings, 1 is run: undecided", "desk": _EACH, "paper": _EACH},
)
DOSE = claim(
    "B5",
    "figure 8.4a (beyond the paper)",
    "The larger the share of independent symbols, the larger the delay at equally many doubly stochastic examples.",
    {
        "smoke": "needs 4 shares, 2 are run: undecided",
        "desk": "needs 4 shares, 2 are run: undecided",
        "paper": "net of the code, k = 4: medians rise over shares 1, 3/4, 1/2, 1/4 of doubly stochastic chains",
    },
)


def sweeps(scale: str) -> dict[str, ay.Sweep]:
    """By setting and share, as `setting; share`."""
    found = {}
    for name, of in list(SETTINGS.items())[: SHOWN[scale]]:
        for share in SHARES[scale]:
            task = ay.MarkovChains(states=of.states, prior=ay.Mixture(share=share))
            trial = transformer(
                of.rate, task, of.net, budget=round(LONGER[scale] * of.steps / share), every=20,
                measures=("markov/truth_balanced",), sample=500,
            )  # fmt: skip
            found[f"{name}; {share:g}"] = ay.Sweep(trial, ay.seeds(SEEDS[scale]))
    return found


def sweep(scale: str) -> ay.Sweep:
    return joined(sweeps(scale))


def table(runs: ay.Runs, scale: str) -> pl.DataFrame:
    part = pl.col("name").str.split("; ").list
    rows = events(runs, sweeps(scale)).with_columns(setting=part.first(), share=part.last().cast(pl.Float64))
    useful = (pl.col("step") * BATCH * pl.col("share")).round().cast(pl.Int64)
    rows = rows.with_columns(useful.alias("step"), budget=(pl.col("budget") * BATCH * pl.col("share")).round())
    times = survival.summary(rows, ["setting", "share"])
    halves = rows.filter(pl.col("share").is_in([0.5, 1.0]))
    tests = survival.compare(halves, of="share", within=["setting"])
    tests = tests.with_columns(holm_p=pl.Series(survival.holm(tests["logrank_p"].to_numpy())))
    middle = {share: times.filter(share=share).select("setting", "q50") for share in (0.5, 1.0)}
    ratio = middle[0.5].join(middle[1.0], on="setting", suffix="_alone")
    tests = tests.join(ratio.select("setting", ratio=pl.col("q50") / pl.col("q50_alone")), on="setting", how="left")
    parts = {"survival": survival.curve(rows, ["setting", "share"]), "times": times, "tests": tests}
    return pl.concat([t.with_columns(part=pl.lit(name)) for name, t in parts.items()], how="diagonal_relaxed")


def figure(table: pl.DataFrame) -> Display:
    shown = ["setting", "share", "step", "survival", "survival_low", "survival_high", "censored"]
    curves = (
        table.filter(part="survival").select(shown).with_columns(pl.format("share {}", pl.col("share")).alias("share"))
    )
    order = {name: i for i, name in enumerate(SETTINGS)}
    curves = curves.sort(pl.col("setting").replace_strict(order), "share", "step", maintain_order=True)
    return SurvivalCurves(
        curves,
        panel="setting",
        line="share",
        columns=2,
        x_label="doubly stochastic training sequences",
        y_label="still on the plateau",
        title="How far simplicity delays the induction head",
        caption="Fraction of runs whose loss on doubly stochastic chains has not fallen to half of guessing, against "
        "the doubly stochastic sequences seen, by their share among all; the others are independent symbols. "
        "Kaplan-Meier curves with 95 % bands. After Edelman et al. 2024, figure 8.4a.",
    )


def judge(table: pl.DataFrame, scale: str) -> list[Judgement]:
    tests = table.filter(part="tests")
    slower = (tests["holm_p"] <= 0.01) & (tests["ratio"].fill_null(float("inf")) > 1)
    everywhere = None if scale == "smoke" else bool(slower.all())
    words = "; ".join(
        f"{row['setting']}: {_times(row['ratio'])}, p = {row['holm_p']:.2g}" for row in tests.rows(named=True)
    )
    dose, doses, value = None, "not run at this scale", None
    if scale == "paper":
        last = list(SETTINGS)[-1]
        times = table.filter(part="times", setting=last).sort("share", descending=True)["q50"].fill_null(float("inf"))
        dose, value = all(a < b for a, b in itertools.pairwise(times)), times[-1] / times[0]
        doses = "value: ratio of medians at shares 1/4 and 1. Medians: " + ", ".join(f"{x:,.0f}" for x in times)
    note = f"value: fraction of settings. Median at share 1/2 over that at share 1, {words}"
    return [
        EVERYWHERE.judged(everywhere, float(slower.mean()), None, note),  # type: ignore[arg-type]
        DOSE.judged(dose, value, None, doses),
    ]


def _times(ratio: float | None) -> str:
    return "no median" if ratio is None else f"{ratio:.2f}"


experiment = Experiment(
    name="simplicity",
    title="How far simplicity delays the head",
    source="figure 8.4a, section 8.3.2",
    claims=(EVERYWHERE, DOSE),
    sweep=sweep,
    table=table,
    figure=figure,
    judge=judge,
)
