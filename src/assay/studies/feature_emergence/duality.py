"""Duality: no network beats the best neuron under the dual weights, and class-weighted margins touch at the optimum.

Claim   E g <= E g' <= gamma* rho for every network; at the max-margin network all are equal; single neurons reach
        gamma* exactly where they have one frequency and th_u + th_v = th_w; any mixture of them keeps E g', not E g.
Source  Morwani et al. 2023, lemmas 7.2 to 7.6, figure 7.3 (a sketch there, here the numbers on a line through the
        optimum), appendices D.5 and D.6.1. As printed the Fourier coefficients of a neuron have norm at most 1.
Output  table `duality`, in parts: `checks` and `line` (min g, E g, E g' over gamma*, along a line of networks).
"""

from __future__ import annotations

import itertools

import numpy as np
import polars as pl

from assay.analysis import features
from assay.figures import Display, Lines
from assay.maths.groups import irreps, named
from assay.studies import Claim, Experiment, Judgement
from assay.studies.feature_emergence.checks import PAPER, Checks, judged
from assay.theory.margins import (
    PairNetwork,
    best_neurons,
    certificate,
    cyclic_margin,
    cyclic_network,
    expected_margin,
)

P = 7
NETS = 200

IDENTITY = Claim(
    id="C5",
    source=f"{PAPER}, appendix D.6.1, equation D.3",
    statement="The expected class-weighted margin of a neuron is 2 / ((p - 1) p^2) sum_{j != 0} u^(j) v^(j) w^(-j).",
    kind="theorem",
    criterion={
        "smoke": "p = 7, 13, ten random neurons each: relative error < 1e-10 against enumeration",
        "desk": "p = 7, 13, 71, ten random neurons each: relative error < 1e-10 against enumeration",
        "paper": "p = 7, 13, 71, ten random neurons each: relative error < 1e-10 against enumeration",
    },
)
NORM = Claim(
    id="C5-printed",
    source=f"{PAPER}, section 7.4, as printed",
    statement="Neurons of norm 1 have Fourier coefficients, transformed as there, of norm at most 1.",
    kind="errata",
    criterion="optimal neuron at p = 7: sum over j of |u^|^2 + |v^|^2 + |w^|^2 <= 1; it is p",
)
NEURON = Claim(
    id="C6",
    source=f"{PAPER}, Theorem 7.7 and lemma 7.3",
    statement="The best single neurons reach gamma* and no more, and have one frequency with th_u + th_v = th_w.",
    kind="theorem",
    criterion="Z_7, Z_13, 20 starts: best value within 1e-8 of gamma*, none above gamma* (1 + 1e-10); of those within "
    "1e-8: purity > 1 - 1e-6, phase defect < 1e-3",
)
WEAK = Claim(
    id="C7",
    source=f"{PAPER}, lemmas 7.2 to 7.6",
    statement="min g <= E g <= E g' <= gamma* rho for every network, with equality at the network of Theorem 7.7.",
    kind="theorem",
    criterion="p = 7, 200 random networks: no violation beyond 1e-12; at the optimum gap < 1e-12",
)
COMBINED = Claim(
    id="C8",
    source=f"{PAPER}, lemma 7.5",
    statement="Any optimal neurons with masses that add up to 1 have E g' = gamma*, while E g is smaller in general.",
    kind="theorem",
    criterion="Z_7 and S_4, 20 mixtures of optimal neurons: |E g' / gamma* - 1| < 1e-6; E g < 0.999 gamma* in each",
)
SINGLE = Claim(
    id="D5-1",
    source=f"{PAPER}, remark D.5.1",
    statement="For b other than nu the best norms of m equal neurons are all on one neuron (b < nu) or equal (b > nu).",
    kind="theorem",
    criterion="nu = 3, m = 8, b = 2 and 4: largest sum of |r|^3 over 20,000 points of the sphere ||r||_b = 1 and the "
    "two candidates is the candidate's, 1 or m^{1 - 3/b}, to 1e-12",
)
CLAIMS = (IDENTITY, NORM, NEURON, WEAK, COMBINED, SINGLE)


def table(runs: None, scale: str) -> pl.DataFrame:
    checks = Checks()
    for p in (7, 13) if scale == "smoke" else (7, 13, 71):
        checks.add(IDENTITY, f"p = {p}", _identity_error(p), 1e-10)
    net = cyclic_network(P)
    one = net.only(np.arange(net.width) == 0)
    unit = one.scaled(1 / one.norms)
    spectrum = sum(float((np.abs(np.fft.fft(part[0])) ** 2).sum()) for part in (unit.u, unit.v, unit.w))
    checks.add(NORM, f"p = {P}", spectrum, 1.0)
    for p in (7, 13):
        _best(checks, p)
    _weak(checks)
    for name in ("Z7", "S4"):
        _mixtures(checks, name)
    _profile(checks)
    return checks.table(_line())


def _identity_error(p: int) -> float:
    rng, group, tau = np.random.default_rng(p), named(f"Z{p}"), np.full(p, 1 / (p - 1))
    worst = 0.0
    for u, v, w in rng.normal(size=(10, 3, p)):
        j = np.arange(1, p)
        spectrum = np.fft.fft(u)[j] * np.fft.fft(v)[j] * np.fft.fft(w)[-j % p]
        formula = 2 / ((p - 1) * p**2) * spectrum.sum().real
        worst = max(worst, abs(formula / expected_margin(group, tau, u, v, w) - 1))
    return worst


def _best(checks: Checks, p: int) -> None:
    group, gamma = named(f"Z{p}"), cyclic_margin(p)
    values, net = best_neurons(group, certificate(group).tau, starts=20, steps=2000, seed=p)
    checks.add(NEURON, f"p = {p}: best", abs(values.max() / gamma - 1), 1e-8)
    checks.add(NEURON, f"p = {p}: excess", max(0.0, values.max() / gamma - 1), 1e-10)
    there = values > gamma * (1 - 1e-8)
    found = features.neurons(net.u[there], net.v[there], net.w[there], irreps(group))
    checks.add(NEURON, f"p = {p}: impurity", 1 - min(found["least_purity"]), 1e-6)
    defects = features.phase_defects(net.u[there], net.v[there], net.w[there], found["feature"].to_numpy())
    checks.add(NEURON, f"p = {p}: phases", float(defects.max()), 1e-3)


def _weak(checks: Checks) -> None:
    group, gamma, rng = named(f"Z{P}"), cyclic_margin(P), np.random.default_rng(0)
    tau, worst = certificate(group).tau, 0.0
    for _ in range(NETS):
        net = PairNetwork(*rng.normal(size=(3, 12, P)))
        answers = net.answers(group)
        steps = [answers.margin, float(answers.margins.mean()), answers.weighted(tau), gamma * net.mass]
        worst = max(worst, max((low - high) / (gamma * net.mass) for low, high in itertools.pairwise(steps)))
    checks.add(WEAK, f"{NETS} random networks", max(0.0, worst), 1e-12)
    checks.add(WEAK, "the optimum", abs(cyclic_network(P).answers(group).margin / gamma - 1), 1e-12)


def _mixtures(checks: Checks, name: str) -> None:
    group, rng = named(name), np.random.default_rng(1)
    best = certificate(group)
    values, neurons = best_neurons(group, best.tau, starts=60, steps=1500, seed=2)
    optimal = neurons.only(values > best.dual * (1 - 1e-9))
    for i in range(20):
        chosen = optimal.only(rng.random(optimal.width) < 0.5)
        mixed = chosen.scaled(rng.random(chosen.width)).unit()
        answers = mixed.answers(group)
        checks.add(COMBINED, f"{name}, mixture {i}: E g'", abs(answers.weighted(best.tau) / best.gamma - 1), 1e-6)
        checks.add(COMBINED, f"{name}, mixture {i}: E g", float(answers.margins.mean()) / best.gamma, 0.999)


def _profile(checks: Checks) -> None:
    m, nu, rng = 8, 3, np.random.default_rng(3)
    for b in (2, 4):
        points = np.abs(rng.normal(size=(20_000, m)))
        points = np.concatenate([points, np.eye(m)[:1], np.ones((1, m))])
        points /= (points**b).sum(axis=1, keepdims=True) ** (1 / b)
        expected = 1.0 if b < nu else m ** (1 - nu / b)
        checks.add(SINGLE, f"b = {b}", abs((points**nu).sum(axis=1).max() - expected), 1e-12)


def _line() -> pl.DataFrame:
    """Networks theta* + s delta, normalised: delta in a random direction of the same size."""
    group, gamma = named(f"Z{P}"), cyclic_margin(P)
    best, tau = cyclic_network(P), certificate(group).tau
    delta = PairNetwork(*np.random.default_rng(5).normal(size=(3, best.width, P))).unit()
    rows = []
    for s in np.linspace(-0.6, 0.6, 61):
        net = PairNetwork(best.u + s * delta.u, best.v + s * delta.v, best.w + s * delta.w).unit()
        answers = net.answers(group)
        values = {"min g": answers.margin, "E g": answers.margins.mean(), "E g'": answers.weighted(tau)}
        rows += [{"s": float(s), "quantity": name, "ratio": float(value) / gamma} for name, value in values.items()]
    return pl.DataFrame(rows).with_columns(part=pl.lit("line"), curve=pl.col("ratio"), ratio=pl.lit(None, pl.Float64))


def figure(table: pl.DataFrame) -> Display:
    return Lines(
        table.filter(part="line"),
        x="s",
        y="ratio",
        line="quantity",
        curve="curve",
        x_label="distance from the optimum, along a random line",
        y_label="margin / maximum margin",
        title="Margins touch at the optimum",
        caption="Networks for addition modulo 7 on a line through the one of Theorem 7.7, normalised: smallest margin, "
        "mean margin, and mean class-weighted margin, over the maximum. Morwani et al. 2023, figure 7.3 and lemma 7.6.",
    )


def judge(table: pl.DataFrame, scale: str) -> list[Judgement]:
    return judged(table, CLAIMS)


experiment = Experiment(
    name="duality",
    title="Duality of margins",
    source="lemmas 7.2 to 7.6, figure 7.3",
    claims=CLAIMS,
    sweep=None,
    table=table,
    figure=figure,
    judge=judge,
)
