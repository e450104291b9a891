"""Disjoint parity: the n coordinates fall into k blocks of n/k and S has exactly one coordinate in each.

Barak et al. 2022, section 4.2 and appendix B.3: the task of the disjoint-PolyNet, whose k factors see one block each.
"""

from __future__ import annotations

from assay.errors import ConfigError
from assay.maths import streams
from assay.tasks.parity import Parity


class DisjointParity(Parity, kind="disjoint-parity"):
    """(n, k)-disjoint parity; `subset="first"` takes the first coordinate of each block."""

    def validate(self) -> None:
        super().validate()
        if self.n % self.k:
            raise ConfigError(f"{self.kind}.n", self.n, f"a multiple of k = {self.k}")
        blocks = [i // (self.n // self.k) for i in self.subset] if not isinstance(self.subset, str) else []
        if len(set(blocks)) != len(blocks):
            raise ConfigError(f"{self.kind}.subset", self.subset, f"one coordinate in each of the {self.k} blocks")

    def coordinates(self, seed: int) -> tuple[int, ...]:
        block = self.n // self.k
        if self.subset == "first":
            return tuple(range(0, self.n, block))
        if self.subset == "random":
            chosen = streams.generator(seed, "hidden").integers(block, size=self.k)
            return tuple(int(i) + j * block for j, i in enumerate(chosen))
        return super().coordinates(seed)
