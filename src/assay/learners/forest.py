"""Random forests on tables: the grid of Edelman et al. 2023, appendix C.3, each forest fitted once.

Trees of a forest are independent, so that its first 10 or 100 are a forest of 10 or 100 trees: of the 90 points of the
grid 30 are fitted. The paper's `max_depth = -1` is no setting of scikit-learn; its numbers fit a depth of at most 10.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from jaxtyping import Float, Float32

DEPTHS: Sequence[int | None] = (None, 2, 3, 4, 10)
FEATURES: Sequence[int | str | None] = (1, 2, 3, 4, "sqrt", None)
TREES = (10, 100, 1000)


def split(rows: int, fraction: float, seed: int, test: float = 0.1) -> tuple[np.ndarray, np.ndarray]:
    """Row numbers to train on and to test on: a tenth is held out, a fraction of the rest is trained on."""
    order = np.random.default_rng(seed).permutation(rows)
    tests = max(1, round(test * rows))
    return order[: max(1, round(fraction * (rows - tests)))], order[rows - tests :]


def forest_errors(
    inputs: Float32[np.ndarray, "rows n"],
    labels: Float32[np.ndarray, " rows"],
    fraction: float,
    seed: int,
    depths: Sequence[int | None] = DEPTHS,
    features: Sequence[int | str | None] = FEATURES,
    trees: Sequence[int] = TREES,
) -> Iterator[dict[str, Any]]:
    """Test error of each point of the grid on one split: depth (0 stands for no limit), features, trees, error."""
    from sklearn.ensemble import RandomForestClassifier

    own, tests = split(len(labels), fraction, seed)
    if len(np.unique(labels[own])) < 2:
        return
    for depth in depths:
        for feature in features:
            if isinstance(feature, int) and feature > inputs.shape[1]:
                continue
            forest = RandomForestClassifier(
                n_estimators=max(trees),
                max_depth=depth,
                max_features=feature,  # type: ignore[arg-type]
                random_state=seed,
                n_jobs=-1,  # threads; each tree has a seed of its own
            )
            forest.fit(inputs[own], labels[own])
            share = _positive_shares(forest.estimators_, inputs[tests])
            for count in trees:
                answers = np.where(share[:count].mean(axis=0) > 0.5, 1.0, -1.0)
                error = float((answers != labels[tests]).mean())
                yield {"depth": depth or 0, "features": str(feature), "trees": count, "error": error}


def _positive_shares(trees: Sequence[object], inputs: np.ndarray) -> Float[np.ndarray, "trees tests"]:
    """Each tree's share of the positive class."""
    return np.stack([tree.predict_proba(inputs)[:, 1] for tree in trees])  # type: ignore[attr-defined]
