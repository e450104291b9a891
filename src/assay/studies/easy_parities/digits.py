"""MNIST-parity: is the sum of k handwritten digits even? A net learns it, linear methods do not.

Claims  for one digit nets and linear methods are about as good; for three, linear methods hardly beat chance.
Source  Daniely and Malach 2020, section 6 and figure 1 (bottom: example strips). All models have 512 hidden neurons or
        features and are trained with AdaDelta at batch 128. Not stated there: the loss (logistic here), AdaDelta's
        numbers (PyTorch's: learning rate 1, rho 0.9), how many strips (60,000 an epoch, new in every epoch, tested on
        8,192 of test images), the bandwidth of the Gaussian features (of the order of the distance of two strips) and
        scaling (pixels standardised). Weights start as PyTorch's do. Where MNIST is not at hand, and at smoke scale,
        the images are scikit-learn's of 8 x 8 pixels, 15,000 strips an epoch; the claims are then undecided at desk and
        paper scale, as their numbers are about MNIST.
Output  table `digits`: for each k, model and epoch the median accuracy on strips of test images, and its range.
"""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

import assay as ay
from assay.figures import Display, Lines
from assay.studies import Claim, Experiment, Judgement
from assay.studies.easy_parities.settings import SOURCE

BATCH = 128
STRIPS = {"mnist": 60_000, "scikit": 15_000}
EPOCHS = {"smoke": 4, "desk": 5, "paper": 20}
SEEDS = {"smoke": 1, "desk": 1, "paper": 5}
FROZEN = (ay.Rate(layer="hidden_1", learning_rate=0, weight_decay=0),)
RELU, TANGENT, FEATURES, GAUSSIAN = "ReLU net", "tangent kernel", "ReLU features", "Gaussian features"
MODELS = (RELU, TANGENT, FEATURES, GAUSSIAN)

ONE = Claim(
    id="DM6",
    source=f"{SOURCE}, section 6 and figure 1 (top left)",
    statement="For one digit nets and linear methods are about as good, the net slightly better.",
    kind="experiment",
    criterion={
        "smoke": "8 x 8 digits, k = 1, 4 epochs: test accuracy of the ReLU net >= 0.95, of all others >= 0.75",
        "desk": "MNIST, k = 1, 2 epochs: ReLU net >= 97.5 %, tangent kernel >= 97 %, ReLU features >= 91 %; net minus "
        "tangent kernel in [-0.3, 2] points",
        "paper": "MNIST, k = 1, 20 epochs, median of 5 runs: ReLU net >= 97.5 %, tangent kernel >= 97 %, ReLU "
        "features >= 91 %; net minus tangent kernel in [-0.3, 2] points",
    },
)
THREE = Claim(
    id="DM7",
    source=f"{SOURCE}, section 6 and figure 1 (top right)",
    statement="For three digits a ReLU net learns the parity of the sum, and linear methods hardly beat chance.",
    kind="experiment",
    criterion={
        "smoke": "8 x 8 digits, k = 3, 4 epochs: test accuracy of the ReLU net >= 0.60, all linear methods <= 0.55",
        "desk": "MNIST, k = 3: ReLU net >= 62 % after 2 epochs and >= 68 % after 5, all linear methods <= 53 % after 5",
        "paper": "MNIST, k = 3, 20 epochs, median of 5 runs: ReLU net 75 to 82 %, all linear methods <= 55 %",
    },
)


def source(scale: str) -> str:
    """MNIST where it is to be had."""
    return "mnist" if scale != "smoke" and ay.DigitStrips(digits=1, source="mnist").available else "scikit"


def sweeps(scale: str) -> Mapping[tuple[int, str], ay.Sweep]:
    images = source(scale)
    epoch = STRIPS[images] // BATCH
    found = {}
    for k in (1, 3):
        whole = ay.Trial(
            task=ay.DigitStrips(digits=k, source=images),
            net=ay.MLP(width=512),
            loss=ay.Logistic(),
            optimiser=ay.AdaDelta(),
            batch=BATCH,
            budget=EPOCHS[scale] * epoch,
            solve=None,
            record=ay.Record(measures=("eval/error",), every=epoch),
        )
        frozen = whole.replace(optimiser=ay.AdaDelta(rates=FROZEN))
        bandwidth = (2 * whole.task.inputs) ** 0.5  # mean distance of two strips of standardised pixels
        gaussian = frozen.replace(net=ay.MLP(width=512, activation="cosine"), init=ay.Fourier(bandwidth=bandwidth))
        trials = (whole, whole.replace(net=ay.GatedMLP(width=512)), frozen, gaussian)
        runs = ay.seeds(SEEDS[scale])
        found |= {(k, name): ay.Sweep(trial, runs) for name, trial in zip(MODELS, trials, strict=True)}
    return found


def sweep(scale: str) -> ay.Sweep:
    first, *rest = sweeps(scale).values()
    return sum(rest, first)


def table(runs: ay.Runs, scale: str) -> pl.DataFrame:
    images = source(scale)
    of = [(trial.identity, k, model, images) for (k, model), part in sweeps(scale).items() for trial in part.trials()]
    names = pl.DataFrame(of, schema=["trial", "k", "model", "images"], orient="row")
    curves = runs.curves.join(names, on="trial", maintain_order="left").with_columns(
        epoch=pl.col("step") / (STRIPS[images] // BATCH), accuracy=1 - pl.col("eval/error")
    )
    order = pl.col("model").replace_strict({name: i for i, name in enumerate(MODELS)}, return_dtype=pl.Int64)
    rows = curves.group_by("images", "k", "model", "epoch").agg(
        pl.median("accuracy"), low=pl.min("accuracy"), high=pl.max("accuracy"), runs=pl.len()
    )
    return rows.sort("k", order, "epoch").with_columns(pl.col("epoch").cast(pl.Int64))


def figure(table: pl.DataFrame) -> Display:
    images = {"mnist": "MNIST", "scikit": "8 x 8 pixels"}[table["images"][0]]
    return Lines(
        table.filter(pl.col("epoch") > 0),
        panel="k",
        columns=2,
        x="epoch",
        y="accuracy",
        line="model",
        bars=("low", "high"),
        x_label="epoch",
        y_label="accuracy on test images",
        labels={"1": "one digit", "3": "three digits"},
        title="Is the sum of the digits even?",
        caption=f"Accuracy on 8,192 strips of test images ({images}) against epochs: median and range over runs. A "
        "ReLU net of 512 neurons, the same with gates that stand still (the regime of the tangent kernel), and 512 "
        "random ReLU and Gaussian features; AdaDelta, batch 128, new strips in every epoch. Daniely and Malach "
        "2020, figure 1.",
    )


def judge(table: pl.DataFrame, scale: str) -> list[Judgement]:
    def accuracy(k: int, epochs: int) -> dict[str, float]:
        rows = table.filter(pl.col("k") == k, pl.col("epoch") == epochs)
        return dict(zip(rows["model"].to_list(), rows["accuracy"].to_list(), strict=True))

    last = EPOCHS[scale]
    one, three, early = accuracy(1, 2 if scale == "desk" else last), accuracy(3, last), accuracy(3, 2)
    others = max(three[name] for name in MODELS[1:])
    if scale == "smoke":
        holds = one[RELU] >= 0.95 and min(one.values()) >= 0.75, three[RELU] >= 0.60 and others <= 0.55
    elif table["images"][0] != "mnist":
        holds = None, None
    else:
        gap = 100 * (one[RELU] - one[TANGENT])
        first = one[RELU] >= 0.975 and one[TANGENT] >= 0.97 and one[FEATURES] >= 0.91 and -0.3 <= gap <= 2
        if scale == "desk":
            second = early[RELU] >= 0.62 and three[RELU] >= 0.68 and others <= 0.53
        else:
            second = 0.75 <= three[RELU] <= 0.82 and others <= 0.55
        holds = first, second
    words = [", ".join(f"{name} {100 * part[name]:.1f} %" for name in MODELS) for part in (one, three)]
    words[1] += f"; the net after 2 epochs {100 * early[RELU]:.1f} %"
    if holds[0] is None:
        words = [f"MNIST was not found, these are 8 x 8 digits: {text}" for text in words]
    return [
        ONE.judged(holds[0], one[RELU], None, f"value: accuracy of the ReLU net. {words[0]}"),
        THREE.judged(holds[1], three[RELU], None, f"value: accuracy of the ReLU net. {words[1]}"),
    ]


experiment = Experiment(
    name="digits",
    title="Parity of handwritten digits",
    source="section 6, figure 1",
    claims=(ONE, THREE),
    sweep=sweep,
    table=table,
    figure=figure,
    judge=judge,
)
