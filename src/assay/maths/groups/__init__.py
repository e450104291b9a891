"""Finite groups: by name, by permutations or by their table; classes, real irreps, characters, Fourier analysis."""

from assay.maths.groups.fourier import coefficients as coefficients
from assay.maths.groups.fourier import power as power
from assay.maths.groups.fourier import synthesis as synthesis
from assay.maths.groups.group import Group as Group
from assay.maths.groups.group import generated as generated
from assay.maths.groups.irreps import Irrep as Irrep
from assay.maths.groups.irreps import irreps as irreps
from assay.maths.groups.names import named as named
from assay.maths.groups.small import NUMBER_OF_GROUPS as NUMBER_OF_GROUPS
from assay.maths.groups.small import groups_of_order as groups_of_order
