#!/usr/bin/env bash
# Install what the extras need and run their tests. Called by `make test-extras`.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# The report and the view are opened in a real browser where there is one or apt can install it.
if ! command -v chromium chromium-browser google-chrome >/dev/null; then
  if [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null; then
    echo "Installing chromium"
    { apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium; } >/dev/null ||
      echo "chromium could not be installed: the browser tests will be skipped"
  else
    echo "No chromium here (sudo apt install chromium): the browser tests will be skipped"
  fi
fi

# What is there already stays: on a GPU machine it is a torch with CUDA.
if ! .venv/bin/python -c "import importlib.util as u, sys
sys.exit(not all(map(u.find_spec, ('lap', 'onnx', 'open_clip', 'openvino', 'playwright', 'pycocoevalcap',
'segment_anything', 'torch', 'transformers', 'ultralytics'))))"; then
  echo "Installing OpenVINO, playwright, pycocoevalcap, segment-anything, torch, transformers and ultralytics (AGPL-3.0), 2.0 GB"
  .venv/bin/python -m pip install -q --disable-pip-version-check \
    -c requirements/constraints.txt -r requirements/extras-cpu.txt
fi
export YOLO_CONFIG_DIR="$PWD/.venv/ultralytics"  # its settings stay out of the home folder

exec .venv/bin/python -m scenemind.cli.ros_environment -- .venv/bin/python -m pytest -m extras
