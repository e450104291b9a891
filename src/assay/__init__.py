"""Assay: the laboratory for test-tube experiments on deep learning.

    import assay as ay

    trial = ay.Trial(task=ay.Parity(n=30, k=3), net=ay.MLP(width=100), optimiser=ay.SGD(learning_rate=1.0))
    runs = ay.run(ay.Sweep(trial, ay.axis("net.width", 10, 100), ay.seeds(20)))

Names are loaded when they are first used, so that `import assay` costs nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_HOMES = {
    "assay.errors": ("AssayError", "ConfigError", "PlanError", "StoreError", "UnknownName"),
    "assay.tasks": (
        "Composition",
        "DigitStrips",
        "Dirichlet",
        "DisjointParity",
        "DoublyStochastic",
        "EasyParity",
        "Holdout",
        "Iid",
        "MarkovChains",
        "Mixture",
        "NearCoin",
        "Offline",
        "Online",
        "Parity",
        "Population",
        "Prior",
        "SparseBoolean",
        "Split",
        "TableTask",
        "Task",
    ),
    "assay.nets": (
        "MLP",
        "BareTransformer",
        "ClsTransformer",
        "DeepMLP",
        "DisjointPolyNet",
        "Fourier",
        "GatedMLP",
        "Gaussian",
        "Glorot",
        "HalfHead",
        "MinimalInduction",
        "Mirrored",
        "Net",
        "Neuron",
        "Normal",
        "PairNet",
        "ParityTransformer",
        "PolyNet",
        "SequenceTransformer",
        "Sign",
        "Sparse",
        "Ternary",
        "Ticket",
        "Uniform",
        "Unit",
        "induction_head",
    ),
    "assay.losses": (
        "Correlation",
        "CrossEntropy",
        "Hinge",
        "Logistic",
        "Loss",
        "Penalty",
        "SequenceCrossEntropy",
        "SequenceMargin",
        "Square",
    ),
    "assay.optim": (
        "SGD",
        "AdaDelta",
        "Adam",
        "AdamW",
        "Constant",
        "Cosine",
        "Jumps",
        "Linear",
        "Optimiser",
        "Rate",
        "Staircase",
        "TwoStage",
    ),
    "assay.measures": ("measure",),
    "assay.trial": ("Outcome", "Record", "Solve", "Trial"),
    "assay.sweep": (
        "LevelSearch",
        "Runs",
        "Sweep",
        "axis",
        "linspaced",
        "logspaced",
        "make_plan",
        "outcomes_of",
        "product",
        "run",
        "seeds",
        "union",
        "zipped",
    ),
    "assay.store": ("Store",),
    "assay.studies": ("Claim", "Experiment", "Study", "Verdict", "all_studies", "find_study"),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}

__all__ = ["__version__", *sorted(_HOME)]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'assay' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return __all__


if TYPE_CHECKING:
    from assay.errors import AssayError, ConfigError, PlanError, StoreError, UnknownName
    from assay.losses import (
        Correlation,
        CrossEntropy,
        Hinge,
        Logistic,
        Loss,
        Penalty,
        SequenceCrossEntropy,
        SequenceMargin,
        Square,
    )
    from assay.measures import measure
    from assay.nets import (
        MLP,
        BareTransformer,
        ClsTransformer,
        DeepMLP,
        DisjointPolyNet,
        Fourier,
        GatedMLP,
        Gaussian,
        Glorot,
        HalfHead,
        MinimalInduction,
        Mirrored,
        Net,
        Neuron,
        Normal,
        PairNet,
        ParityTransformer,
        PolyNet,
        SequenceTransformer,
        Sign,
        Sparse,
        Ternary,
        Ticket,
        Uniform,
        Unit,
        induction_head,
    )
    from assay.optim import (
        SGD,
        AdaDelta,
        Adam,
        AdamW,
        Constant,
        Cosine,
        Jumps,
        Linear,
        Optimiser,
        Rate,
        Staircase,
        TwoStage,
    )
    from assay.store import Store
    from assay.studies import Claim, Experiment, Study, Verdict, all_studies, find_study
    from assay.sweep import (
        LevelSearch,
        Runs,
        Sweep,
        axis,
        linspaced,
        logspaced,
        make_plan,
        outcomes_of,
        product,
        run,
        seeds,
        union,
        zipped,
    )
    from assay.tasks import (
        Composition,
        DigitStrips,
        Dirichlet,
        DisjointParity,
        DoublyStochastic,
        EasyParity,
        Holdout,
        Iid,
        MarkovChains,
        Mixture,
        NearCoin,
        Offline,
        Online,
        Parity,
        Population,
        Prior,
        SparseBoolean,
        Split,
        TableTask,
        Task,
    )
    from assay.trial import Outcome, Record, Solve, Trial
