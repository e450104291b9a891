"""The theory queries about disjoint-PolyNets."""

from __future__ import annotations

import json
from typing import Any

import pytest

from assay.errors import ConfigError
from assay.theory.commands import find_theory_command


def ask(name: str, **arguments: Any) -> dict[str, Any]:
    answer = find_theory_command(name)(**arguments)
    assert isinstance(answer["value"], float)
    return json.loads(json.dumps(answer, allow_nan=False))


def test_the_plateau_of_signs_is_exact_and_that_of_ones_the_same():
    answer = ask("polynet-flow", n=300, k=3)
    assert answer["value"] == pytest.approx(2 / 3)
    assert (answer["block"], answer["time_of_blow_up"]) == (100, 1)
    assert answer["weight_at_the_end_of_the_plateau"] == pytest.approx(3)
    assert answer["ratio_to_zero_error"] == pytest.approx(2 / 3 / (1 - 1 / 99))
    assert answer["scaled_rest"] == pytest.approx(10 / 3)
    assert answer["scaled_rest_limit"] == pytest.approx(2.94, abs=0.01)
    assert ask("polynet-flow", n=300, k=3, init="ones")["value"] == answer["value"]


def test_the_plateau_of_normal_starts_is_a_median():
    answer = ask("polynet-flow", n=300, k=3, init="gaussian", draws=40, seed=1)
    assert 0.6 < answer["ratio_quantile_10"] < answer["value"] < answer["ratio_quantile_90"] < 1
    assert answer["value"] < answer["median_ratio_to_zero_error"]
    assert ask("polynet-flow", n=300, k=3, init="gaussian", draws=40, seed=1) == answer


def test_the_error_lies_between_its_bounds():
    answer = ask("polynet-error", n=300, k=3, relevant=6.5)
    assert 0.35 < answer["lower_bound"] < answer["value"] < answer["upper_bound"]
    assert answer["upper_bound_printed"] < answer["upper_bound"]
    assert ask("polynet-error", n=300, k=3, relevant=100.0)["value"] == 0
    small = ask("polynet-error", n=300, k=3, relevant=0.65, irrelevant=0.1)
    assert small["value"] == pytest.approx(answer["value"], rel=1e-12)


def test_what_theorem_7_asks_for_comes_with_what_its_proof_needs():
    answer = ask("polynet-sgd", n=4, k=2)
    assert answer["value"] == answer["steps"] == 24_371
    assert answer["steps_corrected"] > 8 * answer["steps"]
    assert answer["azuma"] > answer["azuma_wanted"] > answer["azuma_corrected"]
    assert answer["relevant_weight"] < answer["relevant_weight_wanted"] < answer["relevant_weight_corrected"]


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("polynet-flow", {"n": 301, "k": 3}), ("polynet-flow", {"n": 300, "k": 2}),
        ("polynet-flow", {"n": 300, "k": 3, "init": "gaussian", "draws": 0}),
        ("polynet-error", {"n": 3, "k": 3, "relevant": 1.0}), ("polynet-error", {"n": 6, "k": 3, "relevant": -1.0}),
        ("polynet-sgd", {"n": 5, "k": 2}), ("polynet-sgd", {"n": 2, "k": 2}),
    ],
)  # fmt: skip
def test_arguments_out_of_range_are_refused(name: str, arguments: dict[str, Any]):
    with pytest.raises(ConfigError):
        ask(name, **arguments)
