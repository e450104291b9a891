"""Theory query `construct`: a Transformer with explicit weights for a sparse function, checked on every input."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from assay.errors import ConfigError, UnknownName
from assay.maths import juntas
from assay.theory.commands import theory_command
from assay.theory.constructions.functions import all_inputs, hard_inputs, transformer
from assay.theory.constructions.heads import error_formula

ENUMERATED = 14
"""Largest length whose inputs are all tried."""


@theory_command("construct")
def construct(
    *, function: str = "and", sparsity: int = 3, length: int = 10, mapping: str = "positions", general: bool = False
) -> dict[str, Any]:
    """Largest error of the explicit Transformer for a function of the first S out of T bits: on all 2^T inputs up to
    T = 14, else on every pattern of the relevant bits with 22 choices of the others.

    Args:
        function: and, or, xor or majority.
        sparsity: S, relevant bits.
        length: T, bits.
        mapping: positions, trainable or bag: how tokens are embedded.
        general: The construction for arbitrary functions in place of the one for symmetric functions.
    """
    if function not in juntas.NAMED:
        raise UnknownName("function", function, juntas.NAMED)
    if not 1 <= sparsity <= min(length, juntas.LARGEST):
        raise ConfigError("sparsity", sparsity, f"between 1 and {min(length, juntas.LARGEST)}")
    subset = tuple(range(sparsity))
    table = juntas.named_table(function, sparsity).astype(np.float64)
    net = transformer(mapping, length, subset, table, symmetric=not general)
    everything = length <= ENUMERATED
    inputs = all_inputs(length) if everything else hard_inputs(length, subset, np.random.default_rng(0))
    norms = net.attention.norms
    return {
        "value": net.error(inputs),
        "function": function,
        "sparsity": sparsity,
        "length": length,
        "mapping": mapping,
        "inputs": len(inputs),
        "every_input": everything,
        "heads": len(net.attention.heads),
        "attention_error": net.attention.error(inputs),
        "attention_error_formula": error_formula(mapping, length, sparsity, general),
        "attention_error_allowed": net.attention.gamma / 4,
        "norm_query": norms["q"], "norm_key": norms["k"], "norm_value": norms["v"], "norm_out": norms["c"],
        "largest_w1": net.lookup.norms["w1"], "largest_w2": net.lookup.norms["w2"],
        "hidden": "x".join(map(str, net.lookup.dimensions)),
        "log2_hypotheses": math.log2(math.comb(length, sparsity)),
        "source": "Edelman et al. 2022, proposition A.18, with the corrected bump and delta = gamma/4",
    }  # fmt: skip
