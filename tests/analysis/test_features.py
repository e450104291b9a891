"""Features of neurons, on networks whose features are known."""

from __future__ import annotations

import numpy as np
import pytest

from assay.analysis import features
from assay.maths.groups import irreps, named
from assay.theory.margins import certificate, cyclic_network


def test_neurons_of_the_cyclic_network_have_one_frequency_each():
    net, group = cyclic_network(13), named("Z13")
    found = features.neurons(net.u, net.v, net.w, irreps(group))
    assert found["feature"].to_list() == np.repeat(np.arange(1, 7), 8).tolist()
    np.testing.assert_allclose(found["least_purity"], 1)
    assert found["same"].all()
    for part in ("share_u", "share_v", "share_w"):
        np.testing.assert_allclose(found[part], 1 / 3)
    assert found["mass"].sum() == pytest.approx(1)
    defects = features.phase_defects(net.u, net.v, net.w, found["feature"].to_numpy())
    assert defects.max() < 1e-12


def test_a_phase_that_is_off_is_seen():
    p, z = 11, 3
    wave = lambda phase: np.cos(phase + 2 * np.pi * z * np.arange(p) / p)[None]  # noqa: E731
    found = features.phase_defects(wave(0.3), wave(0.5), wave(0.8 - 0.1), np.array([z]))
    assert found == pytest.approx(0.1)


def test_neurons_of_a_group_network_have_one_irrep_and_rank_one():
    group = named("S4")
    best = certificate(group)
    net = best.network()
    found = features.neurons(net.u, net.v, net.w, irreps(group))
    counts = np.bincount(found["feature"].to_numpy())
    assert counts.tolist() == [0, 54, 16, 54, 2]
    np.testing.assert_allclose(found["least_purity"], 1)
    mass = [found.filter(feature=i)["mass"].sum() for i in range(1, 5)]
    np.testing.assert_allclose(np.array(mass), best.shares)
    for i in (0, 60, 100):
        ratio, agreement = features.rank_one(net.u[i], net.v[i], net.w[i], irreps(group)[found["feature"][i]])
        assert ratio < 1e-10
        assert agreement == pytest.approx(1)


def test_random_neurons_are_neither_pure_nor_of_rank_one():
    group, rng = named("S4"), np.random.default_rng(0)
    u, v, w = rng.normal(size=(3, 200, 24))
    found = features.neurons(u, v, w, irreps(group))
    mean, low, high = features.expected_purity(irreps(group))
    assert found["purity"].mean() == pytest.approx(mean, rel=0.05)
    assert mean == pytest.approx(0.479, rel=0.02)  # 20,000 Gaussian vectors elsewhere
    assert 0.05 < np.mean((found["purity"].to_numpy() < low) | (found["purity"].to_numpy() > high)) < 0.2
    assert features.rank_one(u[0], v[0], w[0], irreps(group)[1])[0] > 0.1


def test_the_expected_purity_of_a_cyclic_group_is_that_of_exponentials():
    """The largest of M exponential parts is H_M / M of their sum, but for the constant part."""
    harmonic = sum(1 / k for k in range(1, 36)) / 35
    assert features.expected_purity(irreps(named("Z71")))[0] == pytest.approx(harmonic, rel=0.03)
