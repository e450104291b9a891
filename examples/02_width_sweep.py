"""A sweep: how do solve times depend on the width of the net?

    python examples/02_width_sweep.py

Writes out/examples/widths.png and keeps its runs in out/examples/widths: a second start trains nothing.
"""

# %% Three widths, twenty seeds each: three programs, sixty trials.
from __future__ import annotations

import assay as ay
from assay.analysis import powerlaw, survival
from assay.figures import SolveTimes

base = ay.Trial(
    task=ay.Parity(n=20, k=3),
    net=ay.MLP(width=10),
    optimiser=ay.SGD(learning_rate=0.5),
    batch=32,
    budget=3000,
    solve=ay.Solve(sample=1024),
)
sweep = ay.Sweep(base, ay.axis("net.width", 10, 30, 100), ay.seeds(20))
plan = ay.make_plan(sweep, calibrate=False)
print(f"{len(plan.trials)} trials in {len(plan.packs)} packs")

# %% Run it.
runs = ay.run(sweep, "out/examples/widths")
print(runs)

# %% Quantiles over all runs of a width, unsolved ones counted as infinite, and the solved fraction beside them.
times = survival.summary(runs.frame, by=["net.width"])
print(times.select("net.width", "n", "solved_fraction", "q10", "q50", "q50_low", "q50_high", "q90"))

# %% The exponent of a power law through the medians, with its bootstrap interval over runs.
law = powerlaw.fit_solve_times(runs.frame, x="net.width", by=[]).row(0, named=True)
print(f"steps ~ width^{law['exponent']:.2f} [{law['exponent_low']:.2f}, {law['exponent_high']:.2f}]")

# %% A figure.
figure = SolveTimes(
    times,
    x="net.width",
    line=None,
    labels={"net.width": "width"},
    title="A parity of 3 out of 20 bits",
    caption="Median over 20 runs with 95 % bootstrap bars. Batch 32, learning rate 0.5.",
)
figure.save("out/examples", "widths")

# %% Width helps, but far less than if neurons were searching side by side, which would be an exponent of -1.
assert law["exponent_low"] > -0.6
assert law["exponent_high"] < 0
