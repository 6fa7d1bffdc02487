"""`make setup`: make .venv and build the ROS 2 workspace, with an installed ROS 2 or without.

Needs python3, a C++ compiler, make and git; all else comes from the package registry. A second run
takes a moment if nothing changed.
"""

from __future__ import annotations

import fcntl
import glob
import hashlib
import json
import os
import platform
import shutil
import subprocess
import sys
import sysconfig
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from machine import Ros, SetupError, check_machine, choose_ros

ROOT = Path(__file__).resolve().parents[1]
VENV = ROOT / ".venv"
VENV_PYTHON = VENV / "bin" / "python"
WORKSPACE = ROOT / "ros2_ws"
LIBRARY = WORKSPACE / "src" / "scenemind"
NODES = WORKSPACE / "src" / "scenemind_ros"
STAMP = VENV / "scenemind_setup.json"
SIGN_OF_LIFE_S = 10.0  # of a command that runs: a dot is printed
# Read by scenemind.ros_environment.
UNDERLAY = VENV / "scenemind_ros_underlay.json"

PATH_VARIABLES = ("AMENT_PREFIX_PATH", "LD_LIBRARY_PATH", "PYTHONPATH")
OTHER_VARIABLES = ("ROS_DISTRO", "ROS_VERSION", "ROS_PYTHON_VERSION")
# Variables that another ROS or another virtual environment may have left in the shell.
FOREIGN_VARIABLES = (
    *PATH_VARIABLES,
    *OTHER_VARIABLES,
    "CMAKE_PREFIX_PATH",
    "COLCON_PREFIX_PATH",
    "PYTHONHOME",
    "_ROS_WHEELS_BOOTSTRAP_COMPLETE",
)


def main() -> int:
    continue_with_chosen_python()
    try:
        check_machine()
        ros = choose_ros(read_stamp().get("ros", ""))
        print(f"ROS 2 {ros.distro}: {ros.reason}", flush=True)
        with only_one_at_a_time():
            set_up(ros)
    except SetupError as error:
        print(f"\nmake setup stopped: {error}", file=sys.stderr)
        return 1
    return 0


def continue_with_chosen_python() -> None:
    """Use the interpreter of .venv, and never run inside a .venv."""
    chosen = read_stamp().get("python", "")
    if not Path(chosen).is_file():
        chosen = getattr(sys, "_base_executable", sys.executable)
    if chosen != sys.executable:
        os.execv(chosen, [chosen, *sys.argv])


@contextmanager
def only_one_at_a_time() -> Iterator[None]:
    """Lock against two `make test` that build into the same folders."""
    with (ROOT / ".setup.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


# Steps


def set_up(ros: Ros) -> None:
    base = f"{ros.key}, Python {sys.version}, in {ROOT}"
    packages = fingerprint([base], package_inputs())
    workspace = fingerprint([packages], workspace_inputs(ros))
    done = read_stamp()
    if (done.get("packages"), done.get("workspace")) == (packages, workspace):
        print("Already set up: nothing to do")
        return
    if not ros.is_usable:
        raise SetupError(
            f"this checkout was built on ROS 2 {ros.distro}, and its sources have changed: "
            f"source /opt/ros/{ros.distro}/setup.bash and run again, or make clean to start anew"
        )

    environment = build_environment(ros)
    if done.get("packages") != packages:
        if done.get("base") != base:
            print("The first set-up takes about four minutes on two idle cores, in three steps:")
            with step("1. virtual environment .venv", "some seconds"):
                make_venv(ros, environment)
        with step("2. Python packages, downloaded and installed", "one to two minutes"):
            install_packages(ros, environment)
    with step("3. ROS 2 workspace ros2_ws, messages compiled", "two to four minutes"):
        build_workspace(environment)
    UNDERLAY.write_text(json.dumps(underlay(ros), indent=1), encoding="utf-8")
    stamp = {
        "base": base,
        "packages": packages,
        "workspace": workspace,
        "python": sys.executable,
        "ros": "" if ros.from_wheels else ros.distro,
    }
    STAMP.write_text(json.dumps(stamp, indent=1), encoding="utf-8")


def make_venv(ros: Ros, environment: Mapping[str, str]) -> None:
    for folder in (VENV, *(WORKSPACE / name for name in ("build", "install", "log"))):
        shutil.rmtree(folder, ignore_errors=True)
    options = [] if ros.from_wheels else ["--system-site-packages"]
    run([sys.executable, "-m", "venv", *options, str(VENV)], environment)


def install_packages(ros: Ros, environment: Mapping[str, str]) -> None:
    pip = [str(VENV_PYTHON), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    folder = ROOT / "requirements"
    hint = (
        f"the packages could not be installed for Python {platform.python_version()} on "
        f"{platform.machine()}. Is there a network? Where the registry has no ROS 2 wheel for this "
        "machine (Jetson), install ROS 2 with apt, source it, and run make setup again"
    )
    # The build tools are installed already: an isolated build would only download them again.
    editable = ["--no-build-isolation", "--editable", f"{LIBRARY}[dev,view]"]
    editable += ["--editable", str(NODES)]
    # As folders on the path: a script beside a checkout named `scenemind` would else find that.
    editable += ["--config-settings", "editable_mode=compat"]
    if shutil.which("cmake") is None:
        locked = ["--require-hashes", "--requirement", str(folder / "lock-cmake.txt")]
        run([*pip, *locked], environment, hint)
    if ros.from_wheels:
        locked = ["--require-hashes", "--requirement", str(folder / "lock-uv.txt")]
        run([*pip, *locked], environment, hint)
        # Ten times as fast as pip. Copies: `mend_wheels` must not write into uv's cache.
        uv = [str(VENV / "bin" / "uv"), "pip", "install", "--quiet", "--link-mode", "copy"]
        uv += ["--python", str(VENV_PYTHON)]
        locked = ["--require-hashes", "--requirement", str(folder / "lock.txt")]
        run([*uv, *locked], environment, hint)
        run([*uv, "--no-deps", *editable], environment, hint)
        mend_wheels()
        return
    # An installed ROS 2 has packages of its own, whose versions differ: no lock fits all of them.
    common = [*pip, "--constraint", str(constrain_to_ros_numpy(environment))]
    run([*common, "--requirement", str(folder / "build.txt")], environment, hint)
    run([*common, "--use-pep517", *editable], environment, hint)


def constrain_to_ros_numpy(environment: Mapping[str, str]) -> Path:
    """Pin numpy: the message packages of an installed ROS 2 are compiled against the system's
    numpy."""
    command = [sys.executable, "-c", "import numpy; print(numpy.__version__)"]
    version = run(command, environment).strip()
    path = VENV / "constraints.txt"
    path.write_text(f"numpy=={version}\n", encoding="utf-8")
    return path


def mend_wheels() -> None:
    """Replace two folders of the wheels' build machine in their exported CMake files."""
    tag = f"cp{sys.version_info.major}{sys.version_info.minor}"
    name = f"python{sys.version_info.major}.{sys.version_info.minor}"
    theirs = f"/opt/python/{tag}-{tag}"
    numpy_folder = f"lib/{name}/site-packages/numpy/_core/include"
    folders = {
        f"{theirs}/include/{name}": sysconfig.get_path("include"),
        f"{theirs}/{numpy_folder}": str(VENV / numpy_folder),
    }
    for path in (VENV / "share").rglob("*.cmake"):
        text = path.read_text(encoding="utf-8")
        if theirs in text:
            for their_folder, our_folder in folders.items():
                text = text.replace(their_folder, our_folder)
            path.write_text(text, encoding="utf-8")


def build_workspace(environment: Mapping[str, str]) -> None:
    cmake_arguments = [
        "-DCMAKE_BUILD_TYPE=Release",
        # Messages are copied, not computed with; -O3 takes half as long again to build.
        "-DCMAKE_C_FLAGS_RELEASE=-O1 -DNDEBUG",
        "-DCMAKE_CXX_FLAGS_RELEASE=-O1 -DNDEBUG",
        "-DBUILD_TESTING=OFF",
        f"-DPython3_EXECUTABLE={VENV_PYTHON}",
    ]
    run(
        [str(VENV_PYTHON), "-m", "colcon", "build", "--cmake-args", *cmake_arguments],
        environment,
        f"the workspace did not build; the whole log is in {WORKSPACE / 'log' / 'latest_build'}",
    )


# Environments


def build_environment(ros: Ros) -> dict[str, str]:
    """Environment for pip and colcon: the sourced ROS 2, or only the virtual environment."""
    environment = dict(os.environ)
    environment["PATH"] = f"{VENV / 'bin'}{os.pathsep}{environment['PATH']}"
    # By default, colcon lets make wait while the machine is under load (-l).
    environment["MAKEFLAGS"] = f"-j{len(os.sched_getaffinity(0))}"
    if ros.from_wheels:
        for name in FOREIGN_VARIABLES:
            environment.pop(name, None)
        environment["AMENT_PREFIX_PATH"] = environment["CMAKE_PREFIX_PATH"] = str(VENV)
    return environment


def underlay(ros: Ros) -> dict[str, dict[str, list[str]] | dict[str, str]]:
    """Environment of a process, besides the workspace, when nothing is sourced."""
    if ros.from_wheels:
        libraries = [str(VENV / "lib"), *sorted(glob.glob(f"{VENV}/lib/python*/*/ros_*.libs"))]
        return {
            "paths": {"AMENT_PREFIX_PATH": [str(VENV)], "LD_LIBRARY_PATH": libraries},
            # The wheels start Python twice to set LD_LIBRARY_PATH, unless this variable is set.
            "variables": {"_ROS_WHEELS_BOOTSTRAP_COMPLETE": "1"},
        }
    sourced = os.environ
    return {
        "paths": {
            name: [entry for entry in sourced.get(name, "").split(os.pathsep) if entry]
            for name in PATH_VARIABLES
        },
        "variables": {name: sourced[name] for name in OTHER_VARIABLES if name in sourced},
    }


# Earlier results


def package_inputs() -> list[Path]:
    own = [Path(__file__), LIBRARY / "setup.py", NODES / "setup.py"]
    return [*own, *sorted((ROOT / "requirements").iterdir())]


def workspace_inputs(ros: Ros) -> list[Path]:
    skipped = {"__pycache__", "scenemind.egg-info", "scenemind_ros.egg-info"}
    files = sorted(path for path in (WORKSPACE / "src").rglob("*") if path.is_file())
    kept = [path for path in files if skipped.isdisjoint(path.parts)]
    if ros.from_wheels:
        # Python code runs from the sources; colcon's copy only serves an installed ROS 2.
        code = (LIBRARY / "scenemind", NODES / "scenemind_ros")
        kept = [path for path in kept if not any(path.is_relative_to(folder) for folder in code)]
    return kept


def fingerprint(values: Sequence[str], files: Sequence[Path]) -> str:
    digest = hashlib.sha256("\n".join(values).encode())
    for path in files:
        digest.update(f"\n{path.relative_to(ROOT)}\n".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


def read_stamp() -> dict[str, str]:
    if not (STAMP.is_file() and VENV_PYTHON.exists() and (WORKSPACE / "install").is_dir()):
        return {}
    stamp: dict[str, str] = json.loads(STAMP.read_text(encoding="utf-8"))
    return stamp


# Running


def run(command: Sequence[str], environment: Mapping[str, str], hint: str = "") -> str:
    """Standard output of a command; on failure an error with its output and the hint."""
    with subprocess.Popen(
        command,
        cwd=WORKSPACE,
        env=environment,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        while True:
            try:
                said, errors = process.communicate(timeout=SIGN_OF_LIFE_S)
                break
            except subprocess.TimeoutExpired:
                print(".", end="", flush=True)
            except BaseException:
                process.kill()
                raise
    if process.returncode != 0:
        words = "\n".join((said + errors).splitlines()[-20:])
        raise SetupError(f"{hint or 'a command failed'}\n  {' '.join(command)}\n{words}")
    return said


@contextmanager
def step(name: str, takes: str) -> Iterator[None]:
    """Print what is done, how long it usually takes, and how long it took."""
    print(f"  {name} ({takes}) ", end="", flush=True)
    start = time.monotonic()
    yield
    print(f" {time.monotonic() - start:.0f} s", flush=True)


if __name__ == "__main__":
    sys.exit(main())
