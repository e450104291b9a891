"""All groups of order up to 63, from polycyclic presentations.

A group with generators a, b, c, ... of relative orders r_a, r_b, ... such that each subgroup <b, c, ...> is normal in
the one before it: every element is a^i b^j c^k ... in one way, and the table follows by adding one generator at a time.
All groups of order up to 63 are of this kind except A_5. The presentations in `small_groups.txt` are those of the Small
Groups library (Besche, Eick, O'Brien 2002) as GAP 4.12 gives them, facts about which nothing need be believed: the
tests check the axioms of every table, that no two groups of an order are isomorphic, and that there are as many as
there should be (OEIS A000001).
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from jaxtyping import Int

from assay.errors import ConfigError
from assay.maths.groups.group import Group, generated

LARGEST_ORDER = 63
NUMBER_OF_GROUPS = (
    1, 1, 1, 2, 1, 2, 1, 5, 2, 2, 1, 5, 1, 2, 1, 14, 1, 5, 1, 5, 2, 2, 1, 15, 2, 2, 5, 4, 1, 4, 1, 51,
    1, 2, 1, 14, 1, 2, 2, 14, 1, 6, 1, 4, 2, 2, 1, 52, 2, 5, 1, 5, 1, 15, 2, 13, 2, 2, 1, 13, 1, 2, 4,
)  # fmt: skip
"""Of order 1, 2, ..., 63 (OEIS A000001): what the file is checked against."""
LETTERS = "abcdef"
Table = Int[np.ndarray, "n n"]


def small_group(order: int, number: int) -> Group:
    """Group number 1, 2, ... of an order."""
    rows = presentations().get(order, ())
    if not 1 <= number <= len(rows):
        if not 1 <= order <= LARGEST_ORDER:
            raise ConfigError("group", f"G{order}.{number}", f"an order of 1 to {LARGEST_ORDER}")
        raise ConfigError("group", f"G{order}.{number}", f"G{order}.1 to G{order}.{len(rows)}")
    return _group(f"G{order}.{number}", rows[number - 1][1])


def groups_of_order(order: int) -> list[Group]:
    """All groups of an order up to 63, one of each kind, in the order of the Small Groups library."""
    return [small_group(order, number) for number in range(1, len(presentations()[order]) + 1)]


def structure(order: int, number: int) -> str:
    """How the group is built, in the library's words: C2xD8, C7:C3, ... Two groups may share a description."""
    return presentations()[order][number - 1][0].replace("C", "Z")


@functools.cache
def presentations() -> Mapping[int, list[tuple[str, str]]]:
    """Order -> (description, presentation) of each group."""
    found: dict[int, list[tuple[str, str]]] = {}
    for line in Path(__file__).with_name("small_groups.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            place, description, presentation = line.split(maxsplit=2)
            found.setdefault(int(place.split(".")[0]), []).append((description, presentation))
    return found


def _group(name: str, presentation: str) -> Group:
    if presentation == "(0,1,2),(2,3,4)":
        return generated(name, [(1, 2, 0, 3, 4), (0, 1, 3, 4, 2)])  # A_5, from the permutations written there
    orders, *relations = presentation.split()
    sizes = [int(r) for r in orders.split(".")] if orders != "-" else []
    return Group(name, polycyclic(sizes, dict(each.split("=") for each in relations)))


def polycyclic(sizes: list[int], relations: Mapping[str, str]) -> Table:
    """The table of <a, b, ... | a^{r_a} = w, b^a = w', ...>; `relations` hold {"a": w} for powers and {"ba": w'} for
    conjugates a^{-1} b a, and what is not there is 1, or b itself. Elements are numbered by their exponents, the last
    generator's fastest."""
    table = np.zeros((1, 1), np.int64)
    for first in reversed(range(len(sizes))):
        r, inner, m = sizes[first], LETTERS[first + 1 : len(sizes)], len(table)
        generators = _generators(sizes[first + 1 :])
        power = _word(relations.get(LETTERS[first], ""), inner, generators, table)
        images = [_word(relations.get(g + LETTERS[first], g), inner, generators, table) for g in inner]
        turned = [np.arange(m)]  # [e][x] = a^{-e} x a^e
        once = _homomorphism(sizes[first + 1 :], images, table)
        for _ in range(r - 1):
            turned.append(once[turned[-1]])
        e, x = np.divmod(np.arange(r * m), m)
        conjugated = np.stack(turned)[e[None, :], x[:, None]]  # [(e, x), (f, y)] -> x^(a^f)
        inside = table[conjugated, x[None, :]]
        carried = e[:, None] + e >= r
        inside = np.where(carried, table[power][inside], inside)
        table = (e[:, None] + e) % r * m + inside
    return table


def _generators(sizes: list[int]) -> list[int]:
    """Their numbers: generator i has exponents 0, ..., 1, ..., 0."""
    return [int(np.prod(sizes[i + 1 :], dtype=int)) for i in range(len(sizes))]


def _word(word: str, letters: str, generators: list[int], table: Table) -> int:
    """The product of a word such as b2c."""
    value = 0
    for letter, exponent in re.findall(r"([a-f])(\d*)", word):
        for _ in range(int(exponent or 1)):
            value = int(table[value, generators[letters.index(letter)]])
    return value


def _homomorphism(sizes: list[int], images: list[int], table: Table) -> Int[np.ndarray, " m"]:
    """Each element's image, from those of the generators."""
    result = np.zeros(1, np.int64)
    for r, image in zip(sizes, images, strict=True):
        powers = [0]
        for _ in range(r - 1):
            powers.append(int(table[powers[-1], image]))
        result = table[result[:, None], np.array(powers)].reshape(-1)
    return result
