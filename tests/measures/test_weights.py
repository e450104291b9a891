"""Movement and norms of the weights (spec 3.7) against numpy."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np
import pytest

import assay as ay
from assay.measures import find
from tests.measures.views import measured, params_of, trial

NETS = {
    "hidden_1": ay.MLP(width=3, depth=2),
    "neuron": ay.Neuron(second_layer=True),
    "factors": ay.PolyNet(),
}
each_net = pytest.mark.parametrize(("layer", "net"), NETS.items(), ids=NETS)


@each_net
def test_movement_is_that_of_the_first_layers_weights(layer: str, net: ay.Net):
    of = trial(net=net)
    now, then = params_of(of), params_of(of, seed=1)
    change = now[layer]["weight"] - then[layer]["weight"]
    assert measured(find("weights/movement_linf"), of, now, then) == pytest.approx(np.abs(change).max(), rel=1e-6)
    assert measured(find("weights/movement_l2"), of, now, then) == pytest.approx(np.linalg.norm(change), rel=1e-6)


def test_weights_that_stay_have_not_moved_and_biases_do_not_count():
    of = trial()
    now = params_of(of)
    moved = now | {
        "hidden_1": now["hidden_1"] | {"bias": now["hidden_1"]["bias"] + 9},
        "output": params_of(of, 7)["output"],
    }
    for name in ("weights/movement_linf", "weights/movement_l2"):
        assert measured(find(name), of, now, now) == 0
        assert measured(find(name), of, moved, now) == 0


def test_nan_shows_in_every_number():
    of = trial()
    now = params_of(of)
    now["hidden_1"]["weight"][1, 2] = np.nan
    for name in ("weights/movement_linf", "weights/movement_l2", "weights/norm_l2"):
        assert np.isnan(measured(find(name), of, now, params_of(of)))


@each_net
def test_the_norm_is_that_of_all_parameters(layer: str, net: ay.Net):
    of = trial(net=net)
    flat = np.concatenate([leaf.ravel() for leaf in jax.tree.leaves(params_of(of))])
    assert measured(find("weights/norm_l2"), of) == pytest.approx(np.linalg.norm(flat), rel=1e-6)


@each_net
def test_snapshots_are_the_parameters_by_name(layer: str, net: ay.Net):
    of = trial(net=net)
    now: Any = params_of(of)
    np.testing.assert_array_equal(measured(find("weights/first_layer"), of, now), now[layer]["weight"])
    snapshot = measured(find("weights/snapshot"), of, now)
    assert set(snapshot) == {f"{name}.{part}" for name, parts in now.items() for part in parts}
    for name, parts in now.items():
        for part, array in parts.items():
            np.testing.assert_array_equal(snapshot[f"{name}.{part}"], array)
