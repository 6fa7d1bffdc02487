# Targets: make setup | demo | test | bench | check | docs | test-extras | fuzz | lock | audit | clean

PYTHON ?= python3
VENV   := .venv
PY     := $(VENV)/bin/python
# Runs a command in the ROS environment, with nothing sourced.
IN_ROS := $(PY) -m scenemind.ros_environment --
# Three test processes, as tests of nodes wait much; all tests of a file run in one of them, and
# share its maps and nodes.
WORKERS := --numprocesses 3 --dist loadfile --no-loadscope-reorder
UV := uv==0.13.9
LOCK := $(PY) -m uv pip compile --quiet --universal --generate-hashes --no-annotate --no-header \
  --python-version 3.10
# Tests start some hundred processes, which would compile all modules again each.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: help setup demo test test-extras bench check docs fuzz lock audit clean

help:  ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup:  ## Make .venv, build the ROS 2 workspace (PYTHON=python3.12 picks the interpreter)
	@$(PYTHON) tools/setup_workspace.py

demo: setup  ## Map a simulated room and ask about it; RECORDING=<folder or bag> maps yours
	@$(VENV)/bin/scenemind demo $(if $(RECORDING),"$(RECORDING)")

test: setup  ## Run the tests; ARGS="tests/unit -k pose" selects some
	@$(IN_ROS) $(PY) -m pytest $(WORKERS) $(ARGS)

test-extras: setup  ## Install the dependencies of the extras and run their tests
	@bash tools/test_extras.sh

bench: setup  ## Run all benchmarks
	@$(VENV)/bin/python -m benchmarks all

check: setup  ## Lint, formatting, types
	@$(PY) -m ruff check .
	@$(PY) -m ruff format --check .
	@$(PY) -m mypy

docs: setup  ## Build the documentation site into site/, check links, spelling and prose
	@bash tools/docs.sh

lock: setup  ## Write requirements/lock*.txt anew: versions of constraints.txt, with hashes
	@$(PY) -m pip install --quiet --disable-pip-version-check $(UV)
	@$(LOCK) --constraint requirements/constraints.txt --extra dev --extra view \
	  ros2_ws/src/scenemind/setup.py requirements/build.txt requirements/ros-wheels.txt \
	  --output-file requirements/lock.txt
	@echo cmake | $(LOCK) - --output-file requirements/lock-cmake.txt
	@echo $(UV) | $(LOCK) - --output-file requirements/lock-uv.txt

audit: setup  ## Known vulnerabilities of the locked packages (OSV's database); skipped offline
	@bash tools/audit.sh

fuzz: setup  ## Mutated files, replies and requests; ARGS="--seconds 600 --seed 3"
	@$(IN_ROS) $(PY) -m tests.fuzz $(ARGS)

clean:  ## Remove the virtual environment, the build and all reports
	rm -rf $(VENV) ros2_ws/build ros2_ws/install ros2_ws/log demo-report bench-report site \
	  .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find ros2_ws/src -name '*.egg-info' -prune -exec rm -rf {} +
	find . -name __pycache__ -not -path './.git/*' -prune -exec rm -rf {} +
