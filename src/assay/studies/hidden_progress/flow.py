"""The plateau of gradient flow: a disjoint-PolyNet spends almost all of its time at chance.

Claim   T(1/2 - gamma) / T(0) = 1 - O(m^(1-k/2)) for k blocks of m coordinates, with T(alpha) the last time at which the
        error is alpha or more and T(0) the blow-up of the weights, which ends the flow.
Source  Barak et al. 2022, Theorem 6, Corollary 10, Lemma 6 (appendix B.3.1). The section prints the blocks as P_1, ...,
        P_m and the equations for i in [n]; both mean the k blocks. Times are integrals, errors exact.
Output  table `flow`, in parts: `curve` (error along the flow), `signs` and `normal` (the rest of the time against m),
        `checks` (the numbers of the claims).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl

from assay.analysis import frames, powerlaw
from assay.analysis.quantiles import bootstrap_quantiles, percentile_interval
from assay.figures import Display, Lines, board
from assay.studies import Claim, Experiment, Judgement
from assay.theory.parity import flow
from assay.theory.parity.plateau import flow_curve, gaussian_plateaus, sign_plateau, sign_plateau_limit

GAMMA = 0.01
ORDERS = (3, 4, 5)
CURVES = (100, 1000, 10_000)
"""Sizes of blocks whose error is drawn, k = 3."""
SIGN_BLOCKS = {"smoke": 20, "desk": 40, "paper": 80}
"""Sizes of blocks from 100 to 3000, +-1 weights."""
NORMAL_BLOCKS = {"smoke": (100, 300, 1000), "desk": (100, 200, 400, 800, 1600), "paper": (100, 300, 1000, 3000)}
DRAWS = {"smoke": 8, "desk": 200, "paper": 200}
KNOWN = {(3, 100): 0.667, (3, 1000): 0.909, (3, 3000): 0.947, (4, 100): 0.960, (4, 1000): 0.9956}
"""(k, m) -> T(0.49) / T(0) with +-1 weights."""
PUBLISHED_MEDIANS = {(3, 100): 0.77, (3, 300): 0.89, (3, 1000): 0.94, (4, 100): 0.98, (4, 300): 0.993, (4, 1000): 0.998}
"""(k, m) -> median of T(0.49) / T(0) over 200 standard normal starts, in a pilot."""
LEMMA_DRAWS = 1000

_SIGNS = (
    "+-1 weights: Runge-Kutta path within 1e-6 (relative) of the closed forms; T(0.49)/T(0) within 0.01 of "
    "0.667, 0.909, 0.947 (k = 3, m = 100, 1000, 3000) and 0.960, 0.9956 (k = 4, m = 100, 1000); exponent of the rest "
    "1 - T(0.49)/T(0) in m, from 100 to 3000, within 0.1 of -(k/2 - 1) for k = 3, 4, 5"
)
PLATEAU = Claim(
    id="T9",
    source="Barak et al. 2022, Corollary 10 and Theorem 6",
    statement="Gradient flow spends all but a part of the order m^(1-k/2) of its time at chance.",
    kind="theorem",
    criterion={
        "smoke": _SIGNS,
        "desk": _SIGNS,
        "paper": f"{_SIGNS}; standard normal weights: median over 200 starts within 0.02 of 0.77, 0.89, 0.94 (k = 3, "
        "m = 100, 300, 1000) and 0.98, 0.993, 0.998 (k = 4), undecided where its 95 % interval contains an end",
    },
)
NORMAL_PLATEAU = Claim(
    id="T9-normal",
    source="Barak et al. 2022, Theorem 6 (full statement)",
    statement="The same order holds for standard normal starts with a positive relevant product.",
    kind="theorem",
    criterion="exponent in m, from 100 to at least 1000, of the median over starts of 1 - T(0.49)/T(0) within 0.1 of "
    "-(k/2 - 1) for k = 3, 4, 5",
)
TIMES = Claim(
    id="T10",
    source="Barak et al. 2022, Lemma 6",
    statement="The mean and the geometric mean of the squared relevant weights bound the time to reach any size, the "
    "time left from there, the growth at any time, and the blow-up.",
    kind="theorem",
    criterion="no violation beyond rounding in 1000 standard normal starts each for k = 3, 4, 5 and sizes b = 2, 5, 10",
)


def table(runs: None, scale: str) -> pl.DataFrame:
    signs = _sign_rows(SIGN_BLOCKS[scale])
    normal = _normal_rows(NORMAL_BLOCKS[scale], DRAWS[scale])
    return frames.parts(curve=_curves(), signs=signs, normal=normal, checks=_checks(signs, normal))


def _curves() -> pl.DataFrame:
    """The error half-way between its steps, which for blocks of even size are at odd |v|."""
    rows = []
    for block in CURVES:
        largest = min(block, round(8 * block**0.5))
        between = 2 * np.unique(np.rint(np.geomspace(1, largest / 2, 30)))
        times, errors = flow_curve(np.ones((3, block)), (between**2 - 1.0).tolist())
        # the first step of the error lasts from the start
        points = zip([0.0, *times], [errors[0], *errors], strict=True)
        rows += [{"block": block, "time": time, "error": error} for time, error in points]
    return pl.DataFrame(rows)


def _sign_rows(count: int) -> pl.DataFrame:
    grid = {round(m) for m in np.geomspace(100, 3000, count).tolist()} | {block for _, block in KNOWN}
    return pl.DataFrame(
        {
            "k": k, "block": block, "left": sign_plateau(block, k, GAMMA).left,
            "limit": sign_plateau_limit(k, GAMMA) * block ** (1 - k / 2),
        }
        for k in ORDERS
        for block in sorted(grid)
    )  # fmt: skip


def _normal_rows(blocks: Sequence[int], draws: int) -> pl.DataFrame:
    """Quantiles over starts, and a 95 % bootstrap interval of the median."""
    rows = []
    for k in ORDERS:
        for block in blocks:
            left = np.array([each.left for each in gaussian_plateaus(block, k, draws, seed=k, gamma=GAMMA)])
            q10, middle, q90 = np.quantile(left, (0.1, 0.5, 0.9)).tolist()
            low, high = percentile_interval(bootstrap_quantiles(left, (0.5,), 1000, np.random.default_rng(0)))
            rows.append(
                {"k": k, "block": block, "left": middle, "left_low": low[0], "left_high": high[0]}
                | {"q10": q10, "q90": q90, "draws": draws}
            )
    return pl.DataFrame(rows)


def _checks(signs: pl.DataFrame, normal: pl.DataFrame) -> pl.DataFrame:
    """One row a number that a claim is judged by; `wanted` where it is compared with one."""
    rows: list[dict[str, object]] = [{"quantity": "path error", "value": _path_error()}]
    for (k, block), ratio in KNOWN.items():
        left = signs.filter(k=k, block=block)["left"].item()
        rows.append({"quantity": "ratio", "k": k, "block": block, "value": 1 - left, "wanted": ratio})
    for name, part in (("exponent", signs), ("exponent, normal", normal)):
        for k in ORDERS:
            points = part.filter(k=k)
            law = powerlaw.fit(points["block"].cast(pl.Float64).to_numpy(), points["left"].to_numpy())
            ends = {"low": law.exponent_low, "high": law.exponent_high}
            rows.append({"quantity": name, "k": k, "value": law.exponent, "wanted": 1 - k / 2, **ends})
    for k in ORDERS:
        checked, violated, slack = _lemma_6(k)
        rows.append({"quantity": "Lemma 6", "k": k, "value": violated, "checked": checked, "slack": slack})
    return pl.DataFrame(rows, infer_schema_length=None)


def _path_error() -> float:
    """Largest relative difference of a Runge-Kutta path from the closed forms: equal weights, and normal starts."""
    errors = []
    for k in ORDERS:
        times = np.asarray(flow.unit_time(np.array([1.1, 2.0, 10.0, 30.0]), k))
        path = flow.integrate(np.ones(k), times)
        errors.append(np.abs(path / np.asarray(flow.unit_weight(times, k))[:, None] - 1).max())
        for start in _normal_weights(k, 3):
            growths = np.array([0.1, 1.0, 10.0, 100.0])
            times = np.array([float(flow.time_to(start, q)) for q in growths])
            expected = np.stack([flow.weights_at(start, q) for q in growths])
            errors.append(np.abs(flow.integrate(start, times) / expected - 1).max())
    return float(max(errors))


def _lemma_6(k: int) -> tuple[int, int, float]:
    """How many inequalities were looked at, how many are violated, and the smallest slack of any, relative."""
    starts = _normal_weights(k, LEMMA_DRAWS)
    slack = [1 - flow.blow_up_time(starts) / flow.latest_blow_up(starts)]
    for size in (2.0, 5.0, 10.0):
        early, rest = flow.earliest_time(starts, size), flow.most_time_left(starts, size)
        for i in range(k):
            below = np.abs(starts[:, i]) <= size
            growth = size**2 - starts[below, i] ** 2
            time = flow.time_to(starts[below], growth)
            slack.append(1 - early[below, i] / time)
            slack.append(1 - flow.time_left(starts[below], growth) / rest[below, i])
            low, high = flow.envelopes(starts[below], time)
            slack += [1 - low / growth, 1 - growth / high]
    found = np.concatenate(slack)
    return len(found), int(np.sum(found < -1e-9)), float(found.min())


def _normal_weights(k: int, draws: int) -> np.ndarray:
    """Relevant weights from N(0, 1), conditioned on a positive product by the sign of the last."""
    starts = np.random.default_rng(k).standard_normal((draws, k))
    starts[:, -1] *= np.prod(np.sign(starts), axis=1)
    return starts


def figure(table: pl.DataFrame) -> Display:
    part = {name: table.filter(part=name).drop("part") for name in ("curve", "signs", "normal")}
    rest: dict[str, Any] = {
        "x": "block", "y": "left", "line": "k", "x_scale": "log", "y_scale": "log", "x_label": "block size m",
        "y_label": "1 - T(0.49) / T(0)",
    }  # fmt: skip
    return board(
        Lines(
            part["curve"],
            x="time",
            y="error",
            line="block",
            x_label="time / T(0)",
            y_label="error",
            title="Error along the flow, k = 3",
            labels={"block": "m"},
        ),
        Lines(part["signs"], **rest, curve="limit", title="Time left, weights \N{PLUS-MINUS SIGN}1"),
        Lines(part["normal"], **rest, title="Time left, weights N(0, 1)"),
        columns=3,
        title="Gradient flow on disjoint-PolyNets: the plateau takes almost all of the time",
        caption="Left: exact error along the flow from weights 1, k = 3 blocks of m coordinates. Middle: share of the "
        "time left when the error falls below 0.49, weights +-1 (points; its steps are those of a sum of signs), and "
        "its limit for large m (lines). Right: the "
        "same from standard normal weights with a positive relevant product, median over starts. The share falls like "
        "m^(1-k/2). Barak et al. 2022, Theorem 6.",
    )


def judge(table: pl.DataFrame, scale: str) -> list[Judgement]:
    checks = table.filter(part="checks")
    away = (pl.col("value") - pl.col("wanted")).abs()
    path = checks.filter(quantity="path error")["value"].item()
    ratios, exponents = (checks.filter(quantity=name) for name in ("ratio", "exponent"))
    holds: bool | None = (
        path <= 1e-6 and ratios.filter(away > 0.01).is_empty() and exponents.filter(away > 0.1).is_empty()
    )
    note = f"value: exponent at k = 3; {_words(exponents)}; path within {path:.1e}"
    if scale == "paper":
        medians, words = _medians(table.filter(part="normal"))
        holds = medians if holds else False
        note += f"; medians {words}"
    normal = checks.filter(quantity="exponent, normal")
    lemma = checks.filter(quantity="Lemma 6")
    return [
        PLATEAU.judged(holds, exponents["value"][0], (exponents["low"][0], exponents["high"][0]), note),
        NORMAL_PLATEAU.judged(
            normal.filter(away > 0.1).is_empty(),
            normal["value"][0],
            (normal["low"][0], normal["high"][0]),
            f"value: exponent at k = 3; {_words(normal)}",
        ),
        TIMES.judged(
            sum(lemma["value"]) == 0,
            sum(lemma["value"]),
            note=f"value: violations among {lemma['checked'].sum():,.0f} inequalities",
        ),
    ]


def _words(exponents: pl.DataFrame) -> str:
    return ", ".join(f"{value:.3f} at k = {k:.0f}" for k, value in exponents.select("k", "value").rows())


def _medians(normal: pl.DataFrame) -> tuple[bool | None, str]:
    """Whether all medians lie within 0.02 of the pilot's; None where an interval leaves it open."""
    verdicts, words = [], []
    for (k, block), known in PUBLISHED_MEDIANS.items():
        row = normal.filter(k=k, block=block).row(0, named=True)
        low, middle, high = (1 - row[name] for name in ("left_high", "left", "left_low"))
        crossed = any(low <= end <= high for end in (known - 0.02, known + 0.02))
        verdicts.append(None if crossed else abs(middle - known) <= 0.02)
        words.append(f"{middle:.3f} ({known})")
    return (False if False in verdicts else None if None in verdicts else True), ", ".join(words)


experiment = Experiment(
    name="flow",
    title="The plateau of gradient flow",
    source="Theorem 6, Corollary 10, Lemma 6",
    claims=(PLATEAU, NORMAL_PLATEAU, TIMES),
    sweep=None,
    table=table,
    figure=figure,
    judge=judge,
)
