# make demo   figures, tables and verdicts of one study at smoke scale, and the page that shows them
# make test   the whole suite; `make quick` leaves the slow tests out
# make check  what .ci/run runs: lint, types, test
#
# Each target sets up what it needs: a virtual environment in .venv with the pinned packages of requirements/ and
# this package in editable form. Stamp files in .venv remember what is there. Needed: Python 3.11 to 3.13, make, git.
# Variables: PYTHON (the interpreter for .venv), ARGS (passed on to pytest, or to `assay bench`), WORKERS (of pytest).

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
SHELL := /bin/sh

VENV := .venv
RUN := $(VENV)/bin/python
PIP := $(RUN) -m pip --disable-pip-version-check install -qq
WORKERS ?= 2
ARGS ?=

# The first interpreter that runs (a version manager's shim may not), has a supported version and can make environments.
SUPPORTED := import ensurepip, sys, venv; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))
PYTHON ?= $(shell for python in python3.13 python3.12 python3.11 python3 python; do \
	if $$python -c '$(SUPPORTED)' >/dev/null 2>&1; then echo $$python; break; fi; done)

# An environment that is missing, was made for another folder, or has lost its interpreter is made anew.
READY := $(shell grep -qsF -- '$(CURDIR)/$(VENV)' $(VENV)/pyvenv.cfg && $(RUN) -c '' 2>/dev/null && echo yes)
ifneq ($(READY),yes)
$(VENV)/made: anew
endif

.PHONY: help anew setup setup-dev demo test quick sanitize lint types check format bench pins dist clean
help:
	@sed -n '/^#/!q; s/^# \{0,1\}//p' Makefile

$(VENV)/made:
	@if [ -z "$(PYTHON)" ]; then \
		echo "Assay needs Python 3.11, 3.12 or 3.13 with the modules venv and ensurepip; none is on the PATH." >&2; \
		echo "Install one (Debian and Ubuntu: python3 and python3-venv) or name it: make PYTHON=/path/to/python3" >&2; \
		exit 2; fi
	@echo "Setting up $(VENV) with $$($(PYTHON) --version): once, about 1 GB, a minute or a few"
	@rm -rf $(VENV)
	@$(PYTHON) -m venv "$(CURDIR)/$(VENV)"
	@touch $@

$(VENV)/runtime: $(VENV)/made requirements/build.txt requirements/runtime.txt
	@$(PIP) -r requirements/build.txt -r requirements/runtime.txt
	@touch $@

KERNELS := setup.py $(wildcard src/assay/engine/native/kernels/*)
$(VENV)/package: $(VENV)/runtime pyproject.toml $(KERNELS)
	@$(PIP) --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/dev: $(VENV)/package requirements/dev.txt
	@$(PIP) -r requirements/dev.txt
	@touch $@

$(VENV)/torch: $(VENV)/package requirements/torch.txt
	@$(PIP) -r requirements/torch.txt
	@touch $@

setup: $(VENV)/package
setup-dev: $(VENV)/dev

demo: setup
	@$(VENV)/bin/assay reproduce hidden-progress --scale smoke --out out/demo --page

test: setup-dev
	@$(RUN) -m pytest -n $(WORKERS) $(ARGS)

quick: setup-dev
	@$(RUN) -m pytest -n $(WORKERS) -m "not slow" $(ARGS)

# The kernels' tests of memory and of undefined behaviour, on each instruction set of the machine; part of `make test`.
sanitize: setup-dev
	@$(RUN) -m pytest tests/engine/native/test_sanitized.py $(ARGS)

lint: setup-dev
	@$(RUN) -m ruff check .
	@$(RUN) -m ruff format --check .

types: setup-dev
	@$(RUN) -m pyrefly check --python-interpreter-path $(RUN)

check: lint types test

format: setup-dev
	@$(RUN) -m ruff check --fix .
	@$(RUN) -m ruff format .

# Beside PyTorch, which is large: only this target installs it.
bench: setup $(VENV)/torch
	@$(VENV)/bin/assay bench $(ARGS)

# Compiles requirements/ from pyproject.toml: one version of each package for every supported Python.
COMPILE = $(VENV)/bin/uv pip compile --quiet --system-certs --universal --python-version 3.11 --fork-strategy fewest \
	--generate-hashes --custom-compile-command "make pins"
pins: setup
	@$(PIP) uv==0.13.8
	@$(COMPILE) pyproject.toml --output-file requirements/runtime.txt
	@$(COMPILE) --constraints requirements/runtime.txt --group build --output-file requirements/build.txt
	@$(COMPILE) --constraints requirements/runtime.txt --group dev --output-file requirements/dev.txt

dist: setup-dev
	@$(PIP) build
	@$(RUN) -m build --no-isolation

clean:
	@rm -rf $(VENV) out build dist .pytest_cache .ruff_cache .hypothesis
