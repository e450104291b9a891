"""Certificates of maximum margins: closed forms, explicit networks on all inputs, weak duality, the best neuron."""

from __future__ import annotations

import math

import numpy as np
import pytest

from assay.errors import ConfigError
from assay.maths import cube
from assay.maths.groups import irreps, named, power
from assay.theory.margins import (
    PairNetwork,
    best_neurons,
    certificate,
    conditions,
    cyclic_margin,
    cyclic_network,
    expected_margin,
    lookup_network,
    margin_formula,
    narrow_network,
    parity_margin,
    parity_network,
    parity_optimum,
    regularised_optimum,
    symmetric_conditions,
    symmetric_gain,
)

FORMULA = {
    "S2": 0.27216552698, "S3": 0.02360496931049, "S4": 0.00207664799605, "S5": 0.000132597749002, "D4": 0.01571965515,
    "D5": 0.00988460332, "D6": 0.00776256629, "D7": 0.00572430042, "Z2^2": 0.06415002991, "Z2^3": 0.01944039478,
}  # fmt: skip
"""Theorem 7.9, as the paper's formula gives them."""
SMALL = ["S3", "S4", "D4", "A4", "A5", "Q8", "Z7:Z3", "Z6", "Z9", "Z2^3", "G16.3", "B3"]
rng = np.random.default_rng(0)


@pytest.mark.parametrize("p", [3, 5, 7, 13, 23])
@pytest.mark.parametrize("network", [cyclic_network, narrow_network])
def test_cyclic_networks_attain_the_margin_on_every_input(p: int, network):
    net = network(p)
    answers = net.answers(named(f"Z{p}"))
    assert net.mass == pytest.approx(1, rel=1e-13)
    np.testing.assert_allclose(answers.margins, cyclic_margin(p), rtol=1e-12)
    np.testing.assert_allclose(answers.lowest / answers.correct, -1 / (p - 1), rtol=1e-11)
    np.testing.assert_allclose(answers.highest / answers.correct, -1 / (p - 1), rtol=1e-11)
    assert net.width == (4 if network is cyclic_network else 3) * (p - 1)


@pytest.mark.parametrize("p", [3, 7, 15, 71])
def test_the_linear_program_gives_the_closed_form_of_cyclic_groups(p: int):
    assert certificate(named(f"Z{p}")).gamma == pytest.approx(cyclic_margin(p), rel=1e-12)


@pytest.mark.parametrize("name", FORMULA)
def test_the_linear_program_gives_theorem_7_9(name: str):
    group = named(name)
    found = certificate(group)
    assert found.gamma == pytest.approx(FORMULA[name], rel=1e-9)
    assert margin_formula(group) == pytest.approx(found.gamma, rel=1e-12)
    shares = np.array([r.dimension**2.5 for r in found.irreps])
    np.testing.assert_allclose(found.shares, shares / shares.sum(), rtol=1e-10)
    z = np.array([r.dimension**1.5 for r in found.irreps]) / shares.sum()
    tau = -np.array([r.character for r in found.irreps]).T @ z
    np.testing.assert_allclose(found.tau[1:], tau[1:], rtol=1e-9)


@pytest.mark.parametrize("name", SMALL)
def test_certificates_have_no_gap_and_networks_that_attain_them(name: str):
    group = named(name)
    found = certificate(group)
    assert abs(found.gap) < 1e-12
    assert found.weights.min() >= 0
    assert found.weights.sum() == pytest.approx(1, rel=1e-12)
    assert found.coefficients.min() >= 0
    net = found.network()
    assert net.mass == pytest.approx(1, rel=1e-12)
    assert net.width == found.width
    answers = net.answers(group)
    assert answers.accuracy == 1
    assert answers.margin == pytest.approx(found.gamma, rel=1e-11)
    assert answers.weighted(found.tau) == pytest.approx(found.gamma, rel=1e-11)
    assert set(found.used).isdisjoint(found.never)


@pytest.mark.parametrize("name", SMALL)
def test_no_single_neuron_is_better_than_the_dual(name: str):
    group = named(name)
    found = certificate(group)
    values, neurons = best_neurons(group, found.tau, starts=10, steps=200)
    assert values.max() <= found.dual * (1 + 1e-11)
    assert values.max() >= found.dual * (1 - 1e-8)
    best = int(values.argmax())
    value = expected_margin(group, found.tau, neurons.u[best], neurons.v[best], neurons.w[best])
    assert value == pytest.approx(values[best], rel=1e-9)  # squares and all


def test_weak_duality_holds_for_any_network():
    """min g <= E g <= E g' <= dual * mass (lemmas 7.2 to 7.6)."""
    group = named("Z7")
    found = certificate(group)
    for _ in range(50):
        net = PairNetwork(*rng.normal(size=(3, 12, 7)))
        answers = net.answers(group)
        weighted = answers.weighted(found.tau)
        assert answers.margin <= answers.margins.mean() <= weighted + 1e-12
        assert weighted <= found.dual * net.mass * (1 + 1e-12)


def test_answers_are_those_of_the_formula():
    group = named("S3")
    net = PairNetwork(*rng.normal(size=(3, 5, 6)))
    logits = np.zeros((6, 6, 6))
    for u, v, w in zip(net.u, net.v, net.w, strict=True):
        logits += (u[:, None, None] + v[None, :, None]) ** 2 * w
    answers = net.answers(group)
    losses, margins = [], []
    for a in range(6):
        for b in range(6):
            row, label = logits[a, b], group.table[a, b]
            margins.append(row[label] - np.delete(row, label).max())
            losses.append(np.log(np.exp(row).sum()) - row[label])
    np.testing.assert_allclose(answers.margins.ravel(), margins, atol=1e-10)
    assert answers.loss == pytest.approx(np.mean(losses))
    assert answers.accuracy == np.mean(np.array(margins) > 0)


def test_a5_never_uses_its_five_dimensional_irrep():
    """And its double transpositions are off the margin: computed from the condition of appendix D.9.2."""
    found = certificate(named("A5"))
    assert found.never == ("5",)
    assert sorted(found.weights.round(5)) == [0.0, 0.29222, 0.29222, 0.41555]
    assert found.scores[-1] == pytest.approx(0.92952, abs=1e-5)
    assert conditions(named("A5")).max() == pytest.approx(0.78804, abs=1e-5)
    assert margin_formula(named("A5")) is None


def test_conditions_of_symmetric_groups():
    assert all(conditions(named(f"S{n}")).max() < 0 for n in (2, 3, 4, 5))
    assert sorted(conditions(named("S6")).round(4))[-2:] == [10.2786, 11.0]


@pytest.mark.parametrize(("p", "printed", "balanced"), [(7, 0.2009, 0.4582), (13, 0.1588, 0.3621)])
def test_lookup_networks_are_right_dense_and_below_the_maximum(p: int, printed: float, balanced: float):
    group = named(f"Z{p}")
    net = lookup_network(group)
    answers = net.answers(group)
    np.testing.assert_array_equal(answers.correct, 1)
    np.testing.assert_array_equal(answers.highest, 0)
    np.testing.assert_array_equal(answers.lowest, 0)
    assert answers.margin / net.mass / cyclic_margin(p) == pytest.approx(printed, abs=5e-5)
    even = lookup_network(group, balanced=True)
    assert even.answers(group).margin / even.mass / cyclic_margin(p) == pytest.approx(balanced, abs=5e-5)
    shares = power(net.u, irreps(group))
    np.testing.assert_allclose(shares, np.tile([1 / p] + [2 / p] * ((p - 1) // 2), (net.width, 1)), atol=1e-12)


@pytest.mark.parametrize(("n", "k"), [(8, 1), (6, 2), (6, 3), (10, 4), (10, 5)])
def test_parity_networks_attain_the_margin_on_every_input(n: int, k: int):
    u, w = parity_network(n, k)
    x = cube.cube(n).astype(float)
    label = x[:, :k].prod(axis=1)
    output = (x @ u.T) ** k @ w
    assert len(u) == 2 ** (k - 1)
    assert ((np.square(u).sum(1) + np.square(w).sum(1)) ** ((k + 1) / 2)).sum() == pytest.approx(1, rel=1e-13)
    np.testing.assert_allclose(label * (output[:, 0] - output[:, 1]), parity_margin(k), rtol=1e-11)


def test_a_parity_neuron_correlates_by_its_product_alone():
    """E psi = sqrt(2) k! prod_{j in S} u_j beta for any u and w (Theorem 7.8), so no neuron exceeds gamma*."""
    for n, k in ((6, 2), (8, 3), (10, 4)):
        x = cube.cube(n).astype(float)
        u, w = rng.normal(size=n), rng.normal(size=2)
        found = np.mean(x[:, :k].prod(axis=1) * (x @ u) ** k * (w[0] - w[1]))
        beta = (w[0] - w[1]) / math.sqrt(2)
        assert found == pytest.approx(math.sqrt(2) * math.factorial(k) * u[:k].prod() * beta, rel=1e-9)
        assert found <= parity_margin(k) * (u @ u + w @ w) ** ((k + 1) / 2)


@pytest.mark.parametrize(
    ("name", "penalty", "margin", "mass", "loss", "ratio"),
    [
        ("Z7", 1e-4, 6.930191, 404.2149, 0.0058497, 1.0),
        ("Z71", 1e-4, 5.533394, 11991.836, 0.2442619, 1.0),
        ("S3", 1e-7, 13.66398, 590.3816, 4.23641e-6, 0.98049),
        ("S4", 1e-7, 12.25638, 6236.294, 4.81557e-5, 0.94640),
        ("S5", 1e-5, 6.40807, 51855.98, 0.0772471, 0.93195),
    ],
)
def test_the_optimum_at_a_penalty(name: str, penalty: float, margin: float, mass: float, loss: float, ratio: float):
    """Margins by the closed form m_C = log(1 / (tau_C S)) worked out by hand; S_5's switches its largest irrep off."""
    found = regularised_optimum(named(name), penalty)
    assert found.margin == pytest.approx(margin, rel=1e-6)
    assert found.mass == pytest.approx(mass, rel=1e-6)
    assert found.loss == pytest.approx(loss, rel=1e-5)
    assert found.ratio == pytest.approx(ratio, rel=1e-5)
    if name != "S5":
        assert found.loss == pytest.approx(-math.log1p(-penalty / certificate(named(name)).gamma), rel=1e-6)
    else:
        assert found.shares.min() == 0


def test_the_ratio_at_the_optimum_tends_to_one():
    ratios = [regularised_optimum(named("S3"), penalty).ratio for penalty in (3e-3, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7)]
    np.testing.assert_allclose(ratios, [0.9221, 0.9419, 0.9613, 0.9709, 0.9766, 0.9805], atol=5e-5)


def test_the_optimum_on_a_parity():
    found = parity_optimum(4, 1e-3)
    assert (found.margin, found.mass, found.loss) == pytest.approx((6.407140, 10.552684, 0.00164838), rel=1e-5)


def test_a_penalty_beyond_which_the_net_is_zero_is_refused():
    with pytest.raises(ConfigError, match="penalty must be > 0 and below"):
        regularised_optimum(named("S3"), 0.03)
    with pytest.raises(ConfigError, match="penalty must be"):
        parity_optimum(4, 0.31)


@pytest.mark.slow
def test_every_group_of_order_up_to_63_has_a_certificate_without_gap():
    from assay.maths.groups import groups_of_order

    for order in range(2, 64):
        for group in groups_of_order(order):
            found = certificate(group)
            assert abs(found.gap) < 1e-10, group.name
            net = found.network()
            assert net.answers(group).margin == pytest.approx(found.gamma, rel=1e-10), group.name
            assert net.mass == pytest.approx(1, rel=1e-10), group.name


def test_characters_alone_give_the_conditions_and_the_margin_of_symmetric_groups():
    for n in (4, 5, 6):
        group = named(f"S{n}")
        np.testing.assert_allclose(sorted(symmetric_conditions(n)), sorted(conditions(group)), atol=1e-9)
        degrees = np.array([r.dimension for r in irreps(group)[1:]], float)
        formula = 2 / (3 * math.sqrt(3 * group.order)) / (degrees**2.5).sum()
        np.testing.assert_allclose(symmetric_gain(n), certificate(group).gamma / formula, rtol=1e-9)
