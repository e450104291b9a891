"""Weights that other tools load."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file

import assay as ay


def test_weights_are_written_as_they_were_recorded_and_refused_where_they_were_not(tmp_path: Path):
    record = ay.Record(measures=("weights/snapshot",), steps=(0, 4))
    trial = ay.Trial(task=ay.Parity(n=5, k=2), net=ay.MLP(width=3), budget=4, solve=None, record=record)
    runs = ay.run([trial], tmp_path / "runs", progress=False)
    first, last = (
        load_file(runs.save_weights(trial.identity, tmp_path / f"{at}.safetensors", record=at)) for at in (0, -1)
    )
    assert set(last) == {"hidden_1.weight", "hidden_1.bias", "output.weight", "output.bias"}
    recorded = runs.arrays("weights/snapshot.hidden_1.weight")[trial.identity]
    np.testing.assert_array_equal(first["hidden_1.weight"], recorded[0])
    np.testing.assert_array_equal(last["hidden_1.weight"], recorded[-1])
    assert not np.array_equal(recorded[0], recorded[-1])
    np.testing.assert_array_equal(runs.weights()[trial.identity]["hidden_1"]["weight"], recorded)
    with pytest.raises(ay.StoreError, match="record the measure weights/snapshot"):
        runs.save_weights("none such", tmp_path / "none.safetensors")
