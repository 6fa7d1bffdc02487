"""Data goes one way: a folder of the library imports what ARCHITECTURE.md's table lets it."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

LIBRARY = Path("ros2_ws/src/scenemind/scenemind")
# | `folder/` | what it holds | what it may import |
ROW = re.compile(r"^\| `(\w+)/` \|.*\| ([\w, -]+) \|$", re.MULTILINE)


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


def test_every_folder_has_its_row(may_import: dict[str, set[str]], repository: Path) -> None:
    folders = {path.parent.name for path in (repository / LIBRARY).glob("*/*.py")}
    assert folders == set(may_import)


def test_a_row_names_only_what_stands_above_it(may_import: dict[str, set[str]]) -> None:
    above: set[str] = set()
    for folder, names in may_import.items():
        assert names - {folder} <= above, folder
        above.add(folder)


def test_files_import_only_what_their_row_names(
    may_import: dict[str, set[str]], repository: Path
) -> None:
    for folder, names in may_import.items():
        for path in (repository / LIBRARY / folder).rglob("*.py"):
            assert imported_folders(path) <= names | {folder}, path
