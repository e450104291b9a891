"""Explicit Transformers against the functions that they are built for, on every input."""

from __future__ import annotations

import math

import numpy as np
import pytest

from assay.errors import ConfigError, UnknownName
from assay.maths import juntas
from assay.theory.constructions import beyond
from assay.theory.constructions.commands import construct
from assay.theory.constructions.functions import all_inputs, hard_inputs, transformer
from assay.theory.constructions.heads import MAPPINGS, attention, coherence, error_formula
from assay.theory.constructions.lookup import lookup

each_mapping = pytest.mark.parametrize("mapping", MAPPINGS)


@each_mapping
@pytest.mark.parametrize("vector", [False, True])
@pytest.mark.parametrize("s", [1, 2, 4])
def test_the_error_of_attention_is_that_of_the_formula(mapping: str, vector: bool, s: int):
    layer = attention(mapping, 9, tuple(range(2, 2 + s)), vector=vector)
    error = layer.error(all_inputs(9))
    assert error == pytest.approx(error_formula(mapping, 9, s, vector), abs=1e-12)
    assert error <= layer.gamma / 4


def test_errors_at_reference_values():
    assert error_formula("positions", 10, 3, vector=False) == pytest.approx(0.0407608696, abs=1e-10)
    assert error_formula("positions", 300, 3, vector=False) == pytest.approx(0.0536133, abs=1e-7)
    assert error_formula("trainable", 12, 4, vector=True) == pytest.approx(0.2129630, abs=1e-7)
    assert error_formula("bag", 50, 3, vector=False) == pytest.approx(3 / 73)
    assert error_formula("bag", 50, 4, vector=True) == pytest.approx(1 / 129)


def test_tables_of_scores_are_a_shortcut_for_rows():
    layer = attention("bag", 6, (1, 4), vector=True)
    tokens = all_inputs(6)
    rows = layer.symbols[tokens, np.arange(6)]
    rows = np.concatenate([rows, np.broadcast_to(layer.start, (64, 1, len(layer.start)))], axis=1)
    np.testing.assert_allclose(layer.on_rows(rows), layer(tokens), atol=1e-13)
    shuffled = np.concatenate([rows[:, np.random.default_rng(0).permutation(6)], rows[:, -1:]], axis=1)
    np.testing.assert_allclose(layer.on_rows(shuffled), layer(tokens), atol=1e-13)  # a bag has no order


def test_norms_without_overlap():
    log = math.log(8 * 9 / (2 / 3))
    norms = attention("positions", 9, (0, 3, 5)).norms
    assert norms == pytest.approx({"q": log, "k": 3**0.5, "v": 2**0.5, "c": 1.0})
    bag = attention("bag", 9, (0, 3, 5)).norms
    assert bag == pytest.approx({"q": math.log(8 * 9 * 9), "k": 2.0, "v": 6**0.5, "c": 3**0.5})


@each_mapping
@pytest.mark.parametrize("s", [1, 2, 3])
def test_every_function_is_computed_exactly(mapping: str, s: int):
    inputs = all_inputs(7)
    for number in range(0, 2 ** (2**s), 1 if s < 3 else 9):
        table = np.array([number >> u & 1 for u in range(2**s)], float)
        net = transformer(mapping, 7, tuple(range(1, 1 + s)), table)
        assert net.error(inputs) < 1e-9
        assert net.lookup.dimensions == (4 * s * 2**s, 2 * 2**s)
        assert len(net.attention.heads) == (1 if mapping == "bag" else s)
        if juntas.is_symmetric(table.astype(np.uint8)):
            small = transformer(mapping, 7, tuple(range(1, 1 + s)), table, symmetric=True)
            assert small.error(inputs) < 1e-9
            assert small.lookup.dimensions == (4 * (s + 1), 2 * (s + 1))


def test_a_lookup_returns_its_values_on_whole_balls_and_the_printed_one_does_not():
    rng = np.random.default_rng(0)
    points = rng.permuted(np.stack([np.arange(5.0), np.arange(5.0)]), axis=1).T
    values = rng.normal(size=5)
    net = lookup(points, values, 0.25)
    near = points[:, None] + rng.uniform(-0.25, 0.25, (5, 40, 2))
    np.testing.assert_allclose(net(near.reshape(-1, 2)), np.repeat(values, 40), atol=1e-12)
    assert net.norms == pytest.approx({"w1": max(4, 4 / 0.25 + 2), "w2": 2 / 0.25, "w": np.abs(values).max()})
    assert np.abs(lookup(points, values, 0.25, printed=True)(points) - values).max() > 0.1


def test_with_overlaps_the_gram_version_holds_where_the_printed_one_fails():
    basis = np.random.default_rng(0).choice([-1.0, 1.0], (64, 1024)) / 32
    assert 5 * coherence(basis) < 1
    inputs = hard_inputs(64, (1, 5, 9), np.random.default_rng(1))
    for mapping, vector in (("positions", False), ("positions", True), ("bag", False), ("bag", True)):
        good, printed = (
            attention(mapping, 64, (1, 5, 9), vector=vector, basis=basis, variant=v) for v in ("gram", "printed")
        )
        assert good.error(inputs) <= good.gamma / 4 < printed.error(inputs)
    with pytest.raises(ConfigError, match="Delta"):
        attention("positions", 64, (1, 5, 9), basis=basis[:, :40] * (1024 / 40) ** 0.5)


def test_hard_inputs_have_every_pattern():
    inputs = hard_inputs(30, (3, 7), np.random.default_rng(0), many=2)
    assert inputs.shape == (16, 30)
    assert {tuple(row) for row in inputs[:4, [3, 7]].tolist()} == {(0, 0), (0, 1), (1, 0), (1, 1)}


def test_beside_and_beyond_bits():
    rng = np.random.default_rng(2)
    for length in (10, 1000):
        for scale in (4.0, None):
            own = math.log(8 * length / (2 / 3)) if scale is None else scale
            assert beyond.measured_sensitivity(length, 3, scale) == pytest.approx(
                beyond.sensitivity(length, 3, own), rel=1e-9
            )
    assert beyond.uniform_average_error(20, 4, rng) < 1e-12
    assert beyond.subspace_average_error(100, 30, 3, rng) < 1e-9
    assert beyond.categorical_error(3, 5, (0, 3), rng.normal(size=9)) < 1e-9
    assert beyond.continuous_error(50, 10.0, 50, rng) <= 2 * 50 / math.exp(10)


def test_the_query():
    for mapping in MAPPINGS:
        told = construct(function="xor", sparsity=3, length=8, mapping=mapping, general=True)
        assert told["value"] < 1e-9
        assert told["attention_error"] == pytest.approx(told["attention_error_formula"], abs=1e-12)
    assert not construct(length=40)["every_input"]
    with pytest.raises(UnknownName, match="function"):
        construct(function="nand")
    with pytest.raises(ConfigError, match="sparsity"):
        construct(sparsity=12)
