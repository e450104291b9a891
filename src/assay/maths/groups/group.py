"""A finite group as its multiplication table: elements are 0, ..., n-1, and 0 is the identity."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Sequence

import numpy as np
from jaxtyping import Bool, Int

from assay.errors import ConfigError

Table = Int[np.ndarray, "n n"]
MOST = 5040
"""Largest order that permutations are multiplied out to: the table of 7! elements takes 100 MB."""


@dataclasses.dataclass(frozen=True, eq=False)
class Group:
    """`table[a, b]` is the product ab. The axioms are checked when it is made; associativity by Light's test on
    generators, since sampling would let a wrong table pass."""

    name: str
    table: Table

    def __post_init__(self) -> None:
        table = np.asarray(self.table, np.int32)
        n = len(table)
        numbers = np.arange(n)
        if table.shape != (n, n) or n == 0:
            raise ConfigError(f"table of group {self.name}", table.shape, "a square of one row or more")
        if not (np.array_equal(table[0], numbers) and np.array_equal(table[:, 0], numbers)):
            raise ConfigError(f"table of group {self.name}", "another identity", "the identity as element 0")
        if not (
            np.array_equal(np.sort(table), np.tile(numbers, (n, 1))) and (numbers == np.sort(table, axis=0).T).all()
        ):
            raise ConfigError(
                f"table of group {self.name}", "no Latin square", "each element once in each row and column"
            )
        object.__setattr__(self, "table", table)
        for g in self.generators:
            if not np.array_equal(table[table[:, g]], table[:, table[g]]):
                raise ConfigError(f"table of group {self.name}", "not associative", "(ag)b = a(gb) for all a, b")
        table.setflags(write=False)

    @property
    def order(self) -> int:
        return len(self.table)

    @functools.cached_property
    def inverse(self) -> Int[np.ndarray, " n"]:
        return np.asarray(np.argmin(self.table, axis=1))  # where the row is 0, the identity

    @functools.cached_property
    def quotients(self) -> Table:
        """[a, b] -> a^{-1} b."""
        return self.table[self.inverse]

    @functools.cached_property
    def generators(self) -> tuple[int, ...]:
        """Elements that generate, chosen greedily: each is the first outside of what those before it make."""
        chosen: list[int] = []
        while not (inside := self._closure(chosen)).all():
            chosen.append(int(np.argmin(inside)))
        return tuple(chosen)

    def _closure(self, chosen: Sequence[int]) -> Bool[np.ndarray, " n"]:
        """Which elements are products of the chosen ones."""
        inside, frontier = np.zeros(self.order, bool), np.array([0])
        while len(frontier):
            inside[frontier] = True
            frontier = np.unique(self.table[np.ix_(frontier, np.array(chosen, int))])
            frontier = frontier[~inside[frontier]]
        return inside

    @functools.cached_property
    def class_of(self) -> Int[np.ndarray, " n"]:
        """The number of each element's conjugacy class; that of the identity is 0, the others in order of their first
        elements."""
        numbers = np.arange(self.order)
        conjugates = self.table[self.table[numbers[:, None], numbers], self.inverse[:, None]]  # [g, x] -> g x g^{-1}
        return np.asarray(np.unique(conjugates.min(axis=0), return_inverse=True)[1])

    @functools.cached_property
    def classes(self) -> tuple[Int[np.ndarray, " size"], ...]:
        return tuple(np.flatnonzero(self.class_of == c) for c in range(self.class_of.max() + 1))

    @functools.cached_property
    def class_sizes(self) -> Int[np.ndarray, " classes"]:
        return np.bincount(self.class_of)

    @functools.cached_property
    def element_orders(self) -> Int[np.ndarray, " n"]:
        """The least k >= 1 with x^k = 1."""
        orders, current = np.zeros(self.order, int), np.arange(self.order)
        for k in range(1, self.order + 1):
            orders[(current == 0) & (orders == 0)] = k
            current = self.table[current, np.arange(self.order)]
        return orders

    @functools.cached_property
    def is_abelian(self) -> bool:
        return bool((self.table == self.table.T).all())


def generated(name: str, generators: Sequence[Sequence[int]]) -> Group:
    """The group that permutations generate, (ab)(x) = a(b(x)); elements in lexicographic order, so the identity first.

    A permutation is its images (a(0), ..., a(k-1))."""
    moved = len(generators[0])
    identity = tuple(range(moved))
    for g in generators:
        if sorted(g) != list(identity):
            raise ConfigError(f"generator of {name}", tuple(g), f"a permutation of 0, ..., {moved - 1}")
    found, frontier = {identity}, [identity]
    while frontier:
        new = {tuple(g[i] for i in element) for element in frontier for g in generators} - found
        found |= new
        frontier = list(new)
        if len(found) > MOST:
            raise ConfigError(f"order of group {name}", f"more than {MOST}", f"at most {MOST}")
    elements = np.array(sorted(found))
    # products are looked up by their number in base k
    weights = np.array([moved**i for i in reversed(range(moved))], dtype=np.int64)
    codes = elements @ weights
    products = np.stack([a[elements] @ weights for a in elements])
    return Group(name, np.searchsorted(codes, products))


def product(one: Group, other: Group, name: str = "") -> Group:
    """The direct product; (a, b) is number a |other| + b."""
    m = other.order
    table = one.table[:, None, :, None] * m + other.table[None, :, None, :]
    return Group(name or f"{one.name}x{other.name}", table.reshape(one.order * m, -1))
