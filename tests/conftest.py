"""What every test runs under: one platform, strict types in JAX, no screen, the same random examples every time.

The environment is set before anything imports JAX, so that commands started by a test run under it too.
"""

from __future__ import annotations

import os
import tempfile

import pytest
from hypothesis import settings
from jaxtyping import install_import_hook

from tests.slow import listed

ENVIRONMENT = {
    "JAX_PLATFORMS": "cpu",
    "JAX_NUMPY_DTYPE_PROMOTION": "strict",  # no silent float64, no int that becomes a float
    "ASSAY_CACHE": f"{tempfile.gettempdir()}/assay-tests-{os.getuid()}",  # compiled programs, kept between runs
    "MPLBACKEND": "agg",
    "NO_COLOR": "1",
}
for name, setting in ENVIRONMENT.items():
    os.environ.setdefault(name, setting)

# In the layers that work on arrays every annotation, shapes included, is checked at every call. An int is a float, as
# it is for the static checker.
CHECKED = [
    f"assay.{layer}"
    for layer in ("maths", "tasks", "theory", "nets", "losses", "optim", "measures", "learners", "engine")
]
install_import_hook(CHECKED, "beartype.beartype(conf=beartype.BeartypeConf(is_pep484_tower=True))")

settings.register_profile("repeatable", derandomize=True, deadline=None, database=None, print_blob=True)
settings.register_profile("explore", deadline=None, max_examples=1000)  # pytest --hypothesis-profile=explore
settings.load_profile("repeatable")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests of the list are slow, whichever of their parameters made them so."""
    slow = listed()
    for item in items:
        if item.nodeid in slow:
            item.add_marker(pytest.mark.slow)
