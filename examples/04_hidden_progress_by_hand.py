"""Hidden progress by hand: the weights know the hidden bits long before the loss does (Barak et al. 2022, figure 3).

    python examples/04_hidden_progress_by_hand.py

A smaller relative of `assay reproduce hidden-progress/progress`, on 30 bits. Writes out/examples/hidden-progress.png.
"""

# %% A sinusoid neuron on a parity, and a control whose training labels are pure noise.
from __future__ import annotations

import numpy as np
import polars as pl

import assay as ay
from assay.analysis import bands, correlate, survival
from assay.figures import ProgressMeasure, WeightTrajectories, board

N, K = 30, 3
signal = ay.Trial(
    task=ay.Parity(n=N, k=K),
    net=ay.Neuron(activation="sinusoid"),
    optimiser=ay.SGD(learning_rate=0.01),
    batch=128,
    budget=3000,
    solve=ay.Solve(sample=2048),
    record=ay.Record(measures=("eval/error", "weights/movement_linf", "weights/first_layer"), every=10),
)
control = signal.replace(task=ay.Parity(n=N, k=K, noise=0.5), solve=None, budget=600)
runs = ay.run(ay.Sweep(signal, ay.seeds(20)) + ay.Sweep(control, ay.seeds(20)))
print(runs)

# %% Which run belongs to which condition.
condition = pl.when(pl.col("task.noise") > 0).then(pl.lit("pure noise")).otherwise(pl.lit("parity labels"))
frame = runs.frame.with_columns(condition=condition)
curves = runs.curves.join(frame.select("trial", "condition"), on="trial")
movement = bands.quantile_band(curves, "weights/movement_linf", by=["condition"])

# %% During the plateau: the last step at which all runs still train and guess, on average.
learning = curves.filter(condition="parity labels")
mean = learning.group_by("step").agg(error=pl.col("eval/error").mean(), runs=pl.len()).sort("step")
end = mean.filter((pl.col("error") < 0.48) | (pl.col("runs") < 20))["step"].min()
plateau = mean.filter(pl.col("step") < end)["step"].max()
early = learning.filter(step=plateau).join(frame.select("trial", survival.solve_time()), on="trial")
rank = correlate.spearman(early, "weights/movement_linf", "solve_time").row(0, named=True)
print(f"at step {plateau} the mean error is {early['eval/error'].mean():.3f}, and the movement of the weights")
print(f"foretells the solve time: rank correlation {rank['rho']:.2f} [{rank['rho_low']:.2f}, {rank['rho_high']:.2f}]")

# %% The weights of the run with the median solve time.
ordered = frame.filter(outcome="solved", condition="parity labels").sort("step", "trial")
trial = ordered["trial"][ordered.height // 2]
steps = curves.filter(trial=trial)["step"].to_numpy()
weights = pl.DataFrame(
    {
        "step": np.repeat(steps, N),
        "coordinate": np.tile(np.arange(N), len(steps)),
        "value": runs.arrays("weights/first_layer")[trial].reshape(-1),
    }
).with_columns(relevant=pl.col("coordinate") < K)

# %% A figure of two displays.
figure = board(
    WeightTrajectories(weights, title="Weights of one run"),
    ProgressMeasure(
        movement.filter(pl.col("step") <= steps[-1]), title="Movement of the weights", y_label="largest change"
    ),
    title="A sinusoid neuron learns a parity of 3 out of 30 bits",
    caption="Left: the run with the median solve time. Right: median and 10-90 % band over 20 runs.",
)
figure.save("out/examples", "hidden-progress")

# %%
assert rank["rho"] < -0.3, "early movement foretells the solve time"
