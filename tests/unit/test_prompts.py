"""Prompts are text files beside the code that sends them: packaged, our own, and filled in."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from distutils.core import run_setup
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import get_args

import pytest
import setuptools  # noqa: F401  distutils comes from it where Python has none

from scenemind.reasoning import Policy
from scenemind.reasoning.prompts import sent_part

ROOT = Path("ros2_ws/src/scenemind")
LIBRARY = ROOT / "scenemind"
# Systems and models whose words ours must not be, and to whom no prompt may be fitted.
PEERS = (
    *("memtree", "vlm-grounder", "vlm grounder", "llm-tpc", "vadar", "synergai"),
    *("openeqa", "scanqa", "sqa3d", "scanrefer"),
    *("chatgpt", "gpt-", "openai", "claude", "qwen", "gemini", "llava", "llama", "mistral"),
)


def prompts() -> list[Path]:
    """All of the library, relative to it."""
    library = Path(__file__).resolve().parents[2] / LIBRARY
    found = [*library.rglob("prompts/*.txt"), library / "describing" / "describe.txt"]
    return sorted(path.relative_to(library) for path in found)


@pytest.fixture(params=prompts(), ids=str)
def prompt(request: pytest.FixtureRequest) -> Path:
    return Path(request.param)


def placeholders(text: str) -> set[str]:
    """Names that `string.Template` would fill in."""
    found = Template.pattern.finditer(text)
    return {match["named"] or match["braced"] for match in found} - {None}


def test_a_prompt_can_be_read_where_the_library_is_installed(prompt: Path) -> None:
    text = files("scenemind").joinpath(*prompt.parts).read_text(encoding="utf-8")
    assert text.strip()


def test_prompts_are_in_the_package(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(repository / ROOT)
    build = run_setup("setup.py", stop_after="init").get_command_obj("build_py")
    build.ensure_finalized()
    packaged = {Path(source, name) for _, source, _, names in build.data_files for name in names}
    assert {Path("scenemind", prompt) for prompt in prompts()} <= packaged


def test_a_prompt_names_no_other_system(prompt: Path, repository: Path) -> None:
    text = sent_part((repository / LIBRARY / prompt).read_text(encoding="utf-8")).lower()
    assert [peer for peer in PEERS if peer in text] == []


def calls(repository: Path, function: str) -> Iterator[tuple[list[str], set[str]]]:
    """Names of the prompts that each call of a function may mean, and its keywords."""
    for path in (repository / LIBRARY).rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(text)) if f"{function}(" in text else ():
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == function:
                yield list(_names(node.args[1])), {str(word.arg) for word in node.keywords}


def _names(argument: ast.expr) -> Iterator[str]:
    if isinstance(argument, ast.Constant):
        yield str(argument.value)
    elif isinstance(argument, ast.JoinedStr):
        assert ast.unparse(argument) == "f'policy_{query.policy}'", "teach this test the new name"
        yield from (f"policy_{policy}" for policy in get_args(Policy))


def test_every_prompt_is_sent_with_a_value_for_each_of_its_placeholders(repository: Path) -> None:
    wanted = {
        prompt.stem: placeholders((repository / LIBRARY / prompt).read_text(encoding="utf-8"))
        for prompt in prompts()
        if prompt.parent.name == "prompts"
    }
    sent = dict.fromkeys(
        (name for names, _ in calls(repository, "read_prompt") for name in names), frozenset[str]()
    )
    filled = {n: words for names, words in calls(repository, "fill_prompt") for n in names}
    assert {**sent, **filled} == wanted
