"""Plain PyTorch on a table of pairs: two unit vectors side by side, two linear layers, autograd, torch.optim.SGD."""

from __future__ import annotations

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from bench.pairs import Pairs
from bench.peers.base import Weights


class TorchPairs:
    def __init__(self, workload: Pairs) -> None:
        self.workload, self.note = workload, ""
        torch.set_num_threads(1)
        a, b = torch.meshgrid(torch.arange(workload.p), torch.arange(workload.p), indexing="ij")
        one = [functional.one_hot(index.reshape(-1), workload.p).float() for index in (a, b)]
        self.x, self.y = torch.cat(one, dim=1), ((a + b) % workload.p).reshape(-1)

    def start(self, seed: int) -> None:
        w = self.workload
        torch.manual_seed(seed)
        self.hidden = nn.Linear(2 * w.p, w.width, bias=False)
        self.output = nn.Linear(w.width, w.p, bias=False)
        self.optimiser = torch.optim.SGD([*self.hidden.parameters(), *self.output.parameters()], lr=w.learning_rate)

    def train(self, steps: int) -> int:
        for _ in range(steps):
            logits = self.output(self.hidden(self.x) ** 2)
            neurons = torch.cat([self.hidden.weight, self.output.weight.T], dim=1)
            penalty = self.workload.penalty * (neurons.norm(dim=1) ** 3).sum()
            loss = functional.cross_entropy(logits, self.y) + penalty
            self.optimiser.zero_grad()
            loss.backward()
            self.optimiser.step()
        return steps

    def tables(self) -> tuple[np.ndarray, np.ndarray]:
        """Weights into the neurons and out of them, a row a neuron."""
        hidden, output = (layer.weight.detach().numpy().copy() for layer in (self.hidden, self.output))
        return hidden, output.T

    def weights(self) -> Weights:
        raise NotImplementedError("a net on pairs has tables, no weights of inputs")
