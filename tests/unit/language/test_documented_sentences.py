"""The sentences of docs/questions.md are read."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from scenemind.language.corrections.grammar import parse_commands
from scenemind.language.questions import read_text
from scenemind.language.trees import Ground

PAGE = Path(__file__).parents[3] / "docs" / "questions.md"
NO_SENTENCE = re.compile(r"^(scene|/|--|strict$|balanced$|always_answer$)")


def sentences(section: str) -> list[str]:
    """Sentences in code spans of one section."""
    text = PAGE.read_text(encoding="utf-8").partition(f"\n## {section}\n")[2].partition("\n## ")[0]
    spans = re.findall(r"`([^`]+)`", text)
    return [span for span in spans if not NO_SENTENCE.match(span)]


@pytest.mark.parametrize("sentence", sentences("Questions"))
def test_questions(sentence: str) -> None:
    assert not isinstance(read_text(sentence).question, Ground)


@pytest.mark.parametrize("sentence", sentences("Phrases"))
def test_phrases(sentence: str) -> None:
    assert isinstance(read_text(sentence).question, Ground)


@pytest.mark.parametrize("sentence", sentences("Corrections"))
def test_corrections(sentence: str) -> None:
    assert parse_commands(sentence)
