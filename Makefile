# The only commands there are. Each makes what it needs in a private .venv; Python 3.11 or newer is enough.
#   make run     a collector with three example collections and made-up people, in your browser; Ctrl-C ends it
#   make example a survey of four cities, from answers to shares with error bars, in the terminal
#   make test    the quick tier, on all cores: every room, every law at small sizes; below four minutes on two cores
#   make test-all  every test; some half an hour
#   make fuzz    hostile documents, new ones each time, for some MINUTES
#   make soak    the long forms: 200 kills of each store, 100 power losses of each kind, 1000 flipped bits,
#                a million hostile requests, 1000 slow clients, error bars in full; leave it overnight
#   make cover   the same as test-all, and how much of the code is reached; slower
#   make lint    style, types, and the direction of imports
#   make client  the minified modules of the client and their types in client/dist, with their sizes and hashes
#   make pages   what the pages need besides their own files: the chart library and the client, minified
#   make screenshots  every page in both themes, for the documentation
#   make figures  the drawings of the documentation
#   make bench   speed and accuracy, as ratios in one run
#   make docs    the documentation, as pages in docs/_build/html
.PHONY: run example test test-all fuzz soak cover lint client pages screenshots figures bench docs

PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --no-input install -qq --no-compile
PYTEST := $(BIN)/python -m pytest --quiet --numprocesses auto
NODE := $(BIN)/node
SOURCES := client/bundle.mjs $(wildcard client/src/*.js client/src/laws/*.js client/src/element/*)
PAGES := $(wildcard src/discreet/collector/pages/*.js src/discreet/collector/pages/*.css src/discreet/collector/pages/languages/*.js src/discreet/collector/pages/languages/*/*.js)
DIST := client/dist/.done
MADE := src/discreet/collector/pages/made/.done
READY := .venv/dev.done $(DIST) $(MADE)

run: .venv/run.done $(MADE)
	@$(BIN)/python -m discreet.gallery.demo $(OPTIONS)

example: .venv/run.done
	@$(BIN)/python -m discreet.gallery.example

test: $(READY)
	@echo "test: pytest, the quick tier"
	@$(PYTEST) -m "not long"

test-all: $(READY)
	@echo "test-all: pytest"
	@$(PYTEST)

MINUTES ?= 10
fuzz: .venv/dev.done
	@echo "fuzz: changed documents for $(MINUTES) minutes"
	@FUZZ_MINUTES=$(MINUTES) $(BIN)/python -m pytest --quiet tests/hostile/test_fuzz.py

SOAKED := kills power simulation replay sqlite_check sqlite_in_use clock batching mixing postgres_processes service_contract service_fuzz \
	service_openapi service_soak
soak: .venv/dev.done
	@echo "soak: $(SOAKED) coverage"
	@SOAK=1 $(BIN)/python -m pytest -rP --timeout 3600 $(SOAKED:%=tests/collector/test_%.py) tests/analysis/test_coverage.py tests/analysis/test_gate*.py

# Simulations of many surveys say nothing new of the code they reach, and are slow where every line is noted.
SIMULATIONS := $(wildcard tests/analysis/test_gate*.py) tests/analysis/test_coverage.py tests/analysis/test_separation.py \
	tests/collector/test_form_coverage.py
cover: $(READY)
	@echo "cover: pytest with coverage, without simulations"
	@$(PYTEST) --cov --cov-report=term $(SIMULATIONS:%=--ignore %)
	@echo "cover: pytest, simulations"
	@$(PYTEST) $(SIMULATIONS)

lint: $(READY)
	@echo "lint: ruff check"
	@$(BIN)/ruff check --quiet .
	@echo "lint: ruff format --check"
	@$(BIN)/ruff format --quiet --check .
	@echo "lint: codespell"
	@$(BIN)/codespell
	@echo "lint: mypy --strict"
	@$(BIN)/mypy --no-error-summary
	@echo "lint: lint-imports"
	@$(BIN)/lint-imports --no-logo
	@echo "lint: tsc"
	@$(NODE) client/node_modules/typescript/bin/tsc --project client

client: client/node_modules/.done
	@$(NODE) client/build.mjs

pages: $(MADE)

screenshots: $(READY)
	@echo "screenshots: docs/pictures"
	@$(BIN)/python docs/screenshots.py

figures: .venv/docs.done
	@$(BIN)/python docs/draw.py

bench: .venv/bench.done
	@$(BIN)/python bench/run.py

docs: .venv/docs.done
	@echo "docs: building docs/_build/html"
	@$(BIN)/python -m sphinx -W --keep-going -q -b html docs docs/_build/html
	@echo "docs: checking links and anchors"
	@$(BIN)/python docs/check_links.py docs/_build/html

# What each command needs, pinned; a file that changes is installed again.
.venv/%.done: requirements/%.txt .venv/build.done
	@echo "setup: installing requirements/$*.txt"
	@$(PIP) --no-build-isolation -r $<
	@touch $@

# Node comes with requirements/dev.txt; what the client is built and tried with is pinned in client/package-lock.json.
client/node_modules/.done: client/package-lock.json client/package.json | .venv/dev.done
	@echo "setup: installing client/package-lock.json"
	@cd client && PATH="$(CURDIR)/$(BIN):$$PATH" npm ci --silent
	@$(NODE) client/tests/chromium.mjs > /dev/null
	@touch $@

# The client as it is shipped; nothing of it is committed.
$(DIST): client/node_modules/.done client/build.mjs client/bundle_element.mjs $(PAGES) client/tsconfig.json client/tsconfig.types.json $(SOURCES)
	@echo "setup: building client/dist"
	@$(NODE) client/build.mjs > /dev/null

# The chart library and the client for the pages, by whichever Node is installed first; nothing of it is committed.
pages/node_modules/.done: pages/package-lock.json pages/package.json | .venv/build.done
	@test -x $(BIN)/node || $(MAKE) --no-print-directory .venv/run.done
	@echo "setup: installing pages/package-lock.json"
	@cd pages && PATH="$(CURDIR)/$(BIN):$$PATH" npm ci --silent
	@touch $@

$(MADE): pages/node_modules/.done pages/build.mjs pages/plot.js pages/h3.js pages/qr.js $(SOURCES) $(wildcard src/discreet/collector/pages/*.js)
	@echo "setup: building src/discreet/collector/pages/made"
	@$(NODE) pages/build.mjs > /dev/null

# First the pinned build tools, and with them the project itself, where it stands.
.venv/build.done: requirements/build.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Python 3.11 or newer is needed; name one: make PYTHON=python3.12 run" >&2; exit 1; }
	@echo "setup: making .venv"
	@$(PYTHON) -m venv .venv
	@$(PIP) -r $<
	@$(PIP) --no-build-isolation --no-deps --editable .
	@touch $@
