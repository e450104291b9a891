"""Many runs at once with torch.func: stacked module state, vmap over grad, SGD by hand."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.func import functional_call, grad, stack_module_state, vmap

from bench.peers.base import Weights
from bench.workloads import Workload


class TorchVmap:
    """Legend: R runs, B batch, N bits."""

    def __init__(self, workload: Workload) -> None:
        self.workload, self.note = workload, ""
        torch.set_num_threads(1)
        with torch.device("meta"):
            skeleton = self._net()

        def loss(params: dict[str, Tensor], x_BN: Tensor) -> Tensor:
            y_B = x_BN[:, : workload.k].prod(dim=1)
            f_B = functional_call(skeleton, params, (x_BN,)).squeeze(1)
            return torch.relu(1 - y_B * f_B).mean()

        self.gradient = vmap(grad(loss))

    def start(self, seed: int) -> None:
        w = self.workload
        torch.manual_seed(seed)
        params, _ = stack_module_state([self._net() for _ in range(w.runs)])  # pyrefly: ignore
        self.params = {name: p.detach() for name, p in params.items()}
        self.sample_RMN = self._signs(w.offline) if w.offline else None
        self.every_run = torch.arange(w.runs)[:, None]

    def train(self, steps: int) -> int:
        w = self.workload
        for _ in range(steps):
            gradient = self.gradient(self.params, self._batch())
            for name, p in self.params.items():
                p.sub_(gradient[name], alpha=w.learning_rate)
        return steps * w.runs

    def weights(self) -> Weights:
        hidden, bias, output, offset = (p.numpy().copy() for p in self.params.values())
        return Weights(hidden, bias, output[:, 0], offset[:, 0])

    def _net(self) -> nn.Module:
        w = self.workload
        return nn.Sequential(nn.Linear(w.n, w.width), nn.ReLU(), nn.Linear(w.width, 1))

    def _batch(self) -> Tensor:
        w = self.workload
        if self.sample_RMN is None:
            return self._signs(w.batch)
        return self.sample_RMN[self.every_run, torch.randint(self.sample_RMN.shape[1], (w.runs, w.batch))]

    def _signs(self, count: int) -> Tensor:
        return 2.0 * torch.randint(0, 2, (self.workload.runs, count, self.workload.n)) - 1.0


prepare = TorchVmap
