"""The manifests agree with each other and with the code."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from distutils.core import run_setup
from pathlib import Path
from typing import Any

import pytest
import setuptools  # noqa: F401  distutils comes from it where Python has none
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

PYTHON_PACKAGES = ["scenemind", "scenemind_ros"]
PACKAGES = ["scenemind_interfaces", *PYTHON_PACKAGES]
# Import name -> name on the registry, where they differ.
DISTRIBUTIONS = {
    "cv2": "opencv-python-headless",
    "pydantic_monty": "pydantic-monty",
    "yaml": "pyyaml",
    "segment_anything": "segment-anything",
    "typing_extensions": "typing-extensions",
    "open_clip": "open-clip-torch",
    "huggingface_hub": "huggingface-hub",
    "ultralytics": "ultralytics-opencv-headless",
}


@pytest.fixture
def sources(repository: Path) -> Path:
    return repository / "ros2_ws" / "src"


def manifest(sources: Path, package: str) -> ElementTree.Element:
    return ElementTree.parse(sources / package / "package.xml").getroot()


def setup_of(sources: Path, package: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The Distribution that setup.py describes."""
    monkeypatch.chdir(sources / package)
    return run_setup("setup.py", stop_after="init")


def imported(folder: Path) -> Iterator[tuple[Path, str]]:
    """Each file with the top-level package of each of its absolute imports."""
    for path in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                yield from ((path, alias.name.split(".")[0]) for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
                yield path, node.module.split(".")[0]


def test_all_packages_have_one_version(sources: Path) -> None:
    assert len({manifest(sources, name).findtext("version") for name in PACKAGES}) == 1


@pytest.mark.parametrize("package", PYTHON_PACKAGES)
def test_setup_and_package_xml_agree(
    package: str, sources: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    metadata = setup_of(sources, package, monkeypatch).metadata
    described = manifest(sources, package)
    assert metadata.name == described.findtext("name") == package
    assert metadata.version == described.findtext("version")
    assert metadata.license == described.findtext("license")


@pytest.mark.parametrize("package", PYTHON_PACKAGES)
def test_entry_points_name_functions_that_exist(
    package: str, sources: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scripts = setup_of(sources, package, monkeypatch).entry_points["console_scripts"]
    for script in scripts:
        module, function = script.split(" = ")[1].split(":")
        path = (sources / package / module.replace(".", "/")).with_suffix(".py")
        tree = ast.parse(path.read_text(encoding="utf-8"))
        names = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
        assert function in names, script


@pytest.mark.parametrize("folder", ["launch", "config", "rviz", "foxglove", "examples"])
def test_every_file_beside_the_modules_is_installed(
    folder: str, sources: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed = dict(setup_of(sources, "scenemind_ros", monkeypatch).data_files)
    files = {
        str(p.relative_to(sources / "scenemind_ros"))
        for p in (sources / "scenemind_ros" / folder).glob("*.*")
    }
    assert set(installed[f"share/scenemind_ros/{folder}"]) == files


def test_examples_are_executables_of_the_package(
    sources: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed = dict(setup_of(sources, "scenemind_ros", monkeypatch).data_files)
    examples = installed["lib/scenemind_ros"]
    assert set(examples) == set(installed["share/scenemind_ros/examples"])
    for name in examples:
        path = sources / "scenemind_ros" / name
        assert os.access(path, os.X_OK), f"git update-index --chmod=+x {name}"
        assert path.read_text("utf-8").startswith("#!/usr/bin/env python3\n")


def test_the_library_declares_its_imports(sources: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    setup = setup_of(sources, "scenemind", monkeypatch)
    extras = {name: items for name, items in setup.extras_require.items() if name != "dev"}
    optional = [item for items in extras.values() for item in items]
    declared = registry_names([*setup.install_requires, *optional])
    for path, name in imported(sources / "scenemind" / "scenemind"):
        if name not in sys.stdlib_module_names | {"scenemind"}:
            assert DISTRIBUTIONS.get(name, name) in declared, f"{path}: {name}"


def test_the_nodes_declare_their_imports(sources: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # ROS packages stand in package.xml; Python ones may come with the library.
    described = manifest(sources, "scenemind_ros")
    declared = {e.text for e in described.iter("exec_depend")}
    declared |= {(e.text or "").removeprefix("python3-") for e in described.iter("test_depend")}
    declared |= registry_names(setup_of(sources, "scenemind", monkeypatch).install_requires)
    for path, name in imported(sources / "scenemind_ros"):
        if name not in sys.stdlib_module_names | {"setuptools", "scenemind_ros"}:
            assert DISTRIBUTIONS.get(name, name) in declared, f"{path}: {name}"


def test_the_interfaces_declare_the_packages_that_they_use(sources: Path) -> None:
    declared = {e.text for e in manifest(sources, "scenemind_interfaces").iter("depend")}
    folder = sources / "scenemind_interfaces"
    texts = [path.read_text("utf-8") for path in folder.glob("*/*.*") if path.suffix != ".txt"]
    used = {name for text in texts for name in re.findall(r"^(\w+)/\w+", text, re.MULTILINE)}
    used |= {"action_msgs"} if any(folder.glob("action/*.action")) else set()
    assert used
    assert used - {"scenemind_interfaces"} <= declared


@pytest.mark.parametrize("package", PACKAGES)
def test_every_package_brings_its_licence_and_installs_it(
    package: str, sources: Path, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = (sources / package / "LICENSE").read_bytes()
    assert own == (repository / "LICENSE").read_bytes()
    if package in PYTHON_PACKAGES:
        installed = dict(setup_of(sources, package, monkeypatch).data_files)
        assert "LICENSE" in installed[f"share/{package}"]
    else:
        rules = (sources / package / "CMakeLists.txt").read_text("utf-8")
        assert "install(FILES LICENSE DESTINATION share/${PROJECT_NAME})" in rules


def test_colcon_test_finds_the_tests_of_the_nodes(
    sources: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    setup = setup_of(sources, "scenemind_ros", monkeypatch)
    assert setup.extras_require["test"] == ["pytest"], "colcon runs pytest where this names it"
    assert list((sources / "scenemind_ros" / "test").glob("test_*.py"))


def registry_names(requirements: list[str]) -> set[str]:
    return {Requirement(requirement).name.lower() for requirement in requirements}


def locked(repository: Path) -> dict[str, list[str]]:
    """Name -> lines of the lock: a version, its conditions and hashes; of each there is a hash."""
    text = (repository / "requirements/lock.txt").read_text(encoding="utf-8")
    entries: dict[str, list[str]] = {}
    for entry in text.replace("\\\n", "").splitlines():
        line, _, hashes = entry.partition("--hash=sha256:")
        assert hashes, entry[:80]
        entries.setdefault(canonicalize_name(Requirement(line).name), []).append(line)
    return entries


def test_the_lock_has_all_that_set_up_installs(
    sources: Path, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where it fails, `make lock` writes it anew."""
    entries = locked(repository)
    setup = setup_of(sources, "scenemind", monkeypatch)
    extras = setup.extras_require
    wanted = [*setup.install_requires, *extras["dev"], *extras["view"]]
    for name in ("build.txt", "ros-wheels.txt"):
        lines = (repository / "requirements" / name).read_text(encoding="utf-8").splitlines()
        wanted += [line for line in lines if line and not line.startswith("#")]
    for requirement in map(Requirement, wanted):
        if requirement.marker is not None and not requirement.marker.evaluate():
            continue
        pins = [Requirement(text) for text in entries[canonicalize_name(requirement.name)]]
        here = [pin for pin in pins if pin.marker is None or pin.marker.evaluate()]
        (version,) = (specifier.version for pin in here for specifier in pin.specifier)
        assert requirement.specifier.contains(version), f"{requirement} is locked at {version}"


def test_a_script_beside_a_folder_of_that_name_finds_the_library(tmp_path: Path) -> None:
    """As beside a checkout, which is named so."""
    (tmp_path / "scenemind").mkdir()
    script = tmp_path / "snippet.py"
    script.write_text("import scenemind; print(scenemind.map)", encoding="utf-8")
    away = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run([sys.executable, script], env=away, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
