# Everything that people and the continuous integration run. Each target sets up what it needs.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
GO_BOT := clients/go/bin/anchorline-bot

.PHONY: setup demo test check bench soak clean

setup: $(VENV)/.ready

$(VENV)/.ready: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "make: Python 3.11 or newer is needed; name one with PYTHON=python3.11" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || \
	  { echo "make: $(PYTHON) lacks its venv module (on Debian: apt install python3-venv)" >&2; exit 1; }
	@echo "setting up $(VENV) ..."
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install -q --upgrade pip
	@$(BIN)/python -m pip install -q -c constraints.txt -e '.[server]' --group dev
	@touch $@

# A round-robin between real bot processes on this machine, with its tables.
demo: setup go-bot
	@if [ -x $(GO_BOT) ]; then \
	  $(BIN)/harbourmaster demo --into demo --bot gopher=$(GO_BOT); \
	else \
	  $(BIN)/harbourmaster demo --into demo; \
	fi

# The bot in Go takes part where there is a Go toolchain.
.PHONY: go-bot
go-bot:
	@if command -v go >/dev/null 2>&1; then \
	  cd clients/go && go build -buildvcs=false -o bin/anchorline-bot ./cmd/anchorline-bot || \
	  echo "make: the Go bot could not be built and does not take part" >&2; \
	fi

test: setup
	@$(BIN)/python -m pytest -q

# What must hold before a change lands: format, lint, types, protocol, generated code, documents.
check: setup
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	cd proto && ../$(BIN)/buf lint
	cd proto && ../$(BIN)/buf format -d --exit-code
	@tag=$$(git describe --tags --abbrev=0 --match 'v[0-9]*' 2>/dev/null); \
	if [ -n "$$tag" ]; then \
	  echo "buf breaking against $$tag"; \
	  $(BIN)/buf breaking proto --against ".git#tag=$$tag,subdir=proto"; \
	else \
	  echo "buf breaking: there is no release yet to compare with"; \
	fi
	$(BIN)/python proto/generate.py --check
	$(BIN)/python -m pytest -q tests/repository

# The rules, beside the gin rummy of two other libraries where those can be installed; the referee.
bench: setup
	@$(BIN)/python -m pip install -q -c constraints.txt -e '.[server,bench]' || \
	  echo "make: OpenSpiel and RLCard could not be installed and are left out" >&2
	$(BIN)/harbourmaster bench engine --json build/bench-engine.json
	$(BIN)/harbourmaster bench referee --json build/bench-referee.json

# Long runs: soak, chaos and fuzzing.
soak: setup
	$(BIN)/python -m pytest -q -m soak --timeout 3600

clean:
	rm -rf $(VENV) .venv-codegen build dist demo .mypy_cache .ruff_cache .pytest_cache .hypothesis clients/go/bin
