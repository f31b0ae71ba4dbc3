# Needs python3 (>= 3.11) and make. `make` alone lists what there is to do.
PYTHON ?= python3
VENV   ?= .venv
BIN     = $(VENV)/bin
unexport PYTHONDONTWRITEBYTECODE
export PIP_DISABLE_PIP_VERSION_CHECK = 1

.PHONY: help demo quick room test tests test-all cov bench soak score man picture translate fmt lint clean install

help:
	@echo 'make demo      build .venv, install ia, run the main job on the simulated market'
	@echo 'make quick     lint and the tests without processes: the signal after a change, in two minutes'
	@echo 'make room R=ledger  the tests of one room (tests/unit/*/ledger), of what imports it, and of the floors'
	@echo 'make test      lint, types, documentation and all tests, with the python3 at hand'
	@echo 'make test-all  the tests with each of python3.11 to 3.14 that is there'
	@echo 'make cov       the branch coverage of each room'
	@echo 'make bench     the benchmarks, as a table of ratios'
	@echo 'make soak      the long versions of the random tests'
	@echo 'make score     how many questions of reviewers the embedded analyst answers rightly'
	@echo 'make translate bring new and changed texts into the Chinese catalog, and list what is left to translate'
	@echo 'make picture   draw the picture of README again, from the simulated market'
	@echo 'make man       write the man pages again from the help texts'

$(VENV)/made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo 'ia needs Python 3.11 or newer: make PYTHON=python3.12 …' >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install -q --upgrade pip
	touch $@

# The program as a user gets it: a copy in site-packages, bytecode compiled.
$(VENV)/installed: $(VENV)/made pyproject.toml constraints.txt $(shell find lib cli profiles man -type f -not -name '*.pyc' 2>/dev/null)
	$(BIN)/python -m pip install -q -c constraints.txt .
	touch $@

$(VENV)/tools: $(VENV)/made pyproject.toml constraints.txt
	$(BIN)/python -m pip install -q -c constraints.txt --group test
	touch $@

install: $(VENV)/installed

demo: $(VENV)/installed
	@PATH="$(CURDIR)/$(BIN):$$PATH" sh tests/support/demo.sh

lint: $(VENV)/tools
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

quick: $(VENV)/installed lint
	$(BIN)/python -m pytest -n 3 --dist worksteal -m 'not soak and not process' tests/unit tests/conformance tests/arch

# The tests of one room of lib/ia, those that import it, and the floors. A failed run is tried again with
# `make room R=ledger ARGS=--lf`.
room: $(VENV)/installed $(VENV)/tools
	@[ -n '$(R)' ] || { echo 'usage: make room R=ledger [ARGS=--lf]' >&2; exit 2; }
	@ls -d lib/ia/*/$(R) lib/ia/*/$(R).py 2>/dev/null | grep -q . || { echo 'make room: lib/ia has no room $(R)' >&2; exit 2; }
	$(BIN)/python -m pytest -n 2 --dist worksteal -m 'not soak and not process' $(ARGS) tests/arch/test_layers.py \
	  $$(ls -d tests/unit/*/$(R) tests/unit/*/test_$(R).py 2>/dev/null) \
	  $$(grep -rlE '\bia\.\w+\.$(R)\b|from ia\.\w+ import .*\b$(R)\b' tests/unit tests/conformance --include='test_*.py')

# Many tests wait for processes and clocks: four at once keep two cores busy, and lint runs beside them.
test: $(VENV)/installed $(VENV)/tools
	@$(MAKE) --no-print-directory -j2 lint tests

# In a fresh checkout the tests are compiled once, not by each of the workers at the same time. What failed beside all the
# others, on a machine that was too slow for its clocks, is asked once more by itself; what is wrong fails again. Both
# runs are printed.
tests:
	@rm -f .pytest_cache/v/cache/lastfailed
	@ls tests/__pycache__/conftest.*-pytest-*.pyc >/dev/null 2>&1 || $(BIN)/python -m pytest --collect-only -qq >/dev/null 2>&1 || true
	$(BIN)/python -m pytest -n 4 --dist worksteal -m 'not soak' || { [ $$? = 1 ] && \
	  echo '== once more, one at a time:' && $(BIN)/python -m pytest --last-failed --last-failed-no-failures none --maxfail 5 -m 'not soak'; }

test-all:
	@for version in 3.11 3.12 3.13 3.14; do \
	  if command -v python$$version >/dev/null && python$$version -c 1 2>/dev/null; then \
	    echo "== python$$version"; $(MAKE) test PYTHON=python$$version VENV=.venv-$$version || exit 1; \
	  else echo "== python$$version is not here"; fi; \
	done

# Processes that tests start or fork are measured, too, but for the locked workers of `ia compute`.
cov: $(VENV)/installed $(VENV)/tools
	$(BIN)/python -m pytest -n 4 --dist worksteal -m 'not soak' --cov --cov-report= tests/unit tests/conformance tests/arch tests/cli
	$(BIN)/python tests/support/coverage_by_room.py

bench: $(VENV)/installed
	$(BIN)/python -m compileall -q $(VENV)/lib >/dev/null || true
	$(BIN)/python tests/bench/run.py

soak: $(VENV)/installed $(VENV)/tools
	IA_SOAK=1 $(BIN)/python -m pytest -n 2 --dist worksteal -m 'soak or random'

score: $(VENV)/installed $(VENV)/tools
	$(BIN)/python tests/questions/score.py

man: $(VENV)/installed
	$(BIN)/python -m ia_cli.man_pages man

translate: $(VENV)/installed $(VENV)/tools
	$(BIN)/python lib/translation/translate.py

fmt: $(VENV)/tools
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:
	rm -rf .venv* build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .coverage*

picture: $(VENV)/installed
	@PATH="$(CURDIR)/$(BIN):$$PATH" sh tests/support/readme_picture.sh
