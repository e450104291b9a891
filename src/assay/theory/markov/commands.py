"""Theory queries about Markov chains learnt in context."""

from __future__ import annotations

from typing import Any

from assay.errors import ConfigError
from assay.theory.commands import theory_command
from assay.theory.markov.chains import PriorName
from assay.theory.markov.strategies import NAMES, strategy_losses


@theory_command("strategy-kl")
def strategy_kl(
    *, prior: PriorName = "full", states: int, length: int, n: int = 2, samples: int = 100_000, seed: int = 0
) -> dict[str, Any]:
    """Mean KL divergence of the truth from what counting strategies predict after the last symbol of a sequence.

    `value` is that of the Bayes rule, or of the n-gram rule where no formula of the Bayes rule is known.

    Args:
        prior: Law of the chains: full (flat Dirichlet rows), iid, doubly-stochastic, or mixture (half of each).
        states: Number of symbols k.
        length: Number of symbols t of a sequence.
        n: Of the n-grams, 2 for Markov chains; above 2 for full only.
        samples: Sequences that are drawn.
        seed: Seed of the draws.
    """
    for name, number, low, high in (
        ("states", states, 2, 16),
        ("n", n, 2, len(NAMES) - 1),
        ("length", length, n, 2000),
        ("samples", samples, 1000, 10_000_000),
    ):
        if not low <= number <= high:
            raise ConfigError(name, number, f"between {low} and {high}")
    if n > 2 and prior != "full":
        raise ConfigError("prior", prior, f"full for n = {n}")
    if prior in ("doubly-stochastic", "mixture") and states > 8:
        raise ConfigError("states", states, f"at most 8 for prior {prior}", "uniform ones are drawn by rejection")
    means = strategy_losses(prior, states, length, n, samples, seed)
    rules = {name: means[name] for name in (*NAMES[: n + 1], "bayes") if name in means}
    return {
        "value": rules.get("bayes", rules[NAMES[n]]).value,
        "prior": prior,
        "states": states,
        "length": length,
        "n": n,
        "samples": samples,
        **{name: mean.value for name, mean in rules.items()},
        **({} if "bayes" in rules else {"bayes": None}),
        "standard_error": max(mean.error for mean in rules.values()),
        **{f"{name}_error": mean.error for name, mean in rules.items()},
        "source": "Edelman et al. 2024, section 2 (dissertation section 8.1); the Bayes rule from a stationary start",
    }
