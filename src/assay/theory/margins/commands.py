"""The theory query about maximum margins."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from assay.errors import ConfigError
from assay.maths import cube
from assay.maths.groups import Group, named
from assay.theory.commands import theory_command
from assay.theory.margins.groups import certificate, conditions, margin_formula
from assay.theory.margins.neuron import best_neurons
from assay.theory.margins.parity import parity_margin, parity_network
from assay.theory.margins.regularised import parity_optimum, regularised_optimum

EXACT_ORDER = 120
"""Largest group whose network is built and answers all inputs here."""
PARITY_BITS = 16


@theory_command("max-margin")
def max_margin(
    *, group: str | None = None, parity: str | None = None, penalty: float | None = None, starts: int = 10
) -> dict[str, Any]:
    """Largest normalised margin on a group or a parity, with its certificate (Morwani et al. 2023).

    `gamma` is the margin of an explicit network, evaluated on all inputs; `dual` bounds that of any network; `neuron`
    is the best single neuron that optimisation finds, from random starts, and must not exceed `dual`.

    Args:
        group: Z7, D5, S4, A5, Q8, B3, Z2^3, Z2xS3, Z7:Z3, or G16.3 for number 3 of order 16 (up to 63).
        parity: n,k such as 10,4, for the parity of k out of n bits with activation x^k.
        penalty: Also the optimum of cross-entropy plus this much times the mass.
        starts: How many random starts the best single neuron is looked for from.
    """
    if (group is None) == (parity is None):
        raise ConfigError("--group or --parity", group or "neither", "exactly one of the two")
    return _of_group(named(group), penalty, starts) if group else _of_parity(*_pair(parity or ""), penalty)


def _pair(text: str) -> tuple[int, int]:
    parts = text.replace("(", "").replace(")", "").split(",")
    if len(parts) != 2 or not all(part.strip().isdigit() for part in parts) or not 1 <= int(parts[1]) <= int(parts[0]):
        raise ConfigError("--parity", text, "n,k with 1 <= k <= n, such as 10,4")
    return int(parts[0]), int(parts[1])


def _of_group(group: Group, penalty: float | None, starts: int) -> dict[str, Any]:
    found = certificate(group)
    result: dict[str, Any] = {
        "value": found.gamma,
        "group": group.name,
        "order": group.order,
        "gamma": found.gamma,
        "dual": found.dual,
        "gap": found.gap,
        "formula": margin_formula(group),
        "condition": float(conditions(group).max()),
        "irreps": _spelt(f"{r.name} ({r.dimension}, {r.type})" for r in found.irreps),
        "irreps_used": _spelt(found.used),
        "irreps_never": _spelt(found.never),
        "shares": found.shares.tolist(),
        "classes": len(group.classes),
        "classes_on_margin": _spelt(
            f"{c} (order {group.element_orders[group.classes[c][0]]}, {group.class_sizes[c]} elements)"
            for c in found.on_margin
        ),
        "class_weights": found.weights.tolist(),
        "width": found.width,
    }
    if group.order <= EXACT_ORDER:
        answers = found.network().answers(group)
        result |= {
            "network_margin": answers.margin,
            "network_error": abs(answers.margin / found.gamma - 1),
            "neuron": float(best_neurons(group, found.tau, starts)[0].max()),
        }
    if penalty is not None:
        optimum = regularised_optimum(group, penalty)
        result |= {
            "optimum_loss": optimum.loss, "optimum_mass": optimum.mass, "optimum_margin": optimum.margin,
            "optimum_ratio": optimum.ratio, "optimum_shares": optimum.shares.tolist(),
        }  # fmt: skip
    return result | {"source": "Morwani et al. 2023, Theorems 7.7 and 7.9, appendix D.9.2; irreps over the reals"}


def _of_parity(n: int, k: int, penalty: float | None) -> dict[str, Any]:
    gamma = parity_margin(k)
    result: dict[str, Any] = {
        "value": gamma,
        "n": n,
        "k": k,
        "gamma": gamma,
        "dual": gamma,
        "gap": 0.0,
        "irreps_used": ["the character of the k bits"],
        "classes_on_margin": ["every input"],
        "width": 2 ** (k - 1),
    }
    if n <= PARITY_BITS:
        u, w = parity_network(n, k)
        x = cube.cube(n).astype(float)
        label = x[:, :k].prod(axis=1)
        output = (x @ u.T) ** k @ w
        margin = float((label * (output[:, 0] - output[:, 1])).min())
        mass = float((((u**2).sum(1) + (w**2).sum(1)) ** ((k + 1) / 2)).sum())
        result |= {"value": margin / mass, "gamma": margin / mass, "gap": (gamma - margin / mass) / gamma}
    if penalty is not None:
        optimum = parity_optimum(k, penalty)
        result |= {
            "optimum_loss": optimum.loss, "optimum_mass": optimum.mass, "optimum_margin": optimum.margin,
        }  # fmt: skip
    return result | {"source": "Morwani et al. 2023, Theorem 7.8: k! sqrt(2 (k + 1)^-(k + 1))"}


def _spelt(items: Iterable[object]) -> list[str]:
    return [str(item) for item in items]
