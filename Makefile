# Everything is done by these names, here and in CI. `make` alone says what there is.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip install --disable-pip-version-check

QUICK := $(addprefix tests/,config convert diagnosis dsl edits engine/operator expressions lint manifest net)

# Tests start the program hundreds of times: compiled once, it starts in half the time.
unexport PYTHONDONTWRITEBYTECODE

# Tests wait for processes as often as they compute: two cores have work for four.
WORKERS = $(shell $(PYTHON) -c 'import os; print(max(4, os.cpu_count() or 1))')

.PHONY: help demo test quick cover test-cluster lint bench docs site format clean
.DEFAULT_GOAL := help

help:  ## what there is
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/:/' | awk -F: '{printf "make %-13s%s\n", $$1, $$2}'

# One environment; each stamp says what is in it, and is made anew when that is declared differently.
$(VENV)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "argojobs needs Python 3.11 or newer: make $(MAKECMDGOALS) PYTHON=python3.11"; exit 2; }
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/demo: $(VENV)/python pyproject.toml
	@echo 'Setting up $(VENV) for the demo, once: 200 MB to download, 900 MB on disk, one to three minutes.'
	$(PIP) -e '.[demo]'
	@touch $@

$(VENV)/ready: $(VENV)/python pyproject.toml
	@echo 'Setting up $(VENV) for the tests, once: 300 MB to download, 1.2 GB on disk, two to five minutes.'
	$(PIP) -e '.[demo,dev]'
	@touch $@

demo: $(VENV)/demo  ## set up what the demo needs and run it on this machine
	@echo 'Running the demo: four steps, about a minute on two cores.'
	$(BIN)/argojobs run workflows/demo.py --params '{"batch_size":2}'
	@echo 'To have the command at hand: . $(BIN)/activate'

test: $(VENV)/ready  ## set everything up and pass the tests
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder --durations=15 $(ARGS)

quick: $(VENV)/ready  ## the fast half of the tests: under a minute on two cores
	$(BIN)/python -m pytest -n auto --dist loadfile -q $(QUICK) $(ARGS)

cover: $(VENV)/ready  ## the same, and which branches of their rooms they take; a floor fails it
	$(BIN)/python -m pytest -n auto --dist loadfile -q --cov --cov-report=term $(QUICK) $(ARGS)

test-cluster: $(VENV)/ready  ## the tests on a real Kubernetes and Argo, started here (Linux, root, Go)
	$(BIN)/python -m pytest tests/cluster/suite -n 4 --dist loadfile --no-loadscope-reorder $(ARGS)

lint: $(VENV)/ready  ## ruff, mypy and the direction of imports
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/mypy --python-version 3.10 argojobs/errors.py argojobs/dsl argojobs/job argojobs/runtime
	$(BIN)/lint-imports

bench: $(VENV)/ready  ## measure the promises of speed, beside their peers
	$(BIN)/python -m benchmarks

docs: $(VENV)/ready  ## write the reference pages from the code
	$(BIN)/python scripts/reference.py

site: $(VENV)/ready  ## build docs/ as a searchable site in site/; a dead link fails it
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build

format: $(VENV)/ready  ## let ruff set the layout
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:  ## remove the environment and all caches
	rm -rf $(VENV) .bench build dist site .mypy_cache .ruff_cache .pytest_cache .hypothesis
