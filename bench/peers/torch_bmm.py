"""Many runs at once as PyTorch can do it at its best: weights stacked by hand, batched products with the bias as one
more input, the backward pass of the two layers written out, the update fused into the products, inputs unpacked
from random 63-bit words; and the same step under torch.compile.

Of the forms tried on CPU these were the fastest: inputs in columns (R, N+1, B); no autograd; only the step
compiled, because the compiler's own random numbers are slower than the library's.
Legend: R runs, B batch, N bits, H width.
"""

from __future__ import annotations

import torch
from torch import Tensor

from bench.peers.base import Unavailable, Weights
from bench.workloads import Workload

WORD = 63
"""Random bits in one int64 word of torch.randint."""

Params = tuple[Tensor, Tensor, Tensor]
"""hidden with the bias as last column (R, H, N+1), output (R, H, 1), offset (R, 1, 1)."""


class TorchBmm:
    def __init__(self, workload: Workload, *, compiled: bool) -> None:
        self.workload, self.note = workload, ""
        torch.set_num_threads(1)
        self.step = step_in_place
        if compiled:
            torch._dynamo.config.recompile_limit = 64  # one code object for all workloads, each its own shape
            self.step = torch.compile(step, dynamic=False)

    def start(self, seed: int) -> None:
        w = self.workload
        torch.manual_seed(seed)
        hidden = uniform(w.n, w.runs, w.width, w.n + 1)
        self.params: Params = hidden, uniform(w.width, w.runs, w.width, 1), uniform(w.width, w.runs, 1, 1)
        self.x_RNB = torch.ones(w.runs, w.n + 1, w.batch)
        self.sample_RMN = signs(w.runs, w.n, w.offline).mT.contiguous() if w.offline else None
        self.every_run = torch.arange(w.runs)[:, None]

    def train(self, steps: int) -> int:
        w = self.workload
        for _ in range(steps):
            self.x_RNB[:, : w.n] = self._batch()
            y_R1B = self.x_RNB[:, : w.k].prod(dim=1, keepdim=True)
            self.params = self.step(self.params, self.x_RNB, y_R1B, w.learning_rate)
        return steps * w.runs

    def weights(self) -> Weights:
        hidden, output, offset = (p.numpy().copy() for p in self.params)
        return Weights(hidden[:, :, :-1], hidden[:, :, -1], output[:, :, 0], offset[:, 0, 0])

    def _batch(self) -> Tensor:
        w = self.workload
        if self.sample_RMN is None:
            return signs(w.runs, w.n, w.batch)
        return self.sample_RMN[self.every_run, torch.randint(self.sample_RMN.shape[1], (w.runs, w.batch))].mT


def step_in_place(params: Params, x_RNB: Tensor, y_R1B: Tensor, rate: float) -> Params:
    """One SGD step on the hinge loss; the weights are overwritten."""
    hidden, output, offset = params
    a_RHB = torch.bmm(hidden, x_RNB).relu_()
    f_R1B = torch.baddbmm(offset, output.mT, a_RHB)
    down_R1B = torch.where(y_R1B * f_R1B < 1, y_R1B, 0.0).mul_(rate / x_RNB.shape[2])  # -rate * dloss/df
    down_RHB = torch.ops.aten.threshold_backward(output * down_R1B, a_RHB, 0.0)
    output.baddbmm_(a_RHB, down_R1B.mT)
    offset.add_(down_R1B.sum(dim=2, keepdim=True))
    hidden.baddbmm_(down_RHB, x_RNB.mT)
    return params


def step(params: Params, x_RNB: Tensor, y_R1B: Tensor, rate: float) -> Params:
    """The same step for the compiler: no mutation, and the thin products as sums that it fuses with the rest."""
    hidden, output, offset = params
    a_RHB = torch.bmm(hidden, x_RNB).relu()
    f_R1B = offset + (output * a_RHB).sum(dim=1, keepdim=True)
    down_R1B = torch.where(y_R1B * f_R1B < 1, y_R1B, 0.0) * (rate / x_RNB.shape[2])
    down_RHB = torch.where(a_RHB > 0, output * down_R1B, 0.0)
    return (
        torch.baddbmm(hidden, down_RHB, x_RNB.mT),
        output + (a_RHB * down_R1B).sum(dim=2, keepdim=True),
        offset + down_R1B.sum(dim=2, keepdim=True),
    )


def uniform(fan_in: int, *shape: int) -> Tensor:
    return (2 * torch.rand(shape) - 1) / fan_in**0.5


def signs(runs: int, n: int, count: int) -> Tensor:
    """Uniform +-1 of shape (runs, n, count), as many to a random word as there are bits in it."""
    bits = min(n, WORD)
    words = torch.randint(torch.iinfo(torch.int64).max, (runs, -(-n // bits), 1, count))
    return ((words >> torch.arange(bits)[:, None]) & 1).float().mul_(-2).add_(1).flatten(1, 2)[:, :n]


def prepare(workload: Workload) -> TorchBmm:
    return TorchBmm(workload, compiled=False)


def prepare_compiled(workload: Workload) -> TorchBmm:
    trainer = TorchBmm(workload, compiled=True)
    trainer.start(0)
    try:
        trainer.train(1)
    except torch._dynamo.exc.TorchDynamoException as error:
        reason = str(error).strip().splitlines()[0]
        raise Unavailable(f"torch.compile does not work here: {reason}") from error
    return trainer
