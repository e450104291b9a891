"""The settings of Barak et al. 2022 by their Roman numerals (appendix C.1), and the protocols they are run under."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

import assay as ay
from assay import MLP, Neuron, PolyNet

NETS: Mapping[str, ay.Net] = {
    "i": MLP(width=10),
    "ii": MLP(width=100),
    "iii": MLP(width=1000),
    "iv": MLP(width=10, activation="power"),
    "v": MLP(width=100, activation="power"),
    "vi": MLP(width=1000, activation="power"),
    "vii": Neuron(activation="zigzag", second_layer=True),
    "viii": Neuron(activation="polynomial", second_layer=True),
    "ix": Neuron(activation="triangle", second_layer=True),
    "x": Neuron(activation="sinusoid", second_layer=True),
    "xi": Neuron(activation="zigzag"),
    "xii": Neuron(activation="polynomial"),
    "xiii": Neuron(activation="triangle"),
    "xiv": Neuron(activation="sinusoid"),
    "xv": PolyNet(),
}

STARRED: Mapping[str, str] = {"*i": "relu", "*ii": "power"}
"""Activations of the two-layer nets that are as wide as k, which is barely enough."""

NAMES: Mapping[str, str] = {
    "i": "(i) ReLU, width 10",
    "ii": "(ii) ReLU, width 100",
    "iii": "(iii) ReLU, width 1000",
    "iv": "(iv) $z^k$, width 10",
    "v": "(v) $z^k$, width 100",
    "vi": "(vi) $z^k$, width 1000",
    "vii": "(vii) zigzag, width 1",
    "viii": "(viii) polynomial, width 1",
    "ix": "(ix) infinite zigzag, width 1",
    "x": "(x) sinusoid, width 1",
    "xi": "(xi) zigzag neuron",
    "xii": "(xii) polynomial neuron",
    "xiii": "(xiii) infinite zigzag neuron",
    "xiv": "(xiv) sinusoid neuron",
    "xv": "(xv) PolyNet",
    "*i": "(*i) ReLU, width k",
    "*ii": "(*ii) $z^k$, width k",
}

WHOLE_SAMPLE = ay.Solve(sample=8192)
"""Example curves and the convergence-time table: all of 8,192 held-out examples right."""

SMALL_SAMPLE = ay.Solve(sample=128)
"""Large-scale probes: all of 128 right. Lenient: a net of accuracy a passes a check with probability a^128."""


def net(setting: str, k: int) -> ay.Net:
    """The net of a setting for parities of k bits."""
    return MLP(width=k, activation=STARRED[setting]) if setting in STARRED else NETS[setting]


def labels(column: str, sweeps: Mapping[str, ay.Sweep]) -> pl.DataFrame:
    """Which trial belongs to which part of an experiment: columns `trial` and `column`."""
    rows = [(trial.identity, name) for name, sweep in sweeps.items() for trial in sweep.trials()]
    return pl.DataFrame(rows, schema={"trial": pl.String, column: pl.String}, orient="row")
