#!/usr/bin/env bash
# Install the dependencies of the extras and run their tests. Called by `make test-extras`.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# install PACKAGE TESTS: with apt if permitted, otherwise the tests are skipped.
install() {
  if [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null; then
    echo "Installing $1"
    { apt-get update -qq && apt-get install -y -qq --no-install-recommends "$1"; } >/dev/null ||
      echo "$1 could not be installed: the tests of $2 will be skipped"
  else
    echo "$1 is not installed (sudo apt install $1): the tests of $2 will be skipped"
  fi
}

# The report and the view are opened in a real browser.
command -v chromium chromium-browser google-chrome >/dev/null || install chromium "the browser view"
# METEOR and its tokenizer are Java programs.
command -v java >/dev/null || install default-jre-headless METEOR

# Open3D's wheels are linked with it.
.venv/bin/python -c "import ctypes; ctypes.CDLL('libusb-1.0.so.0')" 2>/dev/null ||
  install libusb-1.0-0 "surfaces (Open3D)"

# Installed packages stay: on a GPU machine torch has CUDA.
if ! .venv/bin/python -c "import importlib.util as u, sys
sys.exit(not all(map(u.find_spec, ('lap', 'onnx', 'open_clip', 'open3d', 'openvino', 'playwright', 'pycocoevalcap',
'ray', 'segment_anything', 'torch', 'transformers', 'ultralytics'))))"; then
  echo "Installing Open3D, OpenVINO, playwright, pycocoevalcap, Ray, segment-anything, torch, transformers and ultralytics (AGPL-3.0), 2.7 GB"
  .venv/bin/python -m pip install -q --disable-pip-version-check --no-compile \
    -c requirements/constraints.txt -r requirements/extras-cpu.txt
fi
export YOLO_CONFIG_DIR="$PWD/.venv/ultralytics"  # keeps its settings out of the home folder

exec .venv/bin/python -m scenemind.ros_environment -- .venv/bin/python -m pytest -m extras \
  --numprocesses 2 --dist loadfile
