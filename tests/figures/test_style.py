from __future__ import annotations

import itertools

import matplotlib
import numpy as np
import pytest

from assay.errors import UnknownName
from assay.figures.style import DASHES, MARKERS, THEMES, Theme, house_style, strokes

# Machado, Oliveira and Fernandes 2009, severity 1, on linear RGB
BLINDNESS = {
    "none": np.eye(3),
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
}


def linear(color: str) -> np.ndarray:
    channels = np.array([int(color[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)


def luminance(color: str) -> float:
    return float(linear(color) @ [0.2126, 0.7152, 0.0722])


def contrast(a: str, b: str) -> float:
    dark, light = sorted([luminance(a), luminance(b)])
    return (light + 0.05) / (dark + 0.05)


def oklab(rgb: np.ndarray) -> np.ndarray:
    to_lms = [
        [0.41222147, 0.53633254, 0.05144599],
        [0.2119035, 0.68069954, 0.10739696],
        [0.08830246, 0.28171884, 0.6299787],
    ]
    to_lab = [
        [0.21045426, 0.79361778, -0.00407205],
        [1.9779985, -2.42859221, 0.45059371],
        [0.02590404, 0.78277177, -0.80867577],
    ]
    return np.array(to_lab) @ np.cbrt(np.array(to_lms) @ rgb)


@pytest.fixture(params=list(THEMES))
def theme(request: pytest.FixtureRequest) -> Theme:
    return THEMES[request.param]


def test_lines_and_words_stand_out_from_the_paper(theme: Theme):
    """WCAG 2.2: at least 3 for graphics and 4.5 for text."""
    for color in theme.series:
        assert contrast(color, theme.paper) >= 3
    for color in (theme.ink, theme.soft):
        assert contrast(color, theme.paper) >= 4.5


@pytest.mark.parametrize("blindness", list(BLINDNESS))
def test_categories_stay_apart_under_colour_blindness(theme: Theme, blindness: str):
    """Distances in Oklab; 0.02 is about what can just be told apart. Fewer colours are further apart."""
    simulated = [oklab(np.clip(np.array(BLINDNESS[blindness]) @ linear(color), 0, 1)) for color in theme.series]
    distances = {(i, j): np.linalg.norm(simulated[i] - simulated[j]) for i, j in itertools.combinations(range(6), 2)}
    assert min(distances.values()) > 0.045
    assert min(distance for (_, j), distance in distances.items() if j < 4) > 0.08
    assert distances[0, 1] > 0.15


def test_ordered_parameters_get_steadily_stronger_against_the_paper(theme: Theme):
    colors = [stroke.color for stroke in strokes([30, 10, 50, 20, 40], theme).values()]
    contrasts = [contrast(color, theme.paper) for color in colors]
    assert contrasts == sorted(contrasts)
    assert contrasts[0] > 2.2


def test_grey_print_is_told_by_marker_and_dash():
    assert len(set(MARKERS[:6])) == len(set(map(str, DASHES))) == 6


def test_strokes_belong_to_values_not_to_their_order():
    theme = THEMES["light"]
    assert strokes([3, 1, 2, 1], theme) == strokes([1, 2, 3], theme)
    assert list(strokes(["b", "a"], theme)) == ["b", "a"]


def test_the_style_ends_with_its_block_and_ignores_the_users_settings():
    with matplotlib.rc_context({"lines.linewidth": 9.0, "xtick.direction": "in"}):
        before = dict(matplotlib.rcParams)
        with house_style("dark") as theme:
            assert matplotlib.rcParams["figure.facecolor"] == theme.paper
            assert matplotlib.rcParams["xtick.direction"] == "out"
        assert dict(matplotlib.rcParams) == before


def test_an_unknown_theme_is_named():
    with pytest.raises(UnknownName, match="unknown theme 'drak': did you mean 'dark'"), house_style("drak"):
        pass
