"""The implementations that are timed, by name. An entry is imported when it is asked for, so that a machine
without PyTorch can still time the others."""

from __future__ import annotations

import importlib

from assay.errors import UnknownName
from bench.markov import MarkovWorkload
from bench.pairs import Pairs
from bench.peers.base import Prepare, Trainer, Unavailable
from bench.workloads import AnyWorkload

REFERENCE = "torch"
"""The implementation that ratios are taken to: a plain PyTorch loop."""

PEERS: dict[str, str] = {
    "assay": "bench.peers.assay_engine:prepare",
    "assay-two-cores": "bench.peers.assay_engine:prepare_two_cores",
    "assay-xla": "bench.peers.assay_engine:prepare_xla",
    REFERENCE: "bench.peers.torch_loop:prepare",
    "torch-vmap": "bench.peers.torch_vmap:prepare",
    "torch-bmm": "bench.peers.torch_bmm:prepare",
    "torch-bmm-compiled": "bench.peers.torch_bmm:prepare_compiled",
    "jax-vmap": "bench.peers.jax_vmap:prepare",
    "jax-vmap-bits": "bench.peers.jax_vmap:prepare_bits",
}
MARKOV: dict[str, str] = {
    "assay": "bench.peers.assay_markov:prepare",
    REFERENCE: "bench.peers.torch_markov:prepare",
}
"""Those that train sequences."""
PAIRS: dict[str, str] = {
    "assay": "bench.peers.assay_pairs:AssayPairs",
    REFERENCE: "bench.peers.torch_pairs:TorchPairs",
}
"""Those that train nets on pairs of symbols."""


def choose(names: tuple[str, ...]) -> dict[str, Prepare]:
    """The implementations of these names, all of them for none, in the order of the table."""
    for name in names:
        if name not in PEERS:
            raise UnknownName("implementation", name, PEERS)
    return {name: _lazy(name) for name in PEERS if not names or name in names}


def _lazy(name: str) -> Prepare:
    def prepare(workload: AnyWorkload) -> Trainer:
        places = MARKOV if isinstance(workload, MarkovWorkload) else PAIRS if isinstance(workload, Pairs) else PEERS
        if name not in places:
            raise Unavailable("trains parities only")
        module, attribute = places[name].split(":")
        try:
            found: Prepare = getattr(importlib.import_module(module), attribute)
        except ImportError as error:
            raise Unavailable(f"not installed: {error}") from error
        return found(workload)

    return prepare
