"""Pages for people: their links lead somewhere, and the commands that they name exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from scenemind.cli.main import _COMMANDS

ROOT = Path(__file__).parents[2]
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("*.md"))]
CODE = re.compile(r"^```[a-z]*\n(.*?)^```|`([^`\n]+)`", re.MULTILINE | re.DOTALL)
page = pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)


def anchors(path: Path) -> set[str]:
    """Of the headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", text.lower()).strip().replace(" ", "-") for text in headings}


@page
def test_links_lead_to_files_and_headings(path: Path) -> None:
    for target, anchor in re.findall(r"\]\(([^)#\s]*)(#[^)\s]*)?\)", path.read_text("utf-8")):
        if target.startswith(("http://", "https://")):
            continue
        file = (path.parent / target).resolve() if target else path
        assert file.exists(), target
        assert not anchor or anchor[1:] in anchors(file), f"{target}{anchor}"


@page
def test_commands_that_are_named_exist(path: Path) -> None:
    found = CODE.findall(path.read_text(encoding="utf-8"))
    shown = "\n".join(block or inline for block, inline in found)
    for name in re.findall(r"^\s*(?:\.venv/bin/)?scenemind ([a-z][a-z-]+)", shown, re.MULTILINE):
        assert name in _COMMANDS, f"scenemind {name}"
    for name in re.findall(r"python -m benchmarks ([a-z][a-z-]+)", shown):
        assert name in benchmark_names(), f"python -m benchmarks {name}"


def benchmark_names() -> set[str]:
    text = (ROOT / "benchmarks" / "__main__.py").read_text(encoding="utf-8")
    return set(re.findall(r'command\(\s*"([a-z-]+)"', text))
