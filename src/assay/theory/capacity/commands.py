"""Theory query `capacity`: how large the class of bounded-norm heads is, and the samples that this asks for."""

from __future__ import annotations

import math
from typing import Any

from assay.errors import ConfigError
from assay.theory.capacity.attention import Norms, explicit_head, parallel_heads, single_head
from assay.theory.capacity.generalisation import samples_needed
from assay.theory.commands import theory_command


@theory_command("capacity")
def capacity(
    *,
    length: int,
    samples: int = 100,
    d: int = 64,
    eps: float = 0.1,
    heads: int = 1,
    norm_v: float = 1.0,
    norm_qk: float = 1.0,
    radius: float = 1.0,
    variant: str = "safe",
    target: float = 0.1,
) -> dict[str, Any]:
    """log N_inf of a bounded-norm attention head on m inputs of length T (corollary 4.9, hidden constant 1).

    Args:
        length: T, tokens of an input.
        samples: m, inputs.
        d: Dimension of the embeddings.
        eps: Accuracy of the cover.
        heads: Heads in parallel, outputs added up.
        norm_v: Bound on W_V, spectral and (2,1).
        norm_qk: Bound on W_QK, sum of row norms.
        radius: Largest norm of a token.
        variant: main, appendix or safe: the term of W_QK as in the main text, the appendix, or without |x| <= 1.
        target: Generalisation gap whose samples are told.
    """
    if min(length, samples, d, heads) < 1:
        raise ConfigError("length, samples, d, heads", (length, samples, d, heads), "at least 1 each")
    norms = Norms(v=norm_v, v21=norm_v, qk21=norm_qk)
    one = single_head(norms, d=d, samples=samples, length=length, eps=eps, radius=radius, variant=variant)
    needed = samples_needed(
        lambda m: single_head(norms, d=d, samples=math.ceil(m), length=length, eps=1.0, radius=radius, variant=variant),
        target,
    )
    return {
        "value": one if heads == 1 else parallel_heads(norms, heads, d=d, samples=samples, length=length, eps=eps),
        "length": length,
        "samples": samples,
        "d": d,
        "eps": eps,
        "heads": heads,
        "variant": variant,
        "with_constants": explicit_head(norms, d=d, samples=samples, length=length, eps=eps, radius=radius),
        "growth_per_doubling": one * math.log(2) / math.log(d * samples * length),
        "samples_for_target": needed,
        "target": target,
        "source": "Edelman et al. 2022, corollary 4.9 and lemmas A.5 and A.12: a function of log T; samples with "
        "Dudley's constant 12, so vacuous in size, not in growth",
    }
