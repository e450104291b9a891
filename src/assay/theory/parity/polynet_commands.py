"""Theory queries about disjoint-PolyNets: the plateau of gradient flow, the exact error, what SGD is asked for."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from assay.errors import ConfigError
from assay.theory.commands import theory_command
from assay.theory.parity import block_error, flow
from assay.theory.parity.plateau import gaussian_plateaus, sign_plateau, sign_plateau_limit
from assay.theory.parity.polynet_sgd import Requirement


@theory_command("polynet-flow")
def polynet_flow(
    *,
    n: int,
    k: int,
    gamma: float = 0.01,
    init: Literal["ones", "signs", "gaussian"] = "signs",
    draws: int = 200,
    seed: int = 0,
) -> dict[str, Any]:
    """Share T(1/2 - gamma) / T(0) of gradient flow that a disjoint-PolyNet spends at chance (Barak et al. 2022, Thm 6).

    Args:
        n: Number of coordinates, a multiple of k.
        k: Number of blocks and order of the parity, at least 3.
        gamma: The plateau ends where the error falls below 1/2 - gamma.
        init: Starting weights with a positive relevant product: all +1, +-1 (the same flow), or standard normal.
        draws: Normal starts; the value is the median over them.
        seed: Of the normal starts.
    """
    block = _block(n, k)
    common = {"n": n, "k": k, "block": block, "gamma": gamma, "init": init}
    source = "Barak et al. 2022, Theorem 6 and Corollary 10; T(0) is the blow-up, the end of the flow"
    if init != "gaussian":
        exact = sign_plateau(block, k, gamma)
        return {
            "value": exact.ratio,
            **common,
            "time_at_chance": exact.threshold,
            "time_of_zero_error": exact.zero_error,
            "time_of_blow_up": exact.blow_up,
            "ratio_to_zero_error": exact.ratio_to_zero_error,
            "weight_at_the_end_of_the_plateau": float(flow.unit_weight(exact.threshold, k)),
            "scaled_rest": exact.left * block ** (k / 2 - 1),
            "scaled_rest_limit": sign_plateau_limit(k, gamma),
            "source": source,
        }
    if draws < 1:
        raise ConfigError("draws", draws, ">= 1")
    found = gaussian_plateaus(block, k, draws, seed, gamma)
    low, middle, high = np.quantile([each.ratio for each in found], (0.1, 0.5, 0.9)).tolist()
    return {
        "value": middle,
        **common,
        "draws": draws,
        "ratio_quantile_10": low,
        "ratio_quantile_90": high,
        "median_time_of_blow_up": float(np.median([each.blow_up for each in found])),
        "median_ratio_to_zero_error": float(np.median([each.ratio_to_zero_error for each in found])),
        "source": source,
    }


@theory_command("polynet-error")
def polynet_error(*, n: int, k: int, relevant: float, irrelevant: float = 1.0) -> dict[str, Any]:
    """Exact error of a disjoint-PolyNet with weights of two sizes, and the bounds of Lemma 7 (Barak et al. 2022).

    Args:
        n: Number of coordinates, a multiple of k, with at least two in a block.
        k: Number of blocks and order of the parity.
        relevant: The relevant weight of each block.
        irrelevant: Size of each irrelevant weight.
    """
    block = _block(n, k)
    if not (relevant > 0 and irrelevant > 0):
        raise ConfigError("(relevant, irrelevant)", (relevant, irrelevant), "both positive")
    v, u = np.full(k, relevant), np.full((k, block - 1), irrelevant)
    return {
        "value": block_error.error(v.tolist(), [block_error.SignSum(block - 1, irrelevant)] * k),
        "n": n,
        "k": k,
        "block": block,
        "lower_bound": float(block_error.lower_bound(v, u)),
        "upper_bound": float(block_error.upper_bound(v, u)),
        "upper_bound_printed": float(block_error.upper_bound(v, u, printed=True)),
        "source": "Barak et al. 2022, Lemma 7; exact: 1 - (prod(1 - ties) + prod(right - wrong))/2 over blocks",
    }


@theory_command("polynet-sgd")
def polynet_sgd(*, n: int, k: int, eps: float = 0.05, delta: float = 0.1) -> dict[str, Any]:
    """Steps after which SGD has taught a disjoint-PolyNet its parity, as Theorem 7 prints and as its proof needs.

    Args:
        n: Number of coordinates, a multiple of k, with at least two in a block.
        k: Number of blocks and order of the parity, at least 2.
        eps: Error that is asked for.
        delta: Probability of missing it, given a start with a positive relevant product.
    """
    block = _block(n, k)
    printed = Requirement(block=block, k=k, eps=eps, delta=delta)
    corrected = Requirement(block=block, k=k, eps=eps, delta=delta, corrected=True)
    return {
        "value": float(printed.steps),
        "n": n,
        "k": k,
        "block": block,
        "steps": printed.steps,
        "steps_corrected": corrected.steps,
        "rate": printed.rate,
        "rate_corrected": corrected.rate,
        "azuma": printed.azuma,
        "azuma_corrected": corrected.azuma,
        "azuma_wanted": printed.azuma_wanted,
        "relevant_weight": printed.relevant_at(printed.steps),
        "relevant_weight_corrected": corrected.relevant_at(corrected.steps),
        "relevant_weight_wanted": printed.relevant_wanted,
        "source": "Barak et al. 2022, Theorem 7: T >= c ln(2nT/delta) ln(2k/eps) (3n/k - 2)^(2k-1), c = 6, then 48",
    }


def _block(n: int, k: int) -> int:
    if k < 1:
        raise ConfigError("k", k, ">= 1")
    if n < 2 * k or n % k:
        raise ConfigError("n", n, f"a multiple of k = {k}, at least {2 * k}", "a block has two coordinates or more")
    return n // k
