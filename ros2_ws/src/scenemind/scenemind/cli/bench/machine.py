"""On what a measurement was taken: the numbers mean nothing without it."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

_PACKAGES = (
    "scenemind",
    "numpy",
    "scipy",
    "opencv-python-headless",
    "onnxruntime",
    "openvino",
    "torch",
    "ultralytics-opencv-headless",
    "rclpy",
)
_CPU_INFO = Path("/proc/cpuinfo")


def machine() -> dict[str, object]:
    """Processor, how many of its cores this process may use, and the system."""
    return {
        "cpu": _cpu_name(),
        "cores": len(os.sched_getaffinity(0)),
        "system": f"{platform.system()} {platform.machine()}",
    }


def versions() -> dict[str, str]:
    """Of Python and of the installed packages that the time goes into."""
    found = {"python": platform.python_version()}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:  # rclpy where ROS 2 is sourced has no wheel
            continue
    return found


def _cpu_name() -> str:
    if _CPU_INFO.is_file():
        for line in _CPU_INFO.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or "unknown"
