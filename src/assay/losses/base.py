"""What a loss is: a function of (output, y), one number an example; training takes the mean over the batch."""

from __future__ import annotations

import abc
from typing import ClassVar

from jaxtyping import Array, Float

from assay.config import Config


class Loss(Config, family="loss"):
    """Base of all losses."""

    classes: ClassVar[bool] = False
    """Whether labels are classes and outputs one logit a class; else labels are +-1 and outputs one number."""
    sequences: ClassVar[bool] = False
    """Whether there are labels and outputs at every position of a sequence."""

    @abc.abstractmethod
    def each(self, output: Array, y: Array) -> Float[Array, " B"]:
        """The loss of each example."""
