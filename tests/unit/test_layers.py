"""Data goes one way: a room of the library imports only what ARCHITECTURE.md's table allows."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

LIBRARY = Path("ros2_ws/src/scenemind/scenemind")
NODES = Path("ros2_ws/src/scenemind_ros")
# What serves the command line may know more of the library than a node does.
COMMANDS = {"commands", "demo", "evaluation.py"}
OF_COMMANDS = {"bench", "doctor", "evaluation", "exchange", "report", "viewer"}
# | `folder/` | what it holds | what it may import |
ROW = re.compile(r"^\| `(\w+)(?:/|\.py)` \|.*\| ([\w, -]+) \|$", re.MULTILINE)
NODES_ROW = re.compile(r"^\| `scenemind_ros` \|.*\| ([\w, -]+) \|$", re.MULTILINE)


@pytest.fixture(scope="module")
def may_import(repository: Path) -> dict[str, set[str]]:
    """Folder -> folders that it may import, in the order of the table."""
    rows = ROW.findall((repository / "ARCHITECTURE.md").read_text(encoding="utf-8"))
    every = {folder for folder, _ in rows}
    return {
        folder: every if names == "all" else set(names.split(", ")) - {"-"}
        for folder, names in rows
    }


def imported_folders(path: Path) -> set[str]:
    """Folders of the library that a file imports from."""
    folders = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: a relative import hides the folder"
            modules = [node.module or ""]
            if node.module == "scenemind":
                modules = [f"scenemind.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
        else:
            continue
        folders |= {m.split(".")[1] for m in modules if m.startswith("scenemind.")}
    return folders - {"config", "errors"}  # which every folder may


def files_of(folder: Path) -> list[Path]:
    """Modules of a folder, or the one module of that name."""
    return [*folder.rglob("*.py"), *folder.parent.glob(f"{folder.name}.py")]


def test_every_folder_has_its_row(may_import: dict[str, set[str]], repository: Path) -> None:
    library = repository / LIBRARY
    folders = {path.parent.name for path in library.glob("*/*.py")}
    folders |= {path.stem for path in library.glob("*.py")} - {"__init__", "__main__", "errors"}
    assert folders == set(may_import)


def test_a_row_names_only_rows_above_it(may_import: dict[str, set[str]]) -> None:
    above: set[str] = set()
    for folder, names in may_import.items():
        assert names - {folder} <= above, folder
        above.add(folder)


def test_files_import_only_folders_of_their_row(
    may_import: dict[str, set[str]], repository: Path
) -> None:
    for folder, names in may_import.items():
        for path in files_of(repository / LIBRARY / folder):
            assert imported_folders(path) <= names | {folder}, path


def test_the_nodes_import_only_folders_of_their_row(repository: Path) -> None:
    row = NODES_ROW.search((repository / "ARCHITECTURE.md").read_text(encoding="utf-8"))
    assert row is not None
    names = set(row[1].split(", "))
    for path in (repository / NODES).rglob("*.py"):
        is_command = bool(COMMANDS & set(path.parts))
        assert imported_folders(path) <= (names if is_command else names - OF_COMMANDS), path
