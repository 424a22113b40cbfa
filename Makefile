# `make` alone lists what there is. Everything runs inside .venv, which `make setup` fills from the locked files.
SHELL := /bin/bash
.DEFAULT_GOAL := help
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet --quiet
REPO ?= .
Q ?=
COUNT ?= 50
CASES ?=
MIRRORS ?=
MIRROR_MAP ?=
ARGS ?=
JOBS ?= auto
# The shell takes these from the environment, so that quotes within them are harmless.
export REPO Q

.PHONY: help setup setup-dev run clients servers test test-long test-indexer test-classifier test-retriever \
	test-orchestrator test-client golden bench-index walk-commits bench-retrieval bench-streams bench-texts \
	lint types imports contracts check proto settings-page evaluation-page format lock clean dashboards \
	eval-localization eval-questions eval-context eval-answers eval-classifier eval-understanding eval-callgraph eval-gaps \
	eval-claims

help: ## List the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  %-20s %s\n", $$1, $$2}'

# What these tell goes to stderr: stdout is for what the targets that need them print, such as one JSON object.
$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or newer is needed, this is " + sys.version.split()[0] + "; set PYTHON=") if sys.version_info < (3, 11) else None'
	@echo "Making the environment in $(VENV) ..." >&2
	@$(PYTHON) -m venv $(VENV) >&2

$(VENV)/.runtime: requirements.lock scripts/link_checkout.py pyproject.toml | $(BIN)/python
	@echo "Installing locked dependencies; the first time takes a minute or two ..." >&2
	@$(PIP) install --require-hashes --only-binary :all: -r requirements.lock >&2
	@$(BIN)/python scripts/link_checkout.py >&2
	@touch $@

$(VENV)/.dev: requirements-dev.lock $(VENV)/.runtime
	@echo "Installing locked development tools ..." >&2
	@$(PIP) install --require-hashes --only-binary :all: -r requirements-dev.lock >&2
	@touch $@

setup: $(VENV)/.runtime ## Make .venv with what the services and the command line need

setup-dev: $(VENV)/.dev ## The same, with the development tools

run: setup ## Start the four services, index REPO (path or URL), answer Q on screen
	@$(BIN)/cgrag demo --repo "$$REPO" --question "$$Q" $(ARGS)

clients: setup-dev ## Build the clients of docs/clients for their tests: TypeScript, Go, Java, as far as their tools are here
	@scripts/build_clients.sh

servers: setup-dev ## Fetch Prometheus and Redis for the tests that run them
	@scripts/get_servers.sh

# A file's tests run in one process, one after the other: what a module or the session sets up is made once for them.
PARALLEL = --numprocesses $(JOBS) --dist loadfile
PYTEST = $(BIN)/pytest -m "not long and not alone" $(PARALLEL)
TESTS_OF = $(wildcard tests/unit/$(1) tests/contract/$(1) tests/integration/$(1) tests/integration/test_$(1)_*.py)

test: setup-dev servers ## Run all tests but the long ones, on JOBS processes [JOBS=auto]
	@$(PYTEST) $(ARGS)
	@$(BIN)/pytest -m "not long and alone" $$(grep -rl --include='*.py' pytest.mark.alone tests) $(ARGS)

test-indexer: setup-dev servers ## Run the unit, contract and integration tests of one service
	@$(PYTEST) $(call TESTS_OF,indexer) $(ARGS)

test-classifier: setup-dev
	@$(PYTEST) $(call TESTS_OF,classifier) $(ARGS)

test-retriever: setup-dev servers
	@$(PYTEST) $(call TESTS_OF,retriever) $(ARGS)

test-orchestrator: setup-dev servers
	@$(PYTEST) $(call TESTS_OF,orchestrator) $(ARGS)

test-client: setup-dev
	@$(PYTEST) $(call TESTS_OF,client) $(ARGS)

test-long: setup-dev ## Run the tests that take minutes
	@$(BIN)/pytest -m long $(ARGS)

golden: setup-dev ## Write the golden rankings anew; review the diff
	@UPDATE_GOLDEN=1 $(BIN)/pytest -q tests/integration/retriever/golden/test_ranking_golden.py \
		tests/integration/retriever/golden/test_ranking_golden_packages.py

bench-index: setup-dev ## Measure the indexer on a copy of REPO [ARGS=--json]
	@$(BIN)/python -m tests.bench.bench_index --repo "$$REPO" $(ARGS)

walk-commits: setup-dev ## Check a kept index against fresh ones over COUNT commits of the git repository REPO
	@$(BIN)/python -m tests.bench.walk_commits --repo "$$REPO" --count $(COUNT) $(ARGS)

bench-retrieval: setup-dev ## Measure the retriever on REPO [ARGS="--json --rate 8"]
	@$(BIN)/python -m tests.bench.bench_retrieval --repo "$$REPO" $(ARGS)

bench-texts: setup-dev ## Check that no name which stands in a file of REPO is called absent [ARGS="--count 200 --json"]
	@$(BIN)/python -m tests.bench.bench_texts --repo "$$REPO" $(ARGS)

bench-streams: setup-dev ## Measure the orchestrator's streams [ARGS=--json]
	@$(BIN)/python -m tests.bench.bench_streams $(ARGS)

lint: setup-dev ## Style and smells
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/python scripts/check_sizes.py
	@PYTHONPATH=. $(BIN)/python scripts/check_patterns.py

types: setup-dev ## mypy strict
	@$(BIN)/mypy

imports: setup-dev ## Who may import whom
	@$(BIN)/lint-imports

contracts: setup-dev ## buf lint, format, breaking; stubs and the page of settings are fresh
	@$(BIN)/buf lint
	@$(BIN)/buf format --diff --exit-code
	@scripts/check_breaking.sh "$(BIN)/buf"
	@PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python scripts/gen_protos.py --check
	@$(BIN)/python scripts/gen_settings_page.py --check
	@$(BIN)/python scripts/gen_evaluation_page.py --check

check: lint types imports contracts ## Everything that CI checks besides the tests

proto: setup-dev ## Generate protos/gen
	@PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python scripts/gen_protos.py

settings-page: setup-dev ## Write docs/settings.md out of what the services declare
	@$(BIN)/python scripts/gen_settings_page.py

evaluation-page: setup-dev ## Write docs/evaluation.md out of docs/evaluation.toml
	@$(BIN)/python scripts/gen_evaluation_page.py

format: setup-dev ## Format code and contracts
	@$(BIN)/ruff check --fix --exit-zero --quiet .
	@$(BIN)/ruff format --quiet .
	@$(BIN)/buf format -w

lock: ## Resolve the locked files anew (needs uv)
	uv pip compile -q pyproject.toml --extra services --extra mcp --universal --python-version 3.11 --generate-hashes --no-annotate --custom-compile-command "make lock" -o requirements.lock
	uv pip compile -q pyproject.toml --all-extras -c requirements.lock --universal --python-version 3.11 --generate-hashes --no-annotate --custom-compile-command "make lock" -o requirements-dev.lock

EVAL = $(BIN)/cgrag eval
CASES_FLAG = $(if $(CASES),--cases "$(CASES)")
MIRRORS_FLAGS = $(if $(MIRRORS),--mirrors "$(MIRRORS)") $(if $(MIRROR_MAP),--mirror-map "$(MIRROR_MAP)")

eval-localization: setup ## Score Search on problem texts: CASES= MIRRORS= or MIRROR_MAP= [ARGS=--json]
	@$(EVAL) localization $(CASES_FLAG) $(MIRRORS_FLAGS) $(ARGS)

eval-questions: setup ## Score Retrieve on questions: CASES= MIRRORS= or MIRROR_MAP= [ARGS=--json]
	@$(EVAL) questions $(CASES_FLAG) $(MIRRORS_FLAGS) $(ARGS)

eval-context: setup ## Score the lines that answers are made from: CASES= MIRRORS= or MIRROR_MAP= [ARGS=--json]
	@$(EVAL) context $(CASES_FLAG) $(MIRRORS_FLAGS) $(ARGS)

eval-answers: setup ## Score whole answers: CASES= MIRRORS= or MIRROR_MAP=, or ARGS="--folder DIR --capture DIR"
	@$(EVAL) answers $(CASES_FLAG) $(MIRRORS_FLAGS) $(ARGS)

eval-classifier: setup ## Score the classifier on labelled questions: CASES= [ARGS=--json]
	@$(EVAL) classifier $(CASES_FLAG) $(ARGS)

eval-understanding: setup ## Score how questions are understood: CASES= [ARGS=--json]
	@$(EVAL) understanding $(CASES_FLAG) $(ARGS)

eval-callgraph: setup ## Score the call graph on cases with known edges: CASES= [ARGS=--json]
	@$(EVAL) callgraph $(CASES_FLAG) $(MIRRORS_FLAGS) $(ARGS)

eval-gaps: setup ## Score gap outcomes on a repository, bare or not: REPO= [ARGS=--json]
	@$(EVAL) gaps --repo "$(REPO)" $(ARGS)

eval-claims: setup ## Score verdicts on statements about a repository, bare or not: REPO= [ARGS=--json]
	@$(EVAL) claims --repo "$(REPO)" $(ARGS)

clean: ## Remove the environment and caches (not the indexes)
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

dashboards: setup-dev ## Write dashboards from code, and the alerts for the Prometheus operator
	@$(BIN)/python -m deploy.grafana.dashboards
	@$(BIN)/python -m deploy.prometheus.operator
