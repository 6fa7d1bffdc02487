"""The environment of a process that speaks ROS 2, with nothing sourced.

`python -m scenemind.ros_environment -- COMMAND ...` runs a command in it.
"""

from __future__ import annotations

import json
import os
import socket
import sys
import tempfile
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from scenemind.errors import SceneMindError

WORKSPACE_VARIABLE = "SCENEMIND_WS"
# Written by tools/setup_workspace.py: the ROS 2 that the workspace was built on.
UNDERLAY_FILE = "scenemind_ros_underlay.json"
INTERFACES = "scenemind_interfaces"
# Up to 101 a domain's ports never collide with those that the system hands out; low ones are
# what people choose by hand.
_PRIVATE_DOMAINS = range(40, 102)
_CLAIMS: list[socket.socket] = []  # open as long as the process


class RosEnvironmentError(SceneMindError, RuntimeError):
    """The ROS 2 workspace is not where it should be or not built."""


class _Underlay(NamedTuple):
    paths: Mapping[str, Sequence[str]]
    variables: Mapping[str, str]


def ros_environment(base: Mapping[str, str] | None = None) -> dict[str, str]:
    """Variables for a child process that imports rclpy and the interfaces.

    What is sourced already stays; what it has set (such as a DDS profile) wins over ours.

    Args:
        base: variables to start from; None for those of this process.

    Raises:
        RosEnvironmentError: the workspace is not built.
    """
    environment = dict(os.environ if base is None else base)
    install = find_workspace(environment) / "install"
    underlay = _read_underlay()

    # One prefix a package (colcon's default), or the folder itself (--merge-install).
    prefixes = [p for p in (install, *sorted(install.iterdir())) if (p / "share").is_dir()]
    modules = _interface_modules(install)
    paths = {
        "AMENT_PREFIX_PATH": [str(prefix) for prefix in prefixes],
        "LD_LIBRARY_PATH": [str(prefix / "lib") for prefix in prefixes if _has_libraries(prefix)],
        # Only the interfaces: the two Python packages run from their sources.
        "PYTHONPATH": [str(module.parent) for module in modules],
    }
    for name, ours in paths.items():
        sourced = [entry for entry in environment.get(name, "").split(os.pathsep) if entry]
        wanted = [*ours, *underlay.paths.get(name, ())]
        new = [entry for entry in dict.fromkeys(wanted) if entry not in sourced]
        environment[name] = os.pathsep.join([*new, *sourced])

    for name, value in {**underlay.variables, **_dds_profile(prefixes, environment)}.items():
        environment.setdefault(name, value)
    if not environment.get("HOME"):
        # rcl's logging refuses to start without a place for its files.
        environment.setdefault("ROS_LOG_DIR", str(Path(tempfile.gettempdir()) / "ros_log"))
    return environment


@cache
def private_domain() -> Mapping[str, str]:
    """Variables for a graph of this process and its children alone, on this machine only; see
    `claimed_domain`.

    Raises:
        RosEnvironmentError: every private domain is taken.
    """
    domain = claimed_domain(_PRIVATE_DOMAINS)
    return {"ROS_DOMAIN_ID": str(domain), "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST"}


def claimed_domain(domains: Sequence[int]) -> int:
    """One of these ROS domains that no other process of this machine is given, until this process
    ends, also as the program that it becomes by `exec`.

    Raises:
        RosEnvironmentError: all are taken.
    """
    first = os.getpid()
    for number in range(len(domains)):
        domain = domains[(first + number) % len(domains)]
        # The kernel gives an abstract name to one process at a time, and frees it when that ends.
        claim = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        try:
            claim.bind(f"\0scenemind-ros-domain-{domain}")
        except OSError:
            claim.close()
            continue
        claim.set_inheritable(True)  # `scenemind demo` becomes the process that starts the nodes
        _CLAIMS.append(claim)
        return domain
    taken = f"{domains[0]} to {domains[-1]}"
    raise RosEnvironmentError(
        f"all private ROS domains ({taken}) are taken: end some of their runs"
    )


def find_workspace(environment: Mapping[str, str]) -> Path:
    """Folder of the built workspace: `SCENEMIND_WS`, or the one this file stands in.

    Raises:
        RosEnvironmentError: there is none, or it is not built.
    """
    named = environment.get(WORKSPACE_VARIABLE)
    folders = [Path(named)] if named else list(Path(__file__).resolve().parents)
    for folder in folders:
        install = folder / "install"
        if (install / ".colcon_install_layout").is_file() and _interface_modules(install):
            return folder
    where = f"{WORKSPACE_VARIABLE}={named}" if named else f"no folder above {__file__}"
    raise RosEnvironmentError(
        f"{where} has a built {INTERFACES}: run `make setup` in the repository, or let "
        f"{WORKSPACE_VARIABLE} name a built ros2_ws"
    )


def _read_underlay() -> _Underlay:
    path = Path(sys.prefix) / UNDERLAY_FILE
    if not path.is_file():
        # Not made by `make setup`: then ROS 2 has been sourced by whoever built the workspace.
        return _Underlay({}, {})
    return _Underlay(**json.loads(path.read_text(encoding="utf-8")))


def _interface_modules(install: Path) -> list[Path]:
    # site-packages in a virtual environment, dist-packages with Ubuntu's own Python.
    return sorted(install.glob(f"**/*-packages/{INTERFACES}"))


def _has_libraries(prefix: Path) -> bool:
    return next((prefix / "lib").glob("*.so"), None) is not None


def _dds_profile(prefixes: Sequence[Path], environment: Mapping[str, str]) -> dict[str, str]:
    # Jazzy's Fast DDS 2 reads the old name, Fast DDS 3 the new one, and it complains of the old.
    vendor = "FASTRTPS" if environment.get("ROS_DISTRO") == "jazzy" else "FASTDDS"
    for prefix in prefixes:
        profile = prefix / "share" / "scenemind_ros" / "config" / "fastdds_profile.xml"
        if profile.is_file():
            return {f"{vendor}_DEFAULT_PROFILES_FILE": str(profile)}
    return {}


def main(arguments: Sequence[str]) -> int:
    """Replace this process by the command after `--`."""
    if len(arguments) < 2 or arguments[0] != "--":
        print("usage: python -m scenemind.ros_environment -- COMMAND ...", file=sys.stderr)
        return 2
    try:
        environment = ros_environment()
    except RosEnvironmentError as error:
        print(error, file=sys.stderr)
        return 1
    command = list(arguments[1:])
    try:
        os.execvpe(command[0], command, environment)
    except OSError as error:
        print(f"cannot run {command[0]}: {error.strerror}", file=sys.stderr)
        return 127


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
