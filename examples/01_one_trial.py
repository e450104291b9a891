"""One trial: a net learns a parity, after a plateau on which its error tells nothing.

    python examples/01_one_trial.py

Writes out/examples/one-trial.png. The cells (# %%) can be run one by one in an editor.
"""

# %% A trial is one training run, described in full.
from __future__ import annotations

import polars as pl

import assay as ay
from assay.figures import TrainingCurves

trial = ay.Trial(
    task=ay.Parity(n=30, k=3),
    net=ay.MLP(width=100),
    optimiser=ay.SGD(learning_rate=0.5),
    batch=32,
    budget=5000,
    record=ay.Record(measures=("eval/loss", "eval/error"), every=10),
    seed=1,
)

# %% Train it. Without a folder the results live as long as `runs` does.
runs = ay.run([trial])
(ended,) = runs.frame.iter_rows(named=True)
print(f"{ended['outcome']} at step {ended['step']} in {ended['seconds']:.1f} s")

# %% The curves: one row a recorded step.
print(runs.curves)

# %% A figure. Displays draw tables in long form: one row a point.
null = pl.lit(None, pl.Float64)
points = runs.curves.unpivot(["eval/loss", "eval/error"], index=["trial", "step"], variable_name="measure")
curves = TrainingCurves(
    points.with_columns(low=null, high=null, chance=pl.lit(trial.task.chance)),
    labels={"eval/loss": "loss", "eval/error": "error"},
    title="A ReLU net learns a parity of 3 out of 30 bits",
    caption="Loss and error on 8,192 held-out examples; dotted: the error of guessing.",
    y_label="held-out loss and error",
)
curves.save("out/examples", "one-trial")

# %% For more than half of the time the net does no better than guessing.
guessing = runs.curves.filter(pl.col("eval/error") > 0.45)["step"].max()
assert ended["outcome"] == "solved"
assert guessing > ended["step"] / 2, "the plateau is the longer part"
