"""Data goes one way: a folder of the library imports only what stands below it."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

CORE = {"geometry", "frames", "perception", "memory"}
MAY_IMPORT: dict[str, set[str]] = {
    "geometry": set(),
    "models": set(),
    "frames": {"geometry"},
    "perception": {"geometry", "frames"},
    "memory": {"geometry", "frames", "perception"},
    "mapping": CORE,
    "simulation": {"geometry", "frames", "perception"},
    "reasoning": CORE | {"models"},
    "report": CORE | {"reasoning"},
    "viewer": CORE | {"reasoning"},
    "evaluation": CORE | {"mapping", "models", "reasoning", "simulation"},
    "cli": CORE
    | {"mapping", "models", "reasoning", "simulation", "evaluation", "report", "viewer"},
}
LIBRARY = Path("ros2_ws/src/scenemind/scenemind")


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
    return folders - {"config"}


def test_every_folder_has_its_place(repository: Path) -> None:
    folders = {p.parent.name for p in (repository / LIBRARY).glob("*/__init__.py")}
    assert folders <= set(MAY_IMPORT)


@pytest.mark.parametrize("folder", MAY_IMPORT)
def test_a_folder_imports_only_from_below(folder: str, repository: Path) -> None:
    for path in (repository / LIBRARY / folder).rglob("*.py"):
        assert imported_folders(path) <= MAY_IMPORT[folder] | {folder}, path
