# make demo         install into .venv and show what riskcard does
# make test         install with the tools for development; lint, types, tests and the docs
# make test-quick   the tests that are not marked slow (under a minute once everything is compiled)
# make test-nojit   the tests of the kernels on small problems, with the kernels as plain Python
# make test-lowest  the quick tests with the lowest versions that pyproject.toml allows
# make test-bare    the quick tests without any extra: no pandas, no matplotlib, no solvers
# make test-all     install the programs that exports run in (as root on Debian); the tests that need them
# make coverage     which lines the tests run: a table here, pages in htmlcov/ (without the kernels)
# make docs         the docs as a site that opens from the folder site/, without a network
# make dist         a wheel and an sdist in dist/, checked
# make benchmark    riskcard against the field, into docs/benchmarks.md (hours; DATA=folder of tables)
# make benchmark-quick  ratios and exact counts against the reference (under 3 minutes)
# make mutation     put small faults into audit, evaluation and bounds: do the tests notice?
# make format       format the code and fix what ruff can fix
# make clean        remove .venv and everything that was generated

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

# tests of the kernels whose problems are small enough for plain Python
NOJIT := tests/test_atoms.py tests/test_bounds.py tests/test_hull.py \
  tests/test_ranks.py tests/test_search.py tests/test_sets.py

.PHONY: help demo test test-quick test-nojit test-lowest test-bare test-all coverage docs dist \
  benchmark benchmark-quick format clean

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

test-quick: $(VENV)/.installed-dev
	$(BIN)/python -m pytest -n 2 -m 'not slow'

# An index out of bounds is an error here; compiled code reads what is there. Whole numbers that wrap
# around and divisions by zero are meant, but numpy warns of them.
test-nojit: $(VENV)/.installed-dev
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -n 2 -m 'not slow' -W ignore::RuntimeWarning $(NOJIT)

# Other versions of numba must not meet in one folder of compiled code.
test-lowest: $(VENV)-lowest/.installed
	NUMBA_CACHE_DIR=$(abspath $(VENV)-lowest)/compiled $(VENV)-lowest/bin/python -m pytest -n 2 -m 'not slow' tests

test-bare: $(VENV)-bare/.installed
	NUMBA_CACHE_DIR=$(abspath $(VENV)-bare)/compiled $(VENV)-bare/bin/python -m pytest -n 2 -m 'not slow' tests

coverage: $(VENV)/.installed-dev
	$(BIN)/python -m pytest -n 2 --cov --cov-report=term --cov-report=html

test-all: $(VENV)/.installed-all
	.ci/tools
	$(BIN)/python -m pytest -n 2 --dist loadfile tests_all

docs: $(VENV)/.installed-docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

dist: $(VENV)/.installed-release
	rm -rf dist
	$(BIN)/python -m build --quiet
	$(BIN)/python -m twine check --strict dist/*
	$(BIN)/python .ci/check_dist.py

benchmark: $(VENV)/.installed-dev
ifeq ($(strip $(BENCHMARKS)),)
	$(BIN)/python -m benchmarks $(QUESTIONS) $(if $(DATA),--data $(DATA)) --keep $(KEEP) -o docs/benchmarks.md
else
	@for name in $(BENCHMARKS); do $(BIN)/python -m benchmarks.$$name || exit 1; done
endif

benchmark-quick: $(VENV)/.installed-dev
	OMP_NUM_THREADS=1 $(BIN)/python -m benchmarks.quick

.PHONY: mutation
mutation: $(VENV)/.installed-dev
	$(BIN)/python tests/mutation

format: $(VENV)/.installed-dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:
	rm -rf $(VENV) $(VENV)-lowest $(VENV)-bare build dist site htmlcov .coverage
	rm -rf .pytest_cache .mypy_cache .ruff_cache .hypothesis
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

$(VENV)/.installed-release: pyproject.toml
	@$(MAKE) --no-print-directory $(VENV)-made
	$(PIP) -e '.[release]'
	@touch $@ $(VENV)/.installed

$(VENV)-lowest/.installed: pyproject.toml
	@$(MAKE) --no-print-directory VENV=$(VENV)-lowest $(VENV)-lowest-made
	$(VENV)-lowest/bin/python -m pip install --quiet --disable-pip-version-check 'tomli>=2.0.1'
	$(VENV)-lowest/bin/python .ci/lowest.py > $(VENV)-lowest/constraints.txt
	$(VENV)-lowest/bin/python -m pip install --quiet --disable-pip-version-check \
	  --constraint $(VENV)-lowest/constraints.txt -e '.[full,test]'
	@touch $@

$(VENV)-bare/.installed: pyproject.toml
	@$(MAKE) --no-print-directory VENV=$(VENV)-bare $(VENV)-bare-made
	$(VENV)-bare/bin/python -m pip install --quiet --disable-pip-version-check -e '.[test]'
	@touch $@

.PHONY: $(VENV)-made
$(VENV)-made:
	@command -v $(PYTHON) >/dev/null || { \
	  echo "There is no '$(PYTHON)'. Install Python 3.10 or newer, or name one: make PYTHON=..." >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || { \
	  echo "riskcard needs Python 3.10 or newer. Name one: make PYTHON=python3.12 ..." >&2; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { \
	  echo "'$(PYTHON) -m venv' is not available. Install it (on Debian: apt install python3-venv)." >&2; exit 1; }
	@test -x $(BIN)/pip || $(PYTHON) -m venv $(VENV)
