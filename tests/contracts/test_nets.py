"""What every net and every initialisation keeps to.

A new member needs one line: an example in EXAMPLES (with a task that it fits) or SCHEMES.
"""

from __future__ import annotations

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import assay as ay
from assay.config import bind, values
from assay.maths import streams
from assay.nets import Init
from tests import light
from tests.contracts.members import check_config, check_examples, named

TASK = ay.Parity(n=12, k=3)
SYMBOLS = ay.MarkovChains(states=3, length=12)
PAIRS = ay.Composition(group="S3")
EXAMPLES: list[ay.Net] = [
    ay.MLP(width=5),
    ay.MLP(width=4, depth=3, activation="power", scale=0.5, outputs=3),
    ay.DeepMLP(widths=(3, 2)),
    ay.DeepMLP(widths=(3, 2), degree=3, layerwise=True),
    ay.GatedMLP(width=5),
    ay.Neuron(),
    ay.Neuron(activation="zigzag", second_layer=True),
    ay.PolyNet(),
    ay.DisjointPolyNet(),
    ay.ParityTransformer(d_embedding=8, heads=2, d_attention=4, d_mlp=6),
    ay.SequenceTransformer(d=6),
    ay.HalfHead(d=9, given=("layer_1",)),
    ay.SequenceTransformer(d=6, layers=1, heads=2, positions="absolute", mlp=True, preset="mingpt"),
    ay.MinimalInduction(match=0.1),
    ay.BareTransformer(d_embedding=5, heads=2),
    ay.ClsTransformer(d_embedding=8, heads=2, d_attention=4, d_mlp=6),
    ay.Ticket(width=7, kept=(5, 0, 3)),
    ay.PairNet(width=5),
    ay.PairNet(width=4, activation="relu"),
]
SCHEMES: list[Init] = [
    ay.Uniform(scale=2.0),
    ay.Glorot(),
    ay.Gaussian(biases="zero"),
    ay.Sign(biases="uniform"),
    ay.Sparse(nonzeros=2),
    ay.Unit(law="normal"),
    ay.Mirrored(degree=3),
    ay.Normal(std=0.1),
    ay.Fourier(bandwidth=2.0),
    ay.Ternary(coordinates=12, degree=3),
    ay.Ternary(coordinates=12, degree=3, pairs="literal"),
]
SIGNS = np.random.default_rng(0).choice([-1.0, 1.0], size=(16, TASK.inputs)).astype(np.float32)
SEQUENCES = np.random.default_rng(0).integers(SYMBOLS.states, size=(16, SYMBOLS.inputs)).astype(np.int32)
ELEMENTS = np.random.default_rng(0).integers(PAIRS.outputs, size=(16, PAIRS.inputs)).astype(np.int32)


def task_of(net: ay.Net) -> ay.Task:
    """What a net is made for: sequences of symbols if it knows a number of states, pairs of them, else signs."""
    return PAIRS if net.pair_values else SYMBOLS if hasattr(net, "states") else TASK


def rows_of(net: ay.Net) -> np.ndarray:
    return ELEMENTS if net.pair_values else SEQUENCES if hasattr(net, "states") else SIGNS


each_net = pytest.mark.parametrize("net", [net.completed(task_of(net)) for net in EXAMPLES], ids=named)
each_scheme = pytest.mark.parametrize("scheme", SCHEMES, ids=named)

initialise = light.jit(lambda net, key, scheme: net.init(key, scheme), static_argnums=(0, 2))
apply = light.jit(lambda net, params, x: net.apply(params, x), static_argnums=0)


@functools.cache
def params_of(net: ay.Net, seed: int = 0) -> Any:
    return jax.tree.map(np.asarray, initialise(net, streams.stream(seed, "init"), ay.Uniform()))


# -- nets ------------------------------------------------------------------------------------------------------------


def test_every_net_has_an_example_here():
    check_examples(ay.Net, EXAMPLES, "tests/contracts/test_nets.py")


@pytest.mark.parametrize("net", EXAMPLES, ids=named)
def test_a_net_is_a_config(net: ay.Net):
    check_config(ay.Net, net)
    check_config(ay.Net, net.completed(task_of(net)))


@each_net
def test_a_completed_net_is_complete(net: ay.Net):
    assert net.completed(task_of(net)) == net
    assert None not in net.to_json().values()


@each_net
def test_parameters_are_layers_of_float32_arrays_as_many_as_the_size_says(net: ay.Net):
    params = params_of(net)
    for arrays in params.values():
        assert set(arrays) <= {"weight", "bias"}
        for array in arrays.values():
            assert array.dtype == np.float32
            assert np.isfinite(array).all()
    assert sum(array.size for array in jax.tree.leaves(params)) == net.size


@each_net
def test_the_first_layer_reads_the_inputs_and_has_weights(net: ay.Net):
    """What moves in `weights/movement_linf`, and the last axis that sparse rows run along."""
    weight = next(iter(params_of(net).values()))["weight"]
    if not net.pair_values:  # the table of a pair net has a row for each symbol
        assert task_of(net).inputs % weight.shape[-1] == 0


@each_net
def test_parameters_follow_the_key(net: ay.Net):
    again = initialise(net, streams.stream(0, "init"), ay.Uniform())
    jax.tree.map(np.testing.assert_array_equal, again, params_of(net))
    params, others = (
        {layer: arrays for layer, arrays in params_of(net, seed).items() if layer not in getattr(net, "by_hand", ())}
        for seed in (0, 1)
    )
    for one, other in zip(jax.tree.leaves(params), jax.tree.leaves(others), strict=True):
        assert np.ptp(one) == 0 or not np.array_equal(one, other)  # a gain starts at 1 whatever the key


@each_net
def test_outputs_are_one_number_an_example_or_one_row_of_logits(net: ay.Net):
    found = apply(net, params_of(net), rows_of(net))
    outputs = getattr(net, "outputs", 1)
    positions = [task_of(net).positions] if task_of(net).positions else []
    assert found.shape == ((16,) if outputs == 1 else (16, *positions, outputs))
    assert found.dtype == jnp.float32
    assert np.isfinite(found).all()
    assert len(np.unique(np.asarray(found), axis=0)) > 1


@each_net
def test_an_example_alone_is_answered_as_among_others(net: ay.Net):
    together = np.asarray(apply(net, params_of(net), rows_of(net)))
    alone = np.asarray(apply(net, params_of(net), rows_of(net)[3:4]))
    np.testing.assert_allclose(alone[0], together[3], rtol=1e-5, atol=1e-6)


@each_net
def test_lanes_side_by_side_answer_as_each_alone(net: ay.Net):
    lanes = [params_of(net), params_of(net, 1)]
    stacked = jax.tree.map(lambda *parts: np.stack(parts), *lanes)
    found = light.jit(jax.vmap(net.apply, (0, None)))(stacked, rows_of(net))
    for lane, params in enumerate(lanes):
        np.testing.assert_allclose(found[lane], apply(net, params, rows_of(net)), rtol=1e-5, atol=1e-6)


@each_net
def test_gradients_are_finite_and_reach_every_layer(net: ay.Net):
    def total(params: Any) -> Any:
        return jnp.sum(net.apply(params, jnp.asarray(rows_of(net))) ** 2)

    gradient = light.jit(jax.grad(total))(params_of(net))
    assert jax.tree.map(jnp.shape, gradient) == jax.tree.map(jnp.shape, params_of(net))
    for layer, arrays in gradient.items():
        for array in arrays.values():
            assert np.isfinite(array).all()
            assert np.any(np.asarray(array) != 0) == (layer not in net.frozen)


@each_net
def test_nan_in_the_first_layer_is_nan_in_every_answer(net: ay.Net):
    """A diverged net must not look like a guessing one."""
    first, *rest = params_of(net)
    broken = {first: {name: np.full_like(array, np.nan) for name, array in params_of(net)[first].items()}}
    assert np.isnan(apply(net, broken | {layer: params_of(net)[layer] for layer in rest}, rows_of(net))).all()


@each_net
def test_values_may_be_arguments_of_the_program(net: ay.Net):
    answer = light.jit(lambda given, params: bind(net, given).apply(params, jnp.asarray(rows_of(net))))
    traced = {path: np.float32(number) for path, number in values(net).items()}
    np.testing.assert_allclose(
        answer(traced, params_of(net)), apply(net, params_of(net), rows_of(net)), rtol=1e-5, atol=1e-6
    )


@each_net
def test_a_readout_names_every_array(net: ay.Net):
    readout = net.readout(jax.tree.map(jnp.asarray, params_of(net)))
    assert all(isinstance(name, str) for name in readout)
    assert all(np.isfinite(array).all() for array in readout.values())


# -- initialisations ---------------------------------------------------------------------------------------------------


def test_every_initialisation_has_an_example_here():
    check_examples(Init, SCHEMES, "tests/contracts/test_nets.py (SCHEMES)")


@each_scheme
def test_an_initialisation_is_a_config(scheme: Init):
    check_config(Init, scheme)


@each_scheme
def test_numbers_follow_the_key_and_fill_the_form(scheme: Init):
    draw = light.jit(lambda key: (scheme.weight(key, (6, 10), 10, first=True), scheme.bias(key, (6,), 10)))
    (weight, bias), again, other = (draw(streams.stream(seed, "init")) for seed in (0, 0, 1))
    assert weight.shape == (6, 10)
    assert bias.shape == (6,)
    assert weight.dtype == bias.dtype == jnp.float32
    np.testing.assert_array_equal(weight, again[0])
    np.testing.assert_array_equal(bias, again[1])
    assert not np.array_equal(weight, other[0])
    assert np.isfinite(weight).all()


@each_scheme
def test_every_net_can_start_from_it(scheme: Init):
    for net in EXAMPLES:
        learner = net.completed(task_of(net))
        shapes = jax.eval_shape(functools.partial(learner.init, streams.root(0), scheme))
        assert sum(leaf.size for leaf in jax.tree.leaves(shapes)) == learner.size


@each_scheme
def test_its_values_may_be_arguments_of_the_program(scheme: Init):
    key = streams.stream(0, "init")
    traced = {path: np.float32(number) for path, number in values(scheme).items()}
    drawn = light.jit(lambda given: bind(scheme, given).weight(key, (6, 10), 10, first=True))(traced)
    plain = light.jit(lambda: scheme.weight(key, (6, 10), 10, first=True))()
    np.testing.assert_allclose(drawn, plain, rtol=1e-6)
