"""The minimal model in training: W first, then lag 1, with the odd lags beside it.

Claim   two linear layers are enough for the whole story: the model counts pairs in the end, its second layer is learnt
        first, and odd lags rise while the first layer forms.
Source  Edelman et al. 2024, figure 8.3 (bottom), section 8.3.1 and figure 8.4b of the dissertation: SGD at 2e-3, cross-
        entropy, v = 0.02, W = 0. Its logits are linear in the counts, so it cannot reach the loss of the bigram rule:
        "all models converge near Bayes optimal" is loose for it.
Output  table `minimal`, in parts: `curves` (distances and stages of one run of each number of states), `weights` (W
        and v over time) and `snapshot` (v at step 720, two states).
"""

from __future__ import annotations

import polars as pl

import assay as ay
from assay.figures import Bars, Display, Lines, StageCurves, board
from assay.studies import Experiment, Judgement
from assay.studies.induction_heads.settings import STRATEGIES, claim, curves, joined, minimals, weights

SNAPSHOT = 720

PAIRS = claim(
    "A17",
    "figure 8.3 (bottom)",
    "The minimal model learns to count pairs: W near a multiple of I, v on lag 1, closest to the bigram strategy.",
    {
        "smoke": "two states, step 1300, every run: v largest at lag 1, diagonal of W > 5 times the rest, loss <= "
        "half the "
        "unigram line, stage bigram",
        "desk": "two states, step 1300, every run: v largest at lag 1, diagonal of W > 5 times the rest, loss <= "
        "half the "
        "unigram line, stage bigram; three states, step 2000: loss <= 0.55 of that line",
        "paper": "two states, step 1300, every run: v largest at lag 1, diagonal of W > 5 times the rest, loss <= "
        "half the "
        "unigram line, stage bigram; three states, step 2000: loss <= 0.55 of that line",
    },
)
SECOND_FIRST = claim(
    "A18",
    "section 8.3.1",
    "The second layer is learnt first: W has its diagonal while lag 1 hardly stands out.",
    "three states, step 80, every run: diagonal of W >= twice the rest, v of lag 1 <= 1.3 times that of lag 0",
)
ODD = claim(
    "A19",
    "figure 8.4b",
    "Before the model has converged the odd lags of v are raised: 1 most, then 3, then 5.",
    "two states, step 720, mean over runs: v of lags 1 > 3 > 5 > 4 > 2 > 0, where 4 and 2 may tie within 0.01",
)


def sweep(scale: str) -> ay.Sweep:
    return joined(minimals(scale))


def table(runs: ay.Runs, scale: str) -> pl.DataFrame:
    sweeps = minimals(scale)
    rows = curves(runs, sweeps)
    lines = rows.filter(seed=0).unpivot(
        STRATEGIES, index=["runs", "step", "sequences", "stage"], variable_name="strategy"
    ).with_columns(pl.col("strategy").str.strip_prefix("markov/"))  # fmt: skip
    seen = weights(runs, sweeps).join(
        rows.select("trial", "step", "markov/truth", "markov/unigram_line", "stage"), on=["trial", "step"]
    )
    lags = [f"v{i}" for i in range(10)]
    at = seen.filter(runs="two", step=SNAPSHOT).select(pl.col(lags).mean()).unpivot(variable_name="lag")
    snapshot = at.with_columns(pl.col("lag").str.strip_prefix("v").cast(pl.Int64))
    parts = {"curves": lines, "weights": seen, "snapshot": snapshot}
    return pl.concat([t.with_columns(part=pl.lit(name)) for name, t in parts.items()], how="diagonal_relaxed")


def figure(table: pl.DataFrame) -> Display:
    names = {"two": "two states", "three": "three states"}
    lines = table.filter(part="curves", runs="two").select("sequences", "strategy", "value", "stage")
    of = table.filter(part="weights", runs="two", seed=0)
    entries = {
        "same": "W, same symbol",
        "other": "W, other symbol",
        "v1": "v, lag 1",
        "v0": "v, lag 0",
        "v2": "v, lag 2",
    }
    grown = (
        of.select("step", *entries)
        .unpivot(list(entries), index="step", variable_name="entry")
        .with_columns(pl.col("entry").replace_strict(entries))
    )
    snapshot = table.filter(part="snapshot").select("lag", "value", odd=pl.col("lag") % 2 == 1)
    return board(
        StageCurves(lines, y_label="KL(strategy || model)", top=0.7, labels=names, title="stages, two states"),
        Lines(grown, x="step", y="value", line="entry", x_label="step", y_label="weight", markers=False,
            title="W grows before v"),
        Bars(
            snapshot, x="lag", y="value", flag="odd", x_label="lag", y_label="v",
            labels={"odd:True": "odd lags", "odd:False": "even lags"}, title=f"v at step {SNAPSHOT}",
        ),
        columns=3,
        title="The minimal model passes through the same stages",
        caption="a: distance of the minimal model from three strategies, two states; the background has the colour "
        "of the "
        "closest. b: entries of W and v against steps of SGD. c: v before it has converged, mean over runs. Edelman "
        "et al. "
        "2024, figures 8.3 and 8.4b.",
    )  # fmt: skip


def judge(table: pl.DataFrame, scale: str) -> list[Judgement]:
    rows = table.filter(part="weights")
    end = rows.filter(pl.col("runs") == "two", pl.col("step") == 1300)
    share = end["markov/truth"] / end["markov/unigram_line"]
    pairs = bool(((end["v1"] > end["rest"]) & (end["same"] > 5 * end["other"].abs()) & (share <= 0.5)).all())
    pairs &= bool((end["stage"] == "bigram").all())
    words = "value: largest loss over the unigram line, two states; "
    words += f"W {end['same'].mean():.3f} and {end['other'].mean():.3f}"
    if scale != "smoke":
        three = rows.filter(pl.col("runs") == "three", pl.col("step") == 2000)
        of_three = three["markov/truth"] / three["markov/unigram_line"]
        pairs &= bool((of_three <= 0.55).all())
        words += f"; three states {of_three.max():.2f}"
    early = rows.filter(pl.col("runs") == "three", pl.col("step") == 80)
    match, lag = early["same"] / early["other"], early["v1"] / early["v0"]
    v = table.filter(part="snapshot").sort("lag")["value"].to_list()
    odd = v[1] > v[3] > v[5] > max(v[4], v[2]) and v[4] > v[2] - 0.01 and min(v[4], v[2]) > v[0]
    return [
        PAIRS.judged(pairs, float(share.max()), None, words),  # type: ignore[arg-type]
        SECOND_FIRST.judged(
            bool(((match >= 2) & (lag <= 1.3)).all()), float(match.min()),  # type: ignore[arg-type]
            None, f"value: smallest ratio in W; v of lag 1 over lag 0 at most {lag.max():.2f}",
        ),
        ODD.judged(odd, v[1], None, "value: v of lag 1. " + ", ".join(f"{x:.3f}" for x in v[:6])),
    ]  # fmt: skip


experiment = Experiment(
    name="minimal",
    title="The minimal model",
    source="figures 8.3 and 8.4b, section 8.3.1",
    claims=(PAIRS, SECOND_FIRST, ODD),
    sweep=sweep,
    table=table,
    figure=figure,
    judge=judge,
)
