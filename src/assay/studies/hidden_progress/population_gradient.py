"""The gradient of a neuron on a parity: a list of Fourier coefficients, of which the hidden bits have the larger.

Claim   on the population, the gradient of the correlation loss in w_i is -hhat(S ^ {i}), h = sigma'(w.x + b): degree
        k - 1 for hidden bits, k + 1 for the others. For sign weights these are coefficients of majority, for sinusoids
        products; so the gradient tells the hidden bits from the others before anything is learnt.
Source  Barak et al. 2022, section 2 and appendix A.1 (parities are an orthonormal basis), section 4 and Proposition 9
        (gradient; its proof drops the minus sign), Lemma 3 (sign weights). The closed form of sinusoids is ours.
Output  table `population-gradient`, in parts: `entries` (one row a coordinate of the neurons drawn) and `checks` (the
        largest deviation of each identity).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import polars as pl

from assay.analysis import frames
from assay.figures import Display, Spectrum
from assay.maths.fourier import character, fourier_coefficients, from_fourier
from assay.maths.subsets import indicator
from assay.studies import Claim, Experiment, Judgement
from assay.theory.parity import population_gradient, population_gradient_by_enumeration
from assay.theory.parity.gradient import sign_neuron_gradient
from assay.theory.parity.one_step import population_gradient_of, unbiased_layer
from assay.theory.parity.sinusoid import QUARTER, sinusoid_gradient

BITS = {"smoke": 10, "desk": 10, "paper": 12}
"""n at which all 4^n inner products of parities are taken."""
SIGN_CASES = {"smoke": ((9, 2), (11, 4)), "desk": ((9, 2), (11, 4), (13, 2), (13, 4)), "paper": ((13, 2), (13, 4))}
DRAWS = 20
SINUSOID_BITS = 9
DERIVATIVES: Mapping[str, Callable[[np.ndarray], np.ndarray]] = {
    "ReLU": lambda z: (z > 0).astype(np.float64),
    "square": lambda z: 2 * z,
    "tanh": lambda z: 1 - np.tanh(z) ** 2,
    "sine": np.cos,
}

BASIS = Claim(
    id="T1",
    source="Barak et al. 2022, section 2 and appendix A.1",
    statement="The 2^n parities are orthonormal, and every function on the cube is the sum of its Fourier "
    "coefficients times them.",
    kind="theorem",
    criterion="n = 10 (paper: 12): largest |E[chi_S chi_T] - [S = T]| over all S, T, and largest |f - its expansion| "
    "of a random f, both <= 1e-12",
)
IDENTITY = Claim(
    id="T5-identity",
    source="Barak et al. 2022, section 4 and Proposition 9, corrected",
    statement="The gradient of E[-y sigma(w.x + b)] in w_i is -hhat(S ^ {i}), that in b is -hhat(S), with "
    "h = sigma'(w.x + b).",
    kind="theorem",
    criterion="ReLU, square, tanh, sine; n = 5, ..., 12, k = 1, ..., 5, random w, b and S: largest |transform - "
    "average over all inputs| <= 1e-12",
)
IDENTITY_PRINTED = Claim(
    id="T5-identity-printed",
    source="Barak et al. 2022, proof of Proposition 9, as printed",
    statement="The gradient of E[-y sigma(w.x + b)] in w_i is hhat(S ^ {i}), without the minus sign.",
    kind="errata",
    criterion="the same neurons: largest |hhat(S ^ {i}) - average over all inputs| <= 1e-12",
)
LEMMA_3 = Claim(
    id="T5",
    source="Barak et al. 2022, Lemma 3",
    statement="A ReLU neuron with sign weights and |b| < 1 has the gradient -u xi_{k-1} chi_{S-j}(w)/2 at hidden bits, "
    "-u xi_{k+1} chi_{S+j}(w)/2 at the others, and 0 in b.",
    kind="theorem",
    criterion="k = 2, 4 and odd n <= 13, 20 neurons each with random signs, biases, output weights and S: largest "
    "|closed form - average over all inputs| <= 1e-12 in w, and every |entry| in b <= 1e-12",
)
SINUSOID = Claim(
    id="T17",
    source="Barak et al. 2022, appendix C.1 (sinusoids of random weights); the closed form is not in the paper",
    statement="E[chi_T(x) e^{i(a.x + phi)}] = e^{i phi} i^|T| prod_{T} sin a_j prod_{not T} cos a_j gives the gradient "
    "of a sinusoid neuron at any n.",
    kind="theorem",
    criterion="n = 9, k = 1, ..., 5, 20 neurons each with random w, b and scale: largest |closed form - average over "
    "all inputs| <= 1e-12",
)


def table(runs: None, scale: str) -> pl.DataFrame:
    return frames.parts(entries=_entries(), checks=_checks(scale))


def _entries() -> pl.DataFrame:
    """Closed forms beside averages over all inputs, for one neuron of each kind."""
    rng = np.random.default_rng(3)
    sign, angle = rng.choice([-1.0, 1.0], 13), rng.uniform(-(13**-0.5), 13**-0.5, 13)
    gauss, two, four = rng.standard_normal(13), range(2), range(4)
    relu, sine = DERIVATIVES["ReLU"], lambda z: -QUARTER * np.sin(QUARTER * (z - 4))
    cases = [
        ("ReLU, sign weights, k = 2", two, sign_neuron_gradient(sign, two), (sign, 0.0, relu)),
        ("ReLU, sign weights, k = 4", four, sign_neuron_gradient(sign, four), (sign, 0.0, relu)),
        ("sinusoid, default weights, k = 4", four, sinusoid_gradient(angle, 0.1, four), (angle, 0.1, sine)),
        ("ReLU, normal weights, k = 4", four, population_gradient(gauss, 0.5, four, relu), (gauss, 0.5, relu)),
    ]
    frames = []
    for name, subset, theory, (weights, bias, derivative) in cases:
        found = population_gradient_by_enumeration(weights, bias, subset, derivative)
        bits = np.where(indicator(subset, 13), "hidden bits", "other bits").tolist()
        columns = {"bits": bits, "degree": range(1, 14), "theory": theory[0], "measured": found[0]}
        frames.append(pl.DataFrame(columns).select(pl.lit(name).alias("neuron"), pl.all()))
    return pl.concat(frames)


def _checks(scale: str) -> pl.DataFrame:
    """Largest deviations."""
    rows = {"orthonormal": _inner_products(BITS[scale]), "expansion": _expansion(BITS[scale])}
    rows |= _gradients() | {"Lemma 3": _sign_neurons(scale), "sinusoid": _sinusoids()}
    return pl.DataFrame({"check": list(rows), "deviation": list(rows.values())})


def _inner_products(n: int) -> float:
    """The transform of chi_T has E[chi_S chi_T] at S, for all S at once; the parities a few at a time."""
    worst, masks = 0.0, np.arange(1 << n)
    for start in range(0, 1 << n, 256):
        some = masks[start : start + 256]
        products = fourier_coefficients(np.stack([character(n, int(mask)) for mask in some]))
        worst = max(worst, float(np.abs(products - (masks == some[:, None])).max()))
    return worst


def _expansion(n: int) -> float:
    """sum_S fhat(S) chi_S at every point, for a random f, without a transform back for a few of the points."""
    values = np.random.default_rng(0).standard_normal(1 << n)
    spectrum = fourier_coefficients(values)
    few = range(0, 1 << n, (1 << n) // 16 + 1)
    # chi_S(x) over S is, by the symmetry of popcount(x & S), the character of x's own bitmask
    by_sum = max(abs(float(character(n, point) @ spectrum) - values[point]) for point in few)
    return max(by_sum, float(np.abs(from_fourier(spectrum) - values).max()))


def _gradients() -> dict[str, float]:
    rng, worst, printed = np.random.default_rng(1), 0.0, 0.0
    for n in range(5, 13):
        for derivative in DERIVATIVES.values():
            weights, bias = rng.standard_normal(n), float(rng.standard_normal())
            subset = rng.permutation(n)[: int(rng.integers(1, 6))].tolist()
            found = population_gradient(weights, bias, subset, derivative)
            expected = population_gradient_by_enumeration(weights, bias, subset, derivative)
            worst = max(worst, float(np.abs(found[0] - expected[0]).max()), abs(found[1] - expected[1]))
            printed = max(printed, float(np.abs(-found[0] - expected[0]).max()))
    return {"identity": worst, "identity, printed": printed}


def _sign_neurons(scale: str) -> float:
    worst = 0.0
    for n, k in SIGN_CASES[scale]:
        rng = np.random.default_rng([n, k])
        layer, subset = unbiased_layer(n, k, DRAWS, rng), rng.permutation(n)[:k].tolist()
        by_weight, by_bias = population_gradient_of(layer, subset)
        neurons = zip(layer.weights, layer.biases, layer.output, by_weight, by_bias, strict=True)
        for signs, bias, output, found, found_bias in neurons:
            expected = population_gradient_by_enumeration(signs, float(bias), subset, DERIVATIVES["ReLU"])
            worst = max(worst, float(np.abs(found - output * expected[0]).max()), abs(float(found_bias)))
            worst = max(worst, abs(expected[1]))
    return worst


def _sinusoids() -> float:
    rng, worst = np.random.default_rng(2), 0.0
    for k in range(1, 6):
        for _ in range(DRAWS):
            weights, bias, scale = rng.standard_normal(SINUSOID_BITS), float(rng.standard_normal()), rng.uniform(0.2, 2)
            subset = rng.permutation(SINUSOID_BITS)[:k].tolist()
            rate = QUARTER * scale
            slope = lambda z, rate=rate, k=k: -rate * np.sin(rate * z - QUARTER * k)  # noqa: E731
            found = sinusoid_gradient(weights, bias, subset, scale)
            expected = population_gradient_by_enumeration(weights, bias, subset, slope)
            worst = max(worst, float(np.abs(found[0] - expected[0]).max()), abs(found[1] - expected[1]))
    return worst


def figure(table: pl.DataFrame) -> Display:
    return Spectrum(
        table.filter(part="entries").drop("part"),
        panel="neuron",
        columns=2,
        size=(6.8, 4.2),
        line="bits",
        x_label="coordinate i",
        y_label=r"$|\partial_i\,\mathrm{E}[-y f]|$",
        labels={"theory": "Fourier coefficient", "measured": "average over all inputs"},
        title="The gradient of one neuron knows the hidden bits, n = 13",
        caption="Entries of the population gradient of single neurons on a parity of k bits; markers up are positive, "
        "down negative. Open: closed forms for sign weights and sinusoids, a Walsh-Hadamard transform for normal "
        "weights. Filled: averages over all 2^13 inputs. Random weights separate the largest entry, not all. Barak et "
        "al. 2022, section 4 and Lemma 3.",
    )


def judge(table: pl.DataFrame, scale: str) -> list[Judgement]:
    off = dict(table.filter(part="checks").select("check", "deviation").rows())
    basis = max(off["orthonormal"], off["expansion"])
    return [
        BASIS.judged(basis <= 1e-12, basis),
        IDENTITY.judged(off["identity"] <= 1e-12, off["identity"]),
        IDENTITY_PRINTED.judged(
            off["identity, printed"] <= 1e-12, off["identity, printed"], note="every entry has the opposite sign"
        ),
        LEMMA_3.judged(off["Lemma 3"] <= 1e-12, off["Lemma 3"]),
        SINUSOID.judged(off["sinusoid"] <= 1e-12, off["sinusoid"]),
    ]


experiment = Experiment(
    name="population-gradient",
    title="The gradient of a neuron on a parity",
    source="section 4, Lemma 3",
    claims=(BASIS, IDENTITY, IDENTITY_PRINTED, LEMMA_3, SINUSOID),
    sweep=None,
    table=table,
    figure=figure,
    judge=judge,
)
