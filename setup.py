"""The kernels of the engine `native`: one library for each instruction set; all else is in pyproject.toml.

They are optional: where there is no compiler the install goes on without them, and `assay doctor` says what is missing.
"""

from __future__ import annotations

import platform
from pathlib import Path

from setuptools import Extension, setup

KERNELS = Path("src/assay/engine/native/kernels")
COMMON = [
    "-std=c++17", "-O3", "-g0", "-fno-exceptions", "-fno-rtti", "-fvisibility=hidden",
    "-ffp-contract=off",  # roundings are where the source says: a trial's numbers must not depend on how loops are cut
    "-Wno-psabi", "-Wno-uninitialized", "-Wno-maybe-uninitialized",  # on gcc's own headers
]  # fmt: skip
AVX2 = ["-mavx2", "-mfma", "-mbmi2"]
AVX512 = [*AVX2, "-mavx512f", "-mavx512bw", "-mavx512dq", "-mavx512vl", "-mavx512vpopcntdq"]
SETS = {"portable": list[str]()} | (
    {"avx2": AVX2, "avx512": AVX512} if platform.machine() in ("x86_64", "AMD64") else {}
)

setup(
    ext_modules=[
        Extension(
            f"assay.engine.native._{name}",
            [str(KERNELS / f"{name}.cpp")],
            extra_compile_args=COMMON + flags,
            depends=sorted(map(str, [*KERNELS.glob("*.hpp"), KERNELS / "api.h", KERNELS / "engine.cpp"])),
            optional=True,
        )
        for name, flags in SETS.items()
    ]
)
