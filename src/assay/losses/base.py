"""What a loss is: a function of (output, y), one number an example; training takes the mean over the batch."""

from __future__ import annotations

import abc

from jaxtyping import Array, Float

from assay.config import Config


class Loss(Config, family="loss"):
    """Base of all losses."""

    @abc.abstractmethod
    def each(self, output: Array, y: Array) -> Float[Array, " B"]:
        """The loss of each example."""
