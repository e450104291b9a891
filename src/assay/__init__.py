"""Assay: the laboratory for test-tube experiments on deep learning."""

__version__ = "0.1.0"
