"""The kernels under AddressSanitizer and UndefinedBehaviorSanitizer, with trials of every kind."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

import assay as ay
from assay.engine.native import library
from assay.engine.native.spec import family_of
from tests.engine.native.ways import ways

HERE = Path(__file__).parent
KERNELS = Path(library.__file__).parent / "kernels"
AVX2 = ("-mavx2", "-mfma", "-mbmi2")
FLAGS = {
    "portable": (),
    "avx2": AVX2,
    "avx512": (*AVX2, "-mavx512f", "-mavx512bw", "-mavx512dq", "-mavx512vl", "-mavx512vpopcntdq"),
}
SANITIZED = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fno-omit-frame-pointer")


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")
def test_the_sanitisers_find_nothing(isa: str, tmp_path: Path):
    specs = tmp_path / "specs"
    tested = [way.replace(solve=ay.Solve(sample=300)) for way in ways().values()][:: 1 if isa == "avx512" else 3]
    specs.write_bytes(b"".join(bytes(family_of(way).spec_of(way)) for way in tested))
    driver = tmp_path / "driver"
    subprocess.run(
        ["g++", "-std=c++17", "-O1", "-g1", "-ffp-contract=off", "-Wno-psabi", *SANITIZED, *FLAGS[isa],
         f"-DASSAY_ISA={isa}", f"-I{KERNELS}", str(HERE / "driver.cpp"), "-o", str(driver)],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    run = subprocess.run([driver, specs], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr[:3000]
    assert run.stdout == f"{len(tested)} trials\n"
