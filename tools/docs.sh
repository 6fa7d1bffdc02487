#!/usr/bin/env bash
# Build the documentation site strictly, then check spelling and prose. Called by `make docs`.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if ! .venv/bin/python -c "import codespell_lib, material, mkdocstrings_handlers.python, proselint" 2>/dev/null; then
  .venv/bin/python -m pip install -q --disable-pip-version-check --no-compile \
    -c requirements/constraints.txt -r requirements/docs.txt
fi
# material warns of a future mkdocs; the pin says which one is meant.
export NO_MKDOCS_2_WARNING=1
.venv/bin/python -m scenemind.ros_environment -- .venv/bin/python -m mkdocs build
echo "site/index.html"

# Words that are meant are named in pyproject.toml; checks of prose in tools/prose.json.
.venv/bin/python -m codespell_lib *.md docs ros2_ws/src/scenemind ros2_ws/src/scenemind_interfaces \
  ros2_ws/src/scenemind_ros benchmarks examples tools
.venv/bin/proselint check --config tools/prose.json *.md docs/*.md
