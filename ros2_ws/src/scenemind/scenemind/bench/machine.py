"""The machine and the versions that a measurement was taken on, and measurements in child
processes.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from scenemind.errors import UsageError

_PACKAGES = (
    "scenemind",
    "numpy",
    "scipy",
    "opencv-python-headless",
    "onnxruntime",
    "onnxruntime-gpu",
    "openvino",
    "tensorrt",
    "torch",
    "ultralytics-opencv-headless",
    "rclpy",
)
_CPU_INFO = Path("/proc/cpuinfo")


def machine() -> dict[str, object]:
    """Processor, number of cores that this process may use, GPUs with memory and driver, and the
    system."""
    return {
        "cpu": _cpu_name(),
        "cores": len(os.sched_getaffinity(0)),
        "gpu": "; ".join(_gpus()) or "none",
        "system": f"{platform.system()} {platform.machine()}",
    }


def versions() -> dict[str, str]:
    """Versions of Python and of the installed packages that take the time."""
    found = {"python": platform.python_version()}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:  # rclpy where ROS 2 is sourced has no wheel
            continue
    return found


def _gpus() -> list[str]:
    """NVIDIA's GPUs, as their driver names them."""
    if shutil.which("nvidia-smi") is None:
        return []
    asked = ["--query-gpu=name,memory.total,driver_version", "--format=csv,noheader"]
    done = subprocess.run(
        ["nvidia-smi", *asked], capture_output=True, text=True, timeout=30.0, check=False
    )
    return done.stdout.splitlines() if done.returncode == 0 else []


def _cpu_name() -> str:
    if _CPU_INFO.is_file():
        for line in _CPU_INFO.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or "unknown"


def run_module(
    module: str,
    arguments: Sequence[str],
    environment: Mapping[str, str],
    timeout_s: float | None = None,
) -> dict[str, Any]:
    """Run `python -m module` and return the JSON object in the last line that it prints.

    Raises:
        UsageError: it failed, took too long, or printed no JSON object.
    """
    command = [sys.executable, "-m", module, *arguments]
    try:
        done = subprocess.run(
            command,
            env=dict(environment),
            stdout=subprocess.PIPE,
            text=True,
            timeout=timeout_s,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise UsageError(f"{module} did not end within {timeout_s:g} s") from error
    if done.returncode != 0:
        raise UsageError(f"{module} failed with status {done.returncode}")
    lines = done.stdout.splitlines()
    try:
        found = json.loads(lines[-1] if lines else "")
    except json.JSONDecodeError as error:
        raise UsageError(f"{module} printed no result, but {done.stdout[-200:]!r}") from error
    if not isinstance(found, dict):
        raise UsageError(f"{module} printed {found!r}, not a JSON object")
    return found
