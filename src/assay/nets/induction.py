"""An induction head by hand: weights of a two-layer attention-only Transformer that count bigrams.

Edelman, Edelman, Goel, Malach and Tsilivis 2024, proposition 8.2, with what its proof sketch leaves open filled in. The
stream has three blocks of k: current symbol, previous symbol, answer. Layer 0 attends to lag 1 and copies what is there
into the second block; layer 1 attends where the second block equals the current symbol and copies what stands there
into the third. So the answer is the mean of the symbols that follow earlier copies: frequencies, since softmax
averages, where the text says counts. With sharpness c the scores are c/sqrt(3k) and c^2/sqrt(3k) above the rest.

Two exceptions: the first symbol has no predecessor, attends to itself, and so counts as following itself; and where the
current symbol never had a follower, the second layer attends to all positions alike.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from assay.nets.base import Params
from assay.nets.sequence import SequenceTransformer


def induction_head(
    states: int, length: int, sharpness: float = 100.0, scale: float = 1.0
) -> tuple[SequenceTransformer, Params]:
    """The net and its weights; logits are `scale` times the frequencies."""
    k, d = states, 3 * states
    eye = np.eye(k, dtype=np.float32)
    current, previous, answer = (slice(i * k, (i + 1) * k) for i in range(3))

    def block(form: tuple[int, int], rows: slice, columns: slice, size: float) -> dict[str, np.ndarray]:
        weight = np.zeros(form, np.float32)
        weight[rows, columns] = size * eye
        return {"weight": weight}

    nothing = {"weight": np.zeros((d, d), np.float32)}
    lag_1 = np.zeros((length, d), np.float32)
    lag_1[1, current] = 1
    params = {
        "embed_tokens": block((d, k), current, slice(k), 1.0),
        "layer_0_query": block((d, d), current, current, sharpness),
        "layer_0_key": nothing,
        "layer_0_value": block((d, d), previous, current, 1.0),
        "layer_0_positions": {"weight": lag_1},
        "layer_1_query": block((d, d), current, current, sharpness),
        "layer_1_key": block((d, d), current, previous, sharpness),
        "layer_1_value": block((d, d), answer, current, 1.0),
        "layer_1_positions": {"weight": np.zeros((length, d), np.float32)},
        "output": block((k, d), slice(k), answer, scale),
    }
    return SequenceTransformer(d=d, states=states, length=length), jax.tree.map(jnp.asarray, params)
