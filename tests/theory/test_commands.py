"""The registry of theory queries, and its first entries."""

from __future__ import annotations

import inspect
import json
import subprocess
import sys
import typing
from fractions import Fraction
from typing import Any

import pytest

from assay.errors import AssayError, ConfigError, UnknownName
from assay.theory.commands import find_theory_command, theory_command, theory_commands
from assay.theory.parity import majority_coefficient, majority_gap


def ask(name: str, **arguments: int) -> dict[str, Any]:
    answer = find_theory_command(name)(**arguments)
    assert isinstance(answer["value"], float)
    return json.loads(json.dumps(answer, allow_nan=False))


@pytest.mark.parametrize("name", theory_commands())
def test_every_query_can_be_wrapped_by_its_signature(name: str):
    query = theory_commands()[name]
    hints = typing.get_type_hints(query)
    assert hints.pop("return") == dict[str, Any]
    parameters = inspect.signature(query).parameters
    assert all(parameter.kind is parameter.KEYWORD_ONLY for parameter in parameters.values())
    assert hints.keys() == parameters.keys()
    documentation = inspect.getdoc(query)
    assert documentation is not None
    assert all(f"    {parameter}: " in documentation for parameter in parameters)
    assert name == name.lower().replace("_", "-")


def test_queries_are_found_by_name_in_a_fixed_order():
    assert {"majority-coefficient", "fourier-gap", "random-search"} <= theory_commands().keys()
    assert list(theory_commands()) == sorted(theory_commands())


def test_an_unknown_query_is_refused_with_the_closest_name():
    with pytest.raises(UnknownName, match="did you mean 'majority-coefficient'"):
        find_theory_command("majority-coeficient")


def test_a_name_is_given_once():
    find_theory_command("random-search")
    with pytest.raises(AssayError, match="'random-search' exists twice"):
        theory_command("random-search")(lambda: {})


def test_a_majority_coefficient_comes_with_its_exact_value():
    answer = ask("majority-coefficient", n=15, degree=3)
    assert answer["value"] == float(majority_coefficient(15, 3))
    assert Fraction(answer["exact"]) == majority_coefficient(15, 3)
    assert answer["sign"] == -1
    assert 10 ** answer["log10_magnitude"] == pytest.approx(-answer["value"], rel=1e-12)
    assert answer["closed_form"] == "(-1)^1 C(7, 1) / C(14, 2) 2^-14 C(14, 7)"


def test_a_coefficient_of_even_degree_is_zero():
    answer = ask("majority-coefficient", n=15, degree=4)
    assert (answer["value"], answer["exact"], answer["sign"], answer["log10_magnitude"]) == (0, "0/1", 0, None)


def test_exact_values_are_printed_up_to_401_coordinates():
    assert Fraction(ask("majority-coefficient", n=401, degree=201)["exact"]) == majority_coefficient(401, 201)
    large = ask("majority-coefficient", n=403, degree=5)
    assert large["exact"] is None
    assert large["value"] == pytest.approx(float(majority_coefficient(403, 5)), rel=1e-12)


@pytest.mark.parametrize("n", [51, 1001])
def test_a_fourier_gap_comes_with_bound_identity_and_the_half_of_the_neuron(n: int):
    answer = ask("fourier-gap", n=n, k=4)
    assert answer["value"] == pytest.approx(float(majority_gap(n, 4)), rel=1e-12)
    assert answer["neuron_gap"] == answer["value"] / 2
    assert answer["gap_by_identity"] == pytest.approx(answer["value"], rel=1e-12)
    assert answer["ratio"] == pytest.approx(answer["ratio_by_identity"], rel=1e-12)
    assert answer["coefficient_below"] - answer["coefficient_above"] == pytest.approx(answer["value"], rel=1e-12)
    assert answer["bound"] == pytest.approx(0.03 * (n - 1) ** -1.5, rel=1e-12)
    assert answer["lemma_applies"]
    assert answer["value"] > answer["bound"]


def test_a_gap_outside_the_lemma_says_so():
    assert not ask("fourier-gap", n=15, k=4)["lemma_applies"]
    closed = ask("fourier-gap", n=11, k=6)
    assert (closed["value"], closed["log10_magnitude"]) == (0, None)
    assert ask("fourier-gap", n=1001, k=1000)["value"] < 0


def test_a_random_search_comes_with_its_law():
    answer = ask("random-search", n=30, k=3)
    assert answer["value"] == pytest.approx(4060)
    assert (answer["subsets"], answer["copies"], answer["median"]) == (4060, 1, 2814)
    assert answer["quantile_10"] < answer["median"] < answer["quantile_90"]
    assert ask("random-search", n=30, k=3, copies=10)["value"] == pytest.approx(406.45, abs=0.01)


def test_arguments_out_of_range_are_refused():
    for name, arguments in (
        ("majority-coefficient", {"n": 10, "degree": 1}),
        ("fourier-gap", {"n": 15, "k": 3}),
        ("random-search", {"n": 3, "k": 4}),
    ):
        with pytest.raises(ConfigError):
            ask(name, **arguments)


def test_theory_loads_no_jax_and_draws_nothing():
    heavy = "{'jax', 'matplotlib', 'polars', 'scipy', 'torch'}"
    program = (
        f"import sys, assay.theory.commands as c; c.theory_commands(); print(sorted({heavy} & sys.modules.keys()))"
    )
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "[]"
