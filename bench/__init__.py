"""Speed of Assay beside other ways of training the same nets on the same machine: `python -m bench`.

The bench belongs to the repository, not to the installed package: PyTorch and the peers are needed only here and in
tests. `python -m bench` works from the repository root. A command that lives in the package finds the bench two
folders above it: `Path(assay.__file__).parents[2]` is the root of a checkout when `bench/harness.py` lies there. It
puts that root on `sys.path` and calls `bench.harness.main`; elsewhere it says that the bench is part of the repository.
"""
