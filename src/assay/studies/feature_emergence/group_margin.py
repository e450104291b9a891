"""Groups with real irreps: the maximum margin, the weights of the classes that prove it, the network that attains it.

Claim   gamma* = 2 / (3 sqrt(3 |G|)) / sum_R d^{5/2} where sum_R d^{3/2} chi_R(C) < 0 for every class but that of the
        identity: for S_2 to S_5, not for S_6 on.
Source  Morwani et al. 2023, Theorem 7.9, appendix D.9 (lemmas D.13 to D.16). As printed: the class weights have the
        wrong sign and are counted once a class, the bound is half the margin, a pair of neurons gives the product
        once, and neurons with coefficients 1 / sqrt(3 |G|) have norm 1.
Output  table `group-margin`, in parts: `checks` and `conditions` (sum_R d^{3/2} chi_R(C) and tau_C |G| of each class).
"""

from __future__ import annotations

import math

import numpy as np
import polars as pl

from assay.figures import Display, Lines
from assay.maths.groups import Group, irreps, named
from assay.studies import Claim, Experiment, Judgement
from assay.studies.feature_emergence.checks import PAPER, Checks, judged
from assay.theory.margins import best_neurons, certificate, conditions, margin_formula, symmetric_conditions

PROVEN = ("S2", "S3", "S4", "S5")
OTHERS = ("D4", "D5", "D6", "D7", "Z2^2", "Z2^3", "B3")
FORMULA = {"S2": 0.27216552698, "S3": 0.02360496931049, "S4": 0.00207664799605, "S5": 0.000132597749002}

CONDITION = Claim(
    id="C16",
    source=f"{PAPER}, Theorem 7.9",
    statement="sum_R d^(3/2) chi_R(C) is negative for every class C of S_2 to S_5, and not for S_6.",
    kind="theorem",
    criterion="largest sum < 0 for S_2 to S_5; the two largest of S_6 are 11.0 and 10.2786 to 1e-4; the largest of S_7 "
    "and S_8 106.4679 and 594.6945 to 1e-4",
)
WEIGHTS = Claim(
    id="C17",
    source=f"{PAPER}, lemma D.14",
    statement="tau_C = -sum_R z_R chi_R(C) with z_R = d^(3/2) / sum d^(5/2) are class weights under which all irreps "
    "have equally good neurons; under equal weights only the sign has the best ones.",
    kind="theorem",
    criterion="S_3, S_4, S_5: tau > 0, sum |C| tau_C = 1 to 1e-12, scores A_R / sqrt(d_R) = |G| / sum d^(5/2) to "
    "1e-12; with equal weights the largest score is that of irreps of dimension 1, by a factor > 1.4 over all others",
)
SIGN = Claim(
    id="C17-printed",
    source=f"{PAPER}, lemma D.14, as printed",
    statement="tau_C = sum_R z_R chi_R(C) are non-negative class weights.",
    kind="errata",
    criterion="S_3, S_4, S_5: largest -tau_C <= 0; all of them are negative",
)
SUM = Claim(
    id="D14-sum-printed",
    source=f"{PAPER}, lemma D.14 and appendix D.9.2, as printed",
    statement="The class weights add up to 1, each class counted once.",
    kind="errata",
    criterion="S_3, S_4, S_5: |sum_C tau_C - 1| <= 1e-12; it is sum_C |C| tau_C that is 1",
)
HALF = Claim(
    id="D13-printed",
    source=f"{PAPER}, lemma D.13, as printed",
    statement="The best neuron has margin max_R A_R / sqrt(d_R) / (3 sqrt(3) |G|^(3/2)).",
    kind="errata",
    criterion="S_3, S_4: |best neuron / that - 1| <= 1e-6; it is twice that, since (u + v)^2 holds 2uv",
)
UNIT = Claim(
    id="D15-printed",
    source=f"{PAPER}, lemma D.15, as printed",
    statement="Neurons u = R_ij / sqrt(3 |G|), v = R_jk / sqrt(3 |G|), w = R_ik / sqrt(3 |G|) have norm 1.",
    kind="errata",
    criterion="every irrep of S_4: |norm - 1| <= 1e-12; it is 1 / sqrt(d)",
)
PAIR = Claim(
    id="D15-pair-printed",
    source=f"{PAPER}, lemma D.15, as printed",
    statement="Neurons (u, v, w) and (u, -v, -w) together give the product of R_ij(a), R_jk(b) and R_ik(c) once.",
    kind="errata",
    criterion="S_3: |pair / product - 1| <= 1e-10; it is four times the product",
)
MARGIN = Claim(
    id="C18",
    source=f"{PAPER}, Theorem 7.9",
    statement="Where the condition holds the maximum normalised margin is 2 / (3 sqrt(3 |G|)) / sum_R d^(5/2), "
    "attained by 2 sum_R d^3 neurons with every irrep, its share of sum ||omega||^3 being d^(5/2) / sum d^(5/2).",
    kind="theorem",
    criterion={
        "smoke": "S_2, S_3, S_4 and seven others: network on all inputs, and linear program: 1e-10; shares to 1e-10; "
        "best single neuron of S_3, S_4 to 1e-8",
        "desk": "and S_5 with its 1190 neurons: network on all inputs, and linear program: 1e-10; shares to 1e-10; "
        "best single neuron of S_3, S_4 to 1e-8",
        "paper": "and S_5 with its 1190 neurons: network on all inputs, and linear program: 1e-10; shares to 1e-10; "
        "best single neuron of S_3, S_4 to 1e-8",
    },
)
CLAIMS = (CONDITION, WEIGHTS, SIGN, SUM, HALF, UNIT, PAIR, MARGIN)


def table(runs: None, scale: str) -> pl.DataFrame:
    checks = Checks()
    for name in PROVEN:
        checks.add(CONDITION, f"{name}: largest sum", conditions(named(name)).max(), -1e-9)
    for found, expected in zip(sorted(conditions(named("S6")))[-2:], (10.2786, 11.0), strict=True):
        checks.add(CONDITION, f"S6: {expected}", abs(found - expected), 1e-4)
    for n, expected in ((7, 106.4679), (8, 594.6945)):
        checks.add(CONDITION, f"S{n}: {expected}", abs(symmetric_conditions(n).max() - expected), 1e-4)
    for name in ("S3", "S4", "S5"):
        _weights(checks, named(name))
    _printed(checks)
    for name in (*(PROVEN[:3] if scale == "smoke" else PROVEN), *OTHERS):
        _margin(checks, name)
    return checks.table(_conditions())


def _tau(group: Group) -> np.ndarray:
    """Lemma D.14 with the sign that makes it positive, one number a class but that of the identity."""
    rest = irreps(group)[1:]
    return -conditions(group) / sum(r.dimension**2.5 for r in rest)


def _scores(group: Group, tau: np.ndarray) -> np.ndarray:
    first = [c[0] for c in group.classes[1:]]
    weights = tau * group.class_sizes[1:]
    return np.array(
        [(1 - weights @ r.character[first] / r.dimension) / math.sqrt(r.dimension) for r in irreps(group)[1:]]
    )


def _weights(checks: Checks, group: Group) -> None:
    tau, rest = _tau(group), irreps(group)[1:]
    sizes = group.class_sizes[1:]
    checks.add(WEIGHTS, f"{group.name}: -tau", -tau.min(), -1e-9)
    checks.add(WEIGHTS, f"{group.name}: sum", abs(float(sizes @ tau) - 1), 1e-12)
    equal = group.order / sum(r.dimension**2.5 for r in rest)
    checks.add(WEIGHTS, f"{group.name}: scores", np.abs(_scores(group, tau) / equal - 1).max(), 1e-12)
    uniform = _scores(group, np.full(len(sizes), 1 / (group.order - 1)))
    one = np.array([r.dimension == 1 for r in rest])
    checks.add(WEIGHTS, f"{group.name}: equal weights", uniform[~one].max() / uniform[one].min(), 1 / 1.4)
    checks.add(SIGN, group.name, tau.max(), 0.0)
    checks.add(SUM, group.name, abs(tau.sum() - 1), 1e-12)


def _printed(checks: Checks) -> None:
    for name in ("S3", "S4"):
        group = named(name)
        best = certificate(group)
        values, _ = best_neurons(group, best.tau, starts=20, steps=1500)
        half = _scores(group, _tau(group)).max() / (3 * math.sqrt(3) * group.order**1.5)
        checks.add(HALF, name, abs(values.max() / half - 1), 1e-6)
        checks.add(MARGIN, f"{name}: best neuron", abs(values.max() / best.gamma - 1), 1e-8)
    for r in irreps(named("S4"))[1:]:
        norm = math.sqrt(3 * float((r.matrices[:, 0, 0] ** 2).sum()) / (3 * 24))
        checks.add(UNIT, r.name, abs(norm - 1), 1e-12)
    r = irreps(named("S3"))[1].matrices
    u, v, w = r[:, 0, 0], r[:, 0, 1], r[:, 0, 1]
    pair = ((u[:, None] + v) ** 2 - (u[:, None] - v) ** 2)[..., None] * w
    product = u[:, None, None] * v[:, None] * w
    there = np.abs(product) > 1e-9
    checks.add(PAIR, "S3", float(np.abs(pair[there] / product[there] - 1).max()), 1e-10)


def _margin(checks: Checks, name: str) -> None:
    group = named(name)
    best, formula = certificate(group), margin_formula(group)
    if formula is None:
        raise AssertionError(f"{name} does not keep the condition")
    net = best.network()
    answers = net.answers(group)
    checks.add(MARGIN, f"{name}: network", float(np.abs(answers.margins / net.mass / formula - 1).max()), 1e-10)
    checks.add(MARGIN, f"{name}: linear program", max(abs(best.gamma / formula - 1), abs(best.gap)), 1e-10)
    wrong = np.stack([answers.lowest, answers.highest]) / answers.correct
    checks.add(MARGIN, f"{name}: wrong / right", float(np.abs(wrong * (1 - group.order) - 1).max()), 1e-10)
    shares = np.array([r.dimension**2.5 for r in best.irreps])
    checks.add(MARGIN, f"{name}: shares", float(np.abs(best.shares / (shares / shares.sum()) - 1).max()), 1e-10)
    checks.add(MARGIN, f"{name}: width", abs(net.width - 2 * sum(r.dimension**3 for r in best.irreps)), 0.0)
    if name in FORMULA:
        checks.add(MARGIN, f"{name}: value", abs(formula / FORMULA[name] - 1), 1e-9)


def _conditions() -> pl.DataFrame:
    rows = []
    for name in ("S3", "S4", "S5", "S6"):
        group = named(name)
        for i, (value, weight) in enumerate(zip(sorted(conditions(group)), -np.sort(-_tau(group)), strict=True)):
            rows.append({"group": name, "class": i + 1, "condition": value, "weight": weight * group.order})
    return pl.DataFrame(rows).with_columns(part=pl.lit("conditions"))


def figure(table: pl.DataFrame) -> Display:
    return Lines(
        table.filter(part="conditions"),
        x="class",
        y="weight",
        line="group",
        x_label="class of wrong answers, most weight first",
        y_label="weight x order",
        labels={f"S{n}": f"$S_{n}$" for n in (3, 4, 5, 6)},
        title="Which wrong answers count",
        caption="The class weights of lemma D.14 times the order of the group; equal weights would be 1. Of S_6 two "
        "are negative: there the condition of Theorem 7.9 fails. Morwani et al. 2023, Theorem 7.9, lemma D.14.",
    )


def judge(table: pl.DataFrame, scale: str) -> list[Judgement]:
    return judged(table, CLAIMS)


experiment = Experiment(
    name="group-margin",
    title="The maximum margin of groups with real irreps",
    source="Theorem 7.9, appendix D.9",
    claims=CLAIMS,
    sweep=None,
    table=table,
    figure=figure,
    judge=judge,
)
