# make demo       install into .venv and show what riskcard does
# make test       install with the tools for development; lint, types, tests and the docs
# make test-all   install the programs that exports run in (as root on Debian); the tests that need them
# make docs       the docs as a site that opens from the folder site/, without a network
# make benchmark  riskcard against the field, into docs/benchmarks.md (hours; DATA=folder of tables)
# make benchmark-quick  ratios and exact counts against the reference (under 3 minutes)
# make format     format the code and fix what ruff can fix
# make clean      remove .venv and everything that was generated

PYTHON ?= python3
VENV ?= .venv
# of the benchmark: a to f, all by default; a folder of tables; where finished work is kept;
# single modules to run instead, such as 'first_minute proofs million'
QUESTIONS ?=
DATA ?=
KEEP ?= benchmarks/results
BENCHMARKS ?=
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check

.PHONY: help demo test test-all docs benchmark benchmark-quick format clean

help:
	@sed -n 's/^# \(make .*\)/\1/p' Makefile

demo: $(VENV)/.installed
	$(BIN)/riskcard demo

test: $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m pytest -n 2
	@$(MAKE) --no-print-directory docs

test-all: $(VENV)/.installed-all
	.ci/tools
	$(BIN)/python -m pytest -n 2 --dist loadfile tests_all

docs: $(VENV)/.installed-docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

benchmark: $(VENV)/.installed-dev
ifeq ($(strip $(BENCHMARKS)),)
	$(BIN)/python -m benchmarks $(QUESTIONS) $(if $(DATA),--data $(DATA)) --keep $(KEEP) -o docs/benchmarks.md
else
	@for name in $(BENCHMARKS); do $(BIN)/python -m benchmarks.$$name || exit 1; done
endif

benchmark-quick: $(VENV)/.installed-dev
	OMP_NUM_THREADS=1 $(BIN)/python -m benchmarks.quick

format: $(VENV)/.installed-dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:
	rm -rf $(VENV) build dist site .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The package is installed in place: only a change of pyproject.toml asks for another installation.
$(VENV)/.installed: pyproject.toml
	@$(MAKE) --no-print-directory $(VENV)-made
	$(PIP) -e '.[plots]'
	@touch $@

$(VENV)/.installed-dev: pyproject.toml
	@$(MAKE) --no-print-directory $(VENV)-made
	$(PIP) -e '.[dev]'
	@touch $@ $(VENV)/.installed

$(VENV)/.installed-all: pyproject.toml
	@$(MAKE) --no-print-directory $(VENV)-made
	$(PIP) -e '.[dev,docs,test-all]'
	@touch $@ $(VENV)/.installed-dev $(VENV)/.installed-docs $(VENV)/.installed

$(VENV)/.installed-docs: pyproject.toml
	@$(MAKE) --no-print-directory $(VENV)-made
	$(PIP) -e '.[docs]'
	@touch $@ $(VENV)/.installed

.PHONY: $(VENV)-made
$(VENV)-made:
	@command -v $(PYTHON) >/dev/null || { \
	  echo "There is no '$(PYTHON)'. Install Python 3.10 or newer, or name one: make PYTHON=..." >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || { \
	  echo "riskcard needs Python 3.10 or newer. Name one: make PYTHON=python3.12 ..." >&2; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { \
	  echo "'$(PYTHON) -m venv' is not available. Install it (on Debian: apt install python3-venv)." >&2; exit 1; }
	@test -x $(BIN)/pip || $(PYTHON) -m venv $(VENV)
