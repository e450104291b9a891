"""Plain PyTorch, the way a researcher writes it: a module, autograd, torch.optim.SGD, one run after the other."""

from __future__ import annotations

import torch
from torch import nn

from bench.peers.base import Weights
from bench.workloads import Workload


class TorchLoop:
    """Trains one run; the others would follow it at the same rate, so their number does not enter the row."""

    def __init__(self, workload: Workload) -> None:
        self.workload = workload
        self.note = "" if workload.runs == 1 else f"1 of {workload.runs} runs timed: one after the other, same rate"
        torch.set_num_threads(1)

    def start(self, seed: int) -> None:
        w = self.workload
        torch.manual_seed(seed)
        self.model = nn.Sequential(nn.Linear(w.n, w.width), nn.ReLU(), nn.Linear(w.width, 1))
        self.optimiser = torch.optim.SGD(self.model.parameters(), lr=w.learning_rate)
        self.sample = signs(w.offline, w.n) if w.offline else None

    def train(self, steps: int) -> int:
        w = self.workload
        for _ in range(steps):
            x = signs(w.batch, w.n) if self.sample is None else self.sample[torch.randint(len(self.sample), (w.batch,))]
            y = x[:, : w.k].prod(dim=1)
            loss = torch.relu(1 - y * self.model(x).squeeze(1)).mean()
            self.optimiser.zero_grad()
            loss.backward()
            self.optimiser.step()
        return steps

    def weights(self) -> Weights:
        hidden, bias, output, offset = (p.detach().numpy().copy() for p in self.model.parameters())
        return Weights(hidden[None], bias[None], output, offset)


def signs(count: int, n: int) -> torch.Tensor:
    return 2.0 * torch.randint(0, 2, (count, n)) - 1.0


prepare = TorchLoop
