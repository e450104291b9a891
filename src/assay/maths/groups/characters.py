"""Characters of the symmetric groups without their matrices: the rule of Murnaghan and Nakayama.

chi of shape lambda at a permutation with cycles r, r', ... is the sum of (-1)^height chi of lambda less a border strip
of r cells, at the other cycles. With the beads of lambda (its first-column hook lengths) a strip goes where a bead x
moves down to a free place x - r; its height is the number of beads between (James and Kerber 1981, section 2.7).
"""

from __future__ import annotations

import functools
import math
from collections import Counter

import numpy as np
from jaxtyping import Int64

from assay.maths.groups.irreps import Shape, partitions

Array = np.ndarray


def symmetric_characters(n: int) -> tuple[list[Shape], Int64[Array, " classes"], Int64[Array, "irreps classes"]]:
    """Shapes, which name the irreps (the trivial one first) and, as cycle types, the classes (the identity last); the
    sizes of the classes; and the character table of S_n."""
    shapes = partitions(n)
    sizes = [math.factorial(n) // math.prod(r**m * math.factorial(m) for r, m in Counter(c).items()) for c in shapes]
    beads = [frozenset(part + len(shape) - 1 - i for i, part in enumerate(shape)) for shape in shapes]
    return shapes, np.array(sizes), np.array([[_character(each, cycles) for cycles in shapes] for each in beads])


@functools.cache
def _character(beads: frozenset[int], cycles: Shape) -> int:
    if not cycles:
        return 1
    r, *rest = cycles
    moves = [(x, x - r) for x in beads if x >= r and x - r not in beads]
    return sum(
        (-1) ** sum(low < y < x for y in beads) * _character(beads - {x} | {low}, tuple(rest)) for x, low in moves
    )
