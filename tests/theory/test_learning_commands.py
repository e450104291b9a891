"""Theory queries about learning parities and about what cannot: numbers against formulas and the functions behind."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest

from assay.errors import ConfigError
from assay.theory.commands import find_theory_command
from assay.theory.parity import majority_gap
from assay.theory.parity.kernel import hardest_subset, squared_correlations, tangent_features
from assay.theory.parity.recovery import recovery_probability
from assay.theory.parity.threshold import random_gaps


def ask(name: str, **arguments: Any) -> dict[str, Any]:
    answer = find_theory_command(name)(**arguments)
    assert isinstance(answer["value"], float)
    return json.loads(json.dumps(answer, allow_nan=False))


def test_the_gap_of_random_weights_comes_beside_that_of_majority():
    plain, answer = ask("fourier-gap", n=13, k=4), ask("fourier-gap", n=13, k=4, init="uniform", draws=30, seed=5)
    gaps = random_gaps(13, 4, "uniform", 30, np.random.default_rng(5)).strict
    assert answer["value"] == answer["median_gap"] == np.median(gaps)
    assert answer["positive"] == np.mean(gaps > 0)
    assert answer["median_low"] <= answer["value"] <= answer["median_high"]
    assert answer["gap_10"] <= answer["value"] <= answer["gap_90"]
    assert answer["majority_gap"] == plain["value"]
    assert plain.items() - answer.items() == {("value", plain["value"])}  # all other keys stay as they are


def test_the_interval_of_the_median_covers_it_as_often_as_it_says():
    level = np.median([ask("fourier-gap", n=9, k=2, init="gaussian", draws=400, seed=100)["value"]])
    answers = [ask("fourier-gap", n=9, k=2, init="gaussian", draws=20, seed=seed) for seed in range(60)]
    covered = np.mean([answer["median_low"] <= level <= answer["median_high"] for answer in answers])
    assert covered >= 0.85


def test_sign_weights_have_the_gap_of_majority():
    for n, method in ((15, "enumeration"), (51, "integral")):
        answer = ask("fourier-gap", n=n, k=2, init="sign", draws=6)
        assert answer["value"] == pytest.approx(float(majority_gap(n, 2)), rel=1e-12)
        assert answer["method"] == method


def test_the_samples_for_recovery_are_the_fewest_of_the_limit_law():
    answer = ask("recovery-samples", n=51, k=2, failure=0.2)
    batch = int(answer["value"])
    assert recovery_probability(51, 2, batch) >= 0.8 > recovery_probability(51, 2, batch - 1)
    assert answer["neuron_gap"] == float(majority_gap(51, 2)) / 2
    assert answer["scaled"] == pytest.approx(batch * answer["neuron_gap"] ** 2 / math.log(51))
    assert batch < answer["sufficient"]


def test_the_requirements_are_corrected_and_as_printed():
    answer = ask("sgd-requirements", k=2, eps=0.1)
    assert answer["value"] == answer["batch"]
    assert answer["n_is_enough"]
    assert answer["loss_bound"] == pytest.approx(0.05)
    assert answer["printed_loss_bound"] > 0.09
    small = ask("sgd-requirements", k=2, eps=0.1, n=51)
    assert (small["n"], small["printed_n"], small["n_is_enough"]) == (51, 51, False)


def test_a_sinusoid_gradient_is_compared_with_the_enumeration_where_it_can_be():
    answer = ask("sinusoid-gradient", n=11, k=3, seed=4)
    assert answer["error"] < 1e-15
    assert answer["value"] == answer["smallest_relevant"] - answer["largest_irrelevant"]
    assert answer["value"] <= answer["relaxed_gap"]
    large = ask("sinusoid-gradient", n=200, k=3)
    assert large["error"] is None
    assert large["value"] > 0


def test_label_noise_is_told_with_its_cost():
    answer = ask("label-noise", flip=0.25, n=20, k=2)
    assert (answer["value"], answer["printed"], answer["samples_factor"]) == (0.5, 0.25, 4)
    assert answer["least_samples"] > math.log2(math.comb(20, 2))


def test_a_walk_is_overtaken_by_its_drift():
    answer = ask("noise-walk", n=50, steps=100, drift=0.1)
    assert answer["overtaken_at"] == pytest.approx((answer["value"] / 10 / 0.1) ** 2)
    assert ask("noise-walk", n=50, steps=400)["value"] == pytest.approx(2 * answer["value"])
    assert ask("noise-walk", n=50, steps=400)["overtaken_at"] is None


def test_the_frontier_of_queries_is_the_number_of_subsets():
    answer = ask("sq-frontier", n=30, k=3, tolerance=0.2)
    assert answer["value"] == 4060
    assert answer["queries"] == pytest.approx(0.04 * 4059)
    assert answer["visible_per_query"] == 25
    assert 10 ** answer["log10_subsets"] == pytest.approx(4060)


def test_the_kernel_bound_is_solved_for_where_it_can_be():
    answer = ask("ntk-bound", n=9, k=2, radius=2.0, width=3, seed=1)
    squared = squared_correlations(tangent_features(9, 3, np.random.default_rng(1)))
    _, correlation = hardest_subset(squared, 2)
    assert answer["value"] == pytest.approx(1 - 2 / 6)
    assert answer["hardest_correlation"] == pytest.approx(correlation)
    assert answer["total_correlation"] <= 1
    assert answer["value"] <= answer["hardest_bound"] <= answer["loss_low"] + 1e-12
    assert answer["loss_low"] <= answer["loss_high"] + 1e-12
    assert ask("ntk-bound", n=30, k=3)["loss_high"] is None


def test_arguments_out_of_range_are_refused():
    for name, arguments in (
        ("fourier-gap", {"n": 15, "k": 4, "init": "uniform", "draws": 5}),
        ("recovery-samples", {"n": 15, "k": 2, "failure": 0.0}),
        ("recovery-samples", {"n": 15, "k": 3}),
        ("sgd-requirements", {"k": 3}),
        ("sinusoid-gradient", {"n": 5, "k": 5}),
        ("label-noise", {"flip": 0.5}),
        ("noise-walk", {"n": 0, "steps": 5}),
        ("sq-frontier", {"n": 5, "k": 6}),
        ("sq-frontier", {"n": 3000, "k": 1500}),
        ("sq-frontier", {"n": 5, "k": 2, "tolerance": 0.0}),
        ("ntk-bound", {"n": 5, "k": 6}),
        ("ntk-bound", {"n": 5, "k": 2, "radius": 0.0}),
    ):
        with pytest.raises(ConfigError):
            ask(name, **arguments)
