"""Irreps of S_3, S_4, S_5: the relations that the theory rests on, and the character table of S_5.

Claim   matrix elements are orthogonal with the class sums of Schur's lemma; the expected margin is a sum over irreps of
        traces of products of coefficients; powers add up.
Source  Morwani et al. 2023, section 7.6.1, appendix D.8 (lemmas D.10 to D.12), table D.1. As printed the table has two
        names exchanged, and every group has as many real irreps as classes.
Output  table `representations`, in parts: `checks` and `characters` (irrep, class, character).
"""

from __future__ import annotations

import numpy as np
import polars as pl

from assay.figures import Display, HeatTable
from assay.maths.groups import coefficients, irreps, named, power
from assay.studies import Claim, Experiment, Judgement
from assay.studies.feature_emergence.checks import PAPER, Checks, judged
from assay.theory.margins import expected_margin

CYCLES = {
    "e": (0, 1, 2, 3, 4), "(12)": (1, 0, 2, 3, 4), "(12)(34)": (1, 0, 3, 2, 4), "(123)": (1, 2, 0, 3, 4),
    "(1234)": (1, 2, 3, 0, 4), "(12345)": (1, 2, 3, 4, 0), "(12)(345)": (1, 0, 3, 4, 2),
}  # fmt: skip
TABLE = {
    "trivial": (1, 1, 1, 1, 1, 1, 1), "sign": (1, -1, 1, 1, -1, 1, -1), "standard": (4, 2, 0, 1, 0, -1, -1),
    "standard x sign": (4, -2, 0, 1, 0, -1, 1), "5a": (5, 1, 1, -1, -1, 0, 1), "5b": (5, -1, 1, -1, 1, 0, -1),
    "6": (6, 0, -2, 0, 0, 1, 0),
}  # fmt: skip
SHAPES = ("(5)", "(1^5)", "(4,1)", "(2,1^3)", "(3,2)", "(2^2,1)", "(3,1^2)")

RELATIONS = Claim(
    id="C13",
    source=f"{PAPER}, lemma D.10",
    statement="Matrix elements of irreps are orthogonal with squared norm |G| / d, and sum over a class to |C| chi / "
    "d.",
    kind="theorem",
    criterion="S_3, S_4, S_5: homomorphism, orthogonality and class sums with error <= 1e-12",
)
CHARACTERS = Claim(
    id="C14",
    source=f"{PAPER}, table D.1",
    statement="The character table of S_5 is that of table D.1, where the standard irrep is 4, 2, 0, 1, 0, -1, -1.",
    kind="theorem",
    criterion="characters equal the integers to 1e-10; dimensions squared add up to 120; rows and columns are "
    "orthogonal",
)
SWAPPED = Claim(
    id="C14-printed",
    source=f"{PAPER}, table D.1, as printed",
    statement="The standard irrep of S_5 has the characters 4, -2, 0, 1, 0, -1, 1.",
    kind="errata",
    criterion="fixed points less 1 equal that row to 1e-10; they are the row named standard x sign",
)
REAL_IRREPS = Claim(
    id="real-irreps-printed",
    source=f"{PAPER}, section 7.6.1, as printed",
    statement="A finite group has as many real irreps as conjugacy classes.",
    kind="errata",
    criterion="Z_7, A_4, Q_8: numbers of real irreps and classes are equal, or 0 apart; Z_7 has 4 and 7, A_4 3 and 4",
)
EXPANSION = Claim(
    id="C15",
    source=f"{PAPER}, lemmas D.11 and D.12",
    statement="The expected class-weighted margin of a neuron is 2 sum_R (1 - sum_C tau_C |C| chi_R(C) / d_R) "
    "tr(alpha beta gamma^T) / d_R^2, and its squared norm sum_R |G| / d_R (|alpha|^2 + |beta|^2 + |gamma|^2).",
    kind="theorem",
    criterion={
        "smoke": "S_3, S_4, five random neurons and class weights each: relative error < 1e-10 against enumeration",
        "desk": "S_3, S_4, S_5, five random neurons and class weights each: relative error < 1e-10 against enumeration",
        "paper": "S_3, S_4, S_5, five random neurons and class weights each: relative error < 1e-10 against "
        "enumeration",
    },
)
CLAIMS = (RELATIONS, CHARACTERS, SWAPPED, REAL_IRREPS, EXPANSION)


def table(runs: None, scale: str) -> pl.DataFrame:
    checks = Checks()
    for n in (3, 4, 5):
        _relations(checks, f"S{n}")
    characters = _characters(checks)
    for name in ("Z7", "A4", "Q8"):
        group = named(name)
        checks.add(REAL_IRREPS, name, abs(len(irreps(group)) - len(group.classes)), 0.0)
    for n in (3, 4) if scale == "smoke" else (3, 4, 5):
        _expansion(checks, f"S{n}")
    return checks.table(characters.with_columns(part=pl.lit("characters")))


def _relations(checks: Checks, name: str) -> None:
    group = named(name)
    homomorphism, sums = 0.0, 0.0
    for r in irreps(group):
        product = np.einsum("aij,bjk->abik", r.matrices, r.matrices)
        homomorphism = max(homomorphism, float(np.abs(r.matrices[group.table] - product).max()))
        for members in group.classes:
            schur = len(members) * r.character[members[0]] / r.dimension * np.eye(r.dimension)
            sums = max(sums, float(np.abs(r.matrices[members].sum(axis=0) - schur).max()))
    elements = np.concatenate([r.matrices.reshape(group.order, -1) for r in irreps(group)], axis=1)
    norms = np.concatenate([np.full(r.dimension**2, group.order / r.dimension) for r in irreps(group)])
    checks.add(RELATIONS, f"{name}: homomorphism", homomorphism, 1e-12)
    checks.add(RELATIONS, f"{name}: orthogonality", float(np.abs(elements.T @ elements - np.diag(norms)).max()), 1e-12)
    checks.add(RELATIONS, f"{name}: class sums", sums, 1e-12)


def _characters(checks: Checks) -> pl.DataFrame:
    import itertools

    group = named("S5")
    place = {images: i for i, images in enumerate(itertools.permutations(range(5)))}
    at = [place[images] for images in CYCLES.values()]
    by_shape = {r.name: r for r in irreps(group)}
    rows = []
    for (name, expected), shape in zip(TABLE.items(), SHAPES, strict=True):
        found = by_shape[shape].character[at]
        checks.add(CHARACTERS, name, float(np.abs(found - expected).max()), 1e-10)
        rows += [
            {"irrep": f"{name} {shape}", "class": c, "character": round(float(x))}
            for c, x in zip(CYCLES, found, strict=True)
        ]
    full = np.array(list(TABLE.values()), float)
    sizes = group.class_sizes[group.class_of[at]]
    checks.add(CHARACTERS, "dimensions", abs((full[:, 0] ** 2).sum() - 120), 1e-10)
    checks.add(CHARACTERS, "rows", float(np.abs((full * sizes) @ full.T / 120 - np.eye(7)).max()), 1e-10)
    checks.add(CHARACTERS, "columns", float(np.abs(full.T @ full - np.diag(120 / sizes)).max()), 1e-10)
    fixed = np.array([sum(images[i] == i for i in range(5)) for images in CYCLES.values()])
    checks.add(SWAPPED, "fixed points - 1", float(np.abs(fixed - 1 - TABLE["standard x sign"]).max()), 1e-10)
    return pl.DataFrame(rows)


def _expansion(checks: Checks, name: str) -> None:
    group, rng = named(name), np.random.default_rng(7)
    margins, norms = 0.0, 0.0
    for u, v, w in rng.normal(size=(5, 3, group.order)):
        tau = rng.random(len(group.classes))[group.class_of]
        tau[0] = 0.0
        tau /= tau.sum()
        total, square = 0.0, 0.0
        for r in irreps(group):
            alpha, beta, gamma = (coefficients(part, r) for part in (u, v, w))
            if r.dimension > 1 or np.ptp(r.character) > 0:  # every irrep but the trivial one
                score = 1 - (tau @ r.character) / r.dimension
                total += 2 * score * np.trace(alpha @ beta @ gamma.T) / r.dimension**2
            square += group.order / r.dimension * sum(float((part**2).sum()) for part in (alpha, beta, gamma))
        margins = max(margins, abs(total / expected_margin(group, tau, u, v, w) - 1))
        powers = sum(float(power(part, irreps(group)).sum()) for part in (u, v, w))
        norms = max(norms, abs(square / (u @ u + v @ v + w @ w) - 1), abs(square / powers - 1))
    checks.add(EXPANSION, f"{name}: expected margin", margins, 1e-10)
    checks.add(EXPANSION, f"{name}: norm", norms, 1e-10)


def figure(table: pl.DataFrame) -> Display:
    rows = table.filter(part="characters")
    return HeatTable(
        rows,
        row="irrep",
        column="class",
        value="character",
        centre=None,
        scale="linear",
        number=".0f",
        labels={name: name.replace("(", "$(").replace(")", ")$") for name in rows["irrep"].unique()},
        title="Characters of $S_5$",
        caption="Traces of Young's orthogonal matrices, by irrep and class of permutations. Morwani et al. 2023, table "
        "D.1, which exchanges the names of the two irreps of dimension 4.",
    )


def judge(table: pl.DataFrame, scale: str) -> list[Judgement]:
    return judged(table, CLAIMS)


experiment = Experiment(
    name="representations",
    title="Irreps of symmetric groups",
    source="appendix D.8, table D.1",
    claims=CLAIMS,
    sweep=None,
    table=table,
    figure=figure,
    judge=judge,
)
