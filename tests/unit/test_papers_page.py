"""docs/papers.md and CITATION.cff: every function that the page names is there, and both name the
same papers."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
import yaml

LIBRARY = Path("ros2_ws/src/scenemind/scenemind")
# `file.py` `Name`, `Name.method`, ...
FILE = re.compile(r"`([\w/]+\.py)`((?:,? `[A-Za-z_][\w.]*`)*)")
FOLDER = re.compile(r"`((?:memory|perception|reasoning|evaluation|viewer)(?:/\w+)*)`")


@pytest.fixture(scope="module")
def page(repository: Path) -> str:
    return (repository / "docs/papers.md").read_text(encoding="utf-8")


def defined_in(path: Path) -> set[str]:
    """Names of a module's functions, classes and methods (`Class.method`)."""
    names = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.add(node.name)
        if isinstance(node, ast.ClassDef):
            names |= {f"{node.name}.{n.name}" for n in node.body if isinstance(n, ast.FunctionDef)}
    return names


def test_every_named_function_is_there(page: str, repository: Path) -> None:
    named = [(file, re.findall(r"`([\w.]+)`", names)) for file, names in FILE.findall(page)]
    assert sum(len(names) for _, names in named) > 50
    for file, names in named:
        path = repository / LIBRARY / file
        prompts = {name for name in names if name.endswith((".txt", ".py"))}
        assert set(names) - prompts <= defined_in(path), file


def test_every_named_folder_is_there(page: str, repository: Path) -> None:
    folders = FOLDER.findall(page)
    assert folders
    for folder in folders:
        assert (repository / LIBRARY / folder).is_dir(), folder


def test_page_and_citation_name_the_same_papers(page: str, repository: Path) -> None:
    citation = yaml.safe_load((repository / "CITATION.cff").read_text(encoding="utf-8"))
    text = " ".join(page.split()).lower()
    assert len(citation["references"]) == 5
    for paper in citation["references"]:
        assert paper["title"].lower() in text
        for author in paper["authors"]:
            name = author.get("name") or f"{author['given-names']} {author['family-names']}"
            assert name.lower() in text
