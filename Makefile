# Targets: make setup | demo | test | bench | check | test-extras | clean

PYTHON ?= python3
VENV   := .venv
PY     := $(VENV)/bin/python
# Runs a command in the ROS environment, with nothing sourced.
IN_ROS := $(PY) -m scenemind.ros_environment --
# Three test processes, as tests of nodes wait much; all tests of a file run in one of them, and
# share its maps and nodes.
WORKERS := --numprocesses 3 --dist loadfile --no-loadscope-reorder
# Tests start some hundred processes, which would compile all modules again each.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: help setup demo test test-extras bench check clean

help:  ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup:  ## Make .venv, build the ROS 2 workspace (PYTHON=python3.12 picks the interpreter)
	@$(PYTHON) tools/setup_workspace.py

demo: setup  ## Map a simulated room and ask about it; SEQUENCE=<folder or bag> maps a recording
	@$(VENV)/bin/scenemind demo $(if $(SEQUENCE),"$(SEQUENCE)")

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

clean:  ## Remove the virtual environment, the build and all reports
	rm -rf $(VENV) ros2_ws/build ros2_ws/install ros2_ws/log demo-report bench-report \
	  .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find ros2_ws/src -name '*.egg-info' -prune -exec rm -rf {} +
	find . -name __pycache__ -not -path './.git/*' -prune -exec rm -rf {} +
