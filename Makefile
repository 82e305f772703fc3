# The few words of this project. Set-up happens by itself, into .venv, from the lock files in requirements/.

.DEFAULT_GOAL := help
.NOTPARALLEL:
.DELETE_ON_ERROR:
SHELL := /bin/sh
NAME ?= startup

VENV := .venv
PYTHON := $(VENV)/bin/python
PIP := $(PYTHON) -m pip --quiet --quiet --disable-pip-version-check --no-input
# One stamp per set of packages: it is renewed when its lock file, or what says how to install the project, changes.
RUN := $(VENV)/.installed-run
LOCAL := $(VENV)/.installed-local
CLOUD := $(VENV)/.installed-cloud
DEV := $(VENV)/.installed-dev
COMPILE := $(PYTHON) -m uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header \
  --no-emit-index-url $(UPGRADE)

.PHONY: help demo test test-real lint types bench golden schemas lock clean

help: ## Print these words.
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' Makefile

demo: $(RUN) $(LOCAL) ## Compare two pull requests with a real, tiny, local model: no key, nothing leaves the machine.
	@$(PYTHON) examples/demo/run.py

test: $(DEV) ## Run the tests that need no key, no model and no network.
	@$(PYTHON) -m pytest -q -m "not real and not slow" $(ARGS)

test-real: $(DEV) $(LOCAL) $(CLOUD) ## Run the tests with real parts (embedded model, cloud clients) and the slow ones.
	@$(PYTHON) -P -m skilldelta local-model install
	@$(PYTHON) -m pytest -q -m "real or slow" $(ARGS)

lint: $(DEV) ## Check style and format.
	@$(PYTHON) -m ruff check --quiet .
	@$(PYTHON) -m ruff format --quiet --check .

types: $(DEV) ## Check types, strictly.
	@$(PYTHON) -m mypy

bench: $(DEV) ## Measure: make bench NAME=startup runs bench/startup.py; its last line is one JSON object.
	@PYTHONPATH=tests $(PYTHON) bench/$(NAME).py $(ARGS)

golden: $(DEV) ## Write the golden texts of the tests anew, to be read in the diff.
	@SKILLDELTA_RENEW_GOLDEN=1 $(PYTHON) -m pytest -q -m "not real and not slow" $(ARGS)
	@git status --short -- tests/golden

schemas: $(RUN) ## Write anew what is made from the models.
	@$(PYTHON) dev/renew.py

lock: $(RUN) ## Renew requirements/ from pyproject.toml; UPGRADE=--upgrade takes the newest versions.
	@$(PIP) install --require-hashes -r requirements/lock.txt
	@$(COMPILE) pyproject.toml -o requirements/run.txt
	@$(COMPILE) pyproject.toml --extra local -c requirements/run.txt -o requirements/local.txt
	@$(COMPILE) pyproject.toml --extra bedrock --extra vertex -c requirements/run.txt -o requirements/cloud.txt
	@$(COMPILE) --group build -c requirements/run.txt -o requirements/build.txt
	@$(COMPILE) pyproject.toml --group dev -c requirements/run.txt -c requirements/build.txt -o requirements/dev.txt
	@$(COMPILE) --group lock -o requirements/lock.txt
	@git status --short -- requirements

clean: ## Remove the environment, caches and what the demo wrote.
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis build dist demo-output
	find src tests bench dev examples -name __pycache__ -type d -prune -exec rm -rf {} +

$(PYTHON):
	@sh dev/make_venv.sh $(VENV)

$(RUN): requirements/run.txt requirements/build.txt pyproject.toml | $(PYTHON)
	@echo "installing what skilldelta needs" >&2
	@$(PIP) install --require-hashes -r requirements/run.txt -r requirements/build.txt
	@$(PIP) install --no-deps --no-build-isolation --editable .
	@touch $@

$(LOCAL): requirements/local.txt | $(RUN)
	@echo "installing the engine of the embedded model" >&2
	@$(PIP) install --require-hashes -r requirements/local.txt
	@touch $@

$(CLOUD): requirements/cloud.txt | $(RUN)
	@echo "installing the clients of Bedrock and Vertex" >&2
	@$(PIP) install --require-hashes -r requirements/cloud.txt
	@touch $@

$(DEV): requirements/dev.txt | $(RUN)
	@echo "installing the tools for tests" >&2
	@$(PIP) install --require-hashes -r requirements/dev.txt
	@touch $@
