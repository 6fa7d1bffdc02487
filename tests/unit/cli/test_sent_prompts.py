"""Every prompt as models get it, for people to read."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace

import pytest

from scenemind.cli.sent_prompts import (
    comment_of,
    pages,
    prompt_files,
    record,
    token_counter,
    unsent,
)
from scenemind.errors import UsageError
from scenemind.models.example_model import Sent
from scenemind.reasoning.prompts import fixed_parts, sent_part

Requests = Mapping[str, Sequence[Sent]]


@pytest.fixture(scope="module")
def sent() -> Requests:
    return record()


@pytest.fixture(scope="module")
def text(sent: Requests) -> str:
    return "\n\n".join(pages(sent, *token_counter(None)))


def test_all_methods_with_a_model_are_asked(sent: Requests) -> None:
    methods = ("memtree", "vlm_grounder", "llm_tpc", "ensemble", "vadar", "synergai")
    assert set(sent) == {"symbolic", *methods}
    assert all(sent.values())


def test_every_prompt_is_there_in_full(text: str) -> None:
    for name, prompt in prompt_files().items():
        assert [part for part in fixed_parts(prompt) if part not in text] == [], name


def test_most_of_a_conversation_is_seen_as_it_is_sent(sent: Requests) -> None:
    rest = unsent(sent)
    for name in (
        "task",
        "question",
        "program_failed",
        "rectify",
        "unreadable",
        "summarize",
        "looking",
    ):
        assert f"llm_tpc/{name}.txt" not in rest
    assert "programs/look.txt" not in rest
    assert "llm_tpc/not_looking.txt" in rest


def test_a_message_is_printed_once_a_conversation(sent: Requests) -> None:
    first, second = sent["llm_tpc"][:2]
    assert (first.earlier, second.earlier) == (0, 2)
    assert "(2 messages as before)" in second.text


def test_no_value_is_left_to_be_filled_in(sent: Requests) -> None:
    sections = [m.text for one in sent["llm_tpc"] for m in one.messages]
    assert not any("$" in text for text in sections)


def test_no_turn_asks_for_a_program_and_for_the_final_answer_alone(sent: Requests) -> None:
    summary = sent_part(prompt_files()["llm_tpc/summarize.txt"])
    told = [m.text for one in sent["llm_tpc"] for m in one.messages if summary in m.text]
    assert told
    assert not any("Action: Program" in text for text in told)


def test_tokens_are_estimated_and_say_so(text: str) -> None:
    assert "---- llm_tpc 1: " in text
    assert " tokens (estimate)" in text


def test_comments_name_a_source_and_are_not_sent(text: str) -> None:
    for name, prompt in prompt_files().items():
        assert comment_of(prompt), name
        assert not sent_part(prompt).startswith("#:")
    assert "llm_tpc/summarize.txt: LLM-TPC, supplement, Fig. S8: summarization" in text


def test_tokens_are_counted_by_a_tokenizer_that_is_there(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    class Words:
        @staticmethod
        def from_file(_: str) -> Words:
            return Words()

        def encode(self, text: str) -> SimpleNamespace:
            return SimpleNamespace(ids=text.split())

    monkeypatch.setitem(sys.modules, "tokenizers", SimpleNamespace(Tokenizer=Words))
    count, name = token_counter(tmp_path / "tokenizer.json")
    assert (count("three words here"), name) == (3, "tokenizer.json")


def test_a_tokenizer_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot count tokens"):
        token_counter(tmp_path / "none.json")
