"""Plain PyTorch on Markov chains, the way a researcher writes it: a module, autograd, an optimiser, one run after the
other. Sequences are drawn step by step, vectorised over the batch."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch
from torch import nn

from bench.markov import MarkovWorkload


class Layer(nn.Module):
    """Causal attention with relative positions: the bias of lag r is q_i . v_r."""

    def __init__(self, d: int, length: int) -> None:
        super().__init__()
        self.query, self.key, self.value = (nn.Linear(d, d, bias=False) for _ in range(3))
        self.table = nn.Parameter(0.2 * torch.randn(length, d))
        place = torch.arange(length)
        self.lag: torch.Tensor
        self.causal: torch.Tensor
        self.register_buffer("lag", (place[:, None] - place).clamp(min=0))
        self.register_buffer("causal", torch.ones(length, length, dtype=torch.bool).tril())

    def forward(self, z: torch.Tensor) -> torch.Tensor:
        query = self.query(z)
        by_lag = (query @ self.table.T).gather(2, self.lag.expand(len(z), -1, -1))
        scores = (query @ self.key(z).transpose(1, 2) + by_lag) / math.sqrt(z.shape[2])
        return torch.softmax(scores.masked_fill(~self.causal, -math.inf), dim=-1) @ self.value(z)


class Transformer(nn.Module):
    """Two such layers around a residual stream."""

    def __init__(self, states: int, d: int, length: int) -> None:
        super().__init__()
        self.embed = nn.Embedding(states, d)
        self.layers = nn.ModuleList([Layer(d, length), Layer(d, length)])
        self.out = nn.Linear(d, states, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        z = self.embed(x)
        for layer in self.layers:
            z = z + layer(z)
        return self.out(z)


class Minimal(nn.Module):
    """f(E) = mask(E W (M E)^T) E."""

    def __init__(self, states: int, length: int) -> None:
        super().__init__()
        self.match = nn.Parameter(torch.zeros(states, states))
        self.lags = nn.Parameter(torch.full((length,), 0.02))
        place = torch.arange(length)
        self.lag: torch.Tensor
        self.register_buffer("lag", (place[:, None] - place).clamp(min=0))
        self.states = states

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        e = nn.functional.one_hot(x, self.states).float()
        m = self.lags[self.lag].tril()
        return (e @ self.match @ (m @ e).transpose(1, 2)).tril() @ e


class TorchMarkov:
    """Trains one run; the others would follow it at the same rate, so their number does not enter the row."""

    def __init__(self, workload: MarkovWorkload) -> None:
        self.workload = workload
        self.note = "" if workload.runs == 1 else f"1 of {workload.runs} runs timed: one after the other, same rate"
        torch.set_num_threads(1)

    def start(self, seed: int) -> None:
        w = self.workload
        torch.manual_seed(seed)
        self.model: Any
        self.optimiser: torch.optim.Optimizer
        if w.d is None:
            self.model = Minimal(w.states, w.length)
            self.optimiser = torch.optim.SGD(self.model.parameters(), lr=2e-3)
        else:
            self.model = Transformer(w.states, w.d, w.length)
            self.optimiser = torch.optim.AdamW(self.model.parameters(), lr=1e-3)

    def train(self, steps: int) -> int:
        for _ in range(steps):
            loss = self.loss()
            self.optimiser.zero_grad()
            loss.backward()
            self.optimiser.step()
        return steps

    def loss(self) -> torch.Tensor:
        symbols = self.sequences()
        return nn.functional.cross_entropy(self.model(symbols[:, :-1]).flatten(0, 1), symbols[:, 1:].flatten())

    def sequences(self) -> torch.Tensor:
        """A batch of sequences of t + 1 symbols from chains of their own; they start anywhere, which is cheaper."""
        w = self.workload
        rows = torch.distributions.Dirichlet(torch.ones(w.states)).sample((w.batch, w.states)).cumsum(-1)
        numbers = torch.rand(w.batch, w.length)
        symbols = [torch.randint(w.states, (w.batch,))]
        every = torch.arange(w.batch)
        for p in range(w.length):
            symbols.append((rows[every, symbols[-1], :-1] <= numbers[:, p, None]).sum(1))
        return torch.stack(symbols, dim=1)

    def losses(self, steps: int) -> np.ndarray:
        """The training loss after so many steps; asked for by the checks only."""
        self.train(steps)
        return np.array([float(self.loss().detach())])


prepare = TorchMarkov
