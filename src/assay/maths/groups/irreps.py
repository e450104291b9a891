"""Irreducible representations over the reals, as orthogonal matrices.

Of S_n by Young's orthogonal form (James and Kerber 1981, section 3.3); of any other group by splitting its regular
representation: a random symmetric matrix that commutes with it has the irreducible subspaces as eigenspaces.

An irrep R of real dimension D is of one of three types (Frobenius and Schur), told by the mean of chi(g)^2:
    1  real: R stays irreducible over the complex numbers
    2  complex: R is a sum of two conjugate irreps of dimension D/2
    4  quaternionic: R is twice one irrep of dimension D/2
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import math
import re
from collections.abc import Iterator

import numpy as np
from jaxtyping import Float

from assay.errors import ConfigError
from assay.maths.groups.group import Group

TYPES = {1: "real", 2: "complex", 4: "quaternionic"}


@dataclasses.dataclass(frozen=True, eq=False)
class Irrep:
    """R(g) for every element g; `name` is the shape of an irrep of S_n, else dimension and a letter."""

    name: str
    matrices: Float[np.ndarray, "n D D"]

    @property
    def dimension(self) -> int:
        """Over the reals."""
        return self.matrices.shape[1]

    @functools.cached_property
    def character(self) -> Float[np.ndarray, " n"]:
        """chi(g) = tr R(g)."""
        return np.trace(self.matrices, axis1=1, axis2=2)

    @functools.cached_property
    def type(self) -> str:
        """real, complex or quaternionic."""
        return TYPES[round(float(np.mean(self.character**2)))]

    @property
    def degree(self) -> int:
        """Dimension of its complex constituents."""
        return self.dimension if self.type == "real" else self.dimension // 2

    @functools.cached_property
    def basis(self) -> Float[np.ndarray, "n r"]:
        """Orthonormal basis of the functions that its matrix elements span: D^2, D^2/2 or D^2/4 of them by type."""
        n, d = len(self.matrices), self.dimension
        elements = self.matrices.reshape(n, d * d) * math.sqrt(d / n)
        if self.type == "real":
            return elements
        rank = d * d // {"complex": 2, "quaternionic": 4}[self.type]
        return np.linalg.svd(elements, full_matrices=False)[0][:, :rank]


@functools.lru_cache(maxsize=64)
def irreps(group: Group) -> tuple[Irrep, ...]:
    """All real irreps up to isomorphism, the trivial one first, then by dimension (of S_n: by shape)."""
    match = re.fullmatch(r"S([2-6])", group.name)
    if match and group.order == math.factorial(int(match[1])):
        return tuple(young(shape) for shape in partitions(int(match[1])))
    return _split_regular(group)


# -- any group -------------------------------------------------------------------------------------------------------


def _split_regular(group: Group) -> tuple[Irrep, ...]:
    n = group.order
    random = np.random.default_rng(n).normal(size=n)
    symmetric = random + random[group.inverse]
    # [x, y] -> s(x^{-1} y) is a symmetric matrix, and moving both x and y from the left by g leaves it as it is
    values, vectors = np.linalg.eigh(symmetric[group.quotients])
    edges = np.flatnonzero(np.diff(values) > 1e-9 * np.abs(values).max()) + 1
    found: list[tuple[np.ndarray, np.ndarray]] = []
    moved = group.table[group.inverse]  # [g, x] -> g^{-1} x
    for space in np.split(vectors, edges, axis=1):
        projection = space @ space.T
        character = projection[np.arange(n), moved].sum(axis=1)
        if not any(np.abs(character - other).max() < 1e-6 for other, _ in found):
            found.append((character, space))
    if abs(sum(character[0] ** 2 / np.mean(character**2) for character, _ in found) - n) > 1e-6:
        raise ConfigError(f"irreps of {group.name}", "subspaces too close to tell apart", "a group of moderate order")
    # the trivial one first; then by dimension, and larger characters first
    found.sort(key=lambda pair: (round(pair[0][0]), *(-np.round(pair[0], 6)).tolist()))
    found.sort(key=lambda pair: bool(np.abs(pair[0] - 1).max() > 1e-6))
    names = _names([round(character[0]) for character, _ in found])
    matrices = [np.einsum("xi,gxj->gij", space, space[moved]) for _, space in found]
    return tuple(Irrep(name, each) for name, each in zip(names, matrices, strict=True))


def _names(dimensions: list[int]) -> Iterator[str]:
    """1 for the trivial one, then 1a, 1b, 2, 3a, ...: a letter where there are several of a dimension."""
    letters = {d: _letters() for d in dimensions}
    others = dimensions[1:]
    yield "1"
    for d in others:
        yield f"{d}{next(letters[d])}" if others.count(d) > 1 or d == 1 else str(d)


def _letters() -> Iterator[str]:
    for length in itertools.count(1):
        yield from ("".join(word) for word in itertools.product("abcdefghijklmnopqrstuvwxyz", repeat=length))


# -- symmetric groups ------------------------------------------------------------------------------------------------

Shape = tuple[int, ...]


def partitions(n: int, most: int | None = None) -> list[Shape]:
    """Partitions of n, larger parts first: (n) first, (1, ..., 1) last."""
    if n == 0:
        return [()]
    top = n if most is None else min(n, most)
    return [(part, *rest) for part in range(top, 0, -1) for rest in partitions(n - part, part)]


def tableaux(shape: Shape) -> list[tuple[int, ...]]:
    """Standard Young tableaux: entry k is the row that number k+1 stands in."""
    n = sum(shape)
    found: list[tuple[int, ...]] = [()]
    for _ in range(n):
        grown: list[tuple[int, ...]] = []
        for rows in found:
            lengths = [rows.count(r) for r in range(len(shape))]
            for r, length in enumerate(lengths):
                if length < shape[r] and (r == 0 or length < lengths[r - 1]):
                    grown.append((*rows, r))
        found = grown
    return found


def young(shape: Shape) -> Irrep:
    """The irrep of S_n of a shape; elements are permutations in lexicographic order, (ab)(x) = a(b(x)).

    In the basis of standard tableaux T the transposition of k and k+1 acts by 1/c on the diagonal, c the axial distance
    from k to k+1, and by sqrt(1 - 1/c^2) between T and T with the two exchanged."""
    n = sum(shape)
    basis = tableaux(shape)
    place = {rows: i for i, rows in enumerate(basis)}
    swaps = []
    for k in range(n - 1):
        matrix = np.zeros((len(basis), len(basis)))
        for i, rows in enumerate(basis):
            contents = [rows[:j].count(rows[j]) - rows[j] for j in (k, k + 1)]  # column - row
            distance = contents[1] - contents[0]
            matrix[i, i] = 1 / distance
            exchanged = (*rows[:k], rows[k + 1], rows[k], *rows[k + 2 :])
            if abs(distance) > 1 and exchanged in place:
                matrix[place[exchanged], i] = math.sqrt(1 - 1 / distance**2)
        swaps.append(matrix)
    matrices = []
    for permutation in itertools.permutations(range(n)):
        matrix, images = np.eye(len(basis)), list(permutation)
        for end in range(n - 1, 0, -1):  # p s_1 s_2 ... = 1, so p = ... s_2 s_1
            for k in range(end):
                if images[k] > images[k + 1]:
                    images[k], images[k + 1] = images[k + 1], images[k]
                    matrix = swaps[k] @ matrix
        matrices.append(matrix)
    return Irrep(_shape_name(shape), np.stack(matrices))


def _shape_name(shape: Shape) -> str:
    """(3,1,1) is written 3,1^2."""
    parts = [(part, len(list(run))) for part, run in itertools.groupby(shape)]
    return "(" + ",".join(f"{part}^{count}" if count > 1 else str(part) for part, count in parts) + ")"
