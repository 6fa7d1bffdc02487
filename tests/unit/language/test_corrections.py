"""Grammar of corrections: sentences and their commands, and words that change nothing or all."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from scenemind.language.assertions import broken_up, clauses_of
from scenemind.language.corrections.grammar import notes_of, parse_commands, read_most
from scenemind.language.speech_acts import is_question
from scenemind.language.tokens import NotUnderstoodError
from scenemind.language.trees import Command, DeleteObject, IsA, Merge, Rename, SetAttribute
from tests.tables import read_table
from tests.unit.language.notation import notation

TABLE = read_table(__file__, "corrections")


def commands_of(text: str) -> str:
    """Commands without premises, which a correction has in some wordings only."""
    return "; ".join(notation(without_premise(command)) for command in parse_commands(text))


def without_premise(command: Command) -> Command:
    if isinstance(command, Rename | IsA | SetAttribute):
        return replace(command, denied="")
    if isinstance(command, DeleteObject):
        return replace(command, is_told=False)
    return replace(command, count=None) if isinstance(command, Merge) else command


@pytest.mark.parametrize(("text", "commands"), TABLE["commands"].items())
def test_commands(text: str, commands: str) -> None:
    assert commands_of(text) == commands


@pytest.mark.parametrize(("text", "command"), TABLE["premises"].items())
def test_what_a_sentence_takes_for_granted_is_kept(text: str, command: str) -> None:
    assert [notation(read) for read in parse_commands(text)] == [command]


@pytest.mark.parametrize("meaning", TABLE["paraphrases"])
def test_paraphrases_have_one_command(meaning: str) -> None:
    row: dict[str, Any] = TABLE["paraphrases"][meaning]
    read = {text: commands_of(text) for text in row["sentences"]}
    assert read == dict.fromkeys(row["sentences"], row["command"])


@pytest.mark.parametrize("frame", TABLE["neutral frames"])
def test_neutral_frames_change_nothing(frame: str) -> None:
    for statement in TABLE["statements"]:
        assert parse_commands(frame.format(statement)) == parse_commands(statement)


@pytest.mark.parametrize("frame", TABLE["reversing frames"])
def test_reversing_frames_are_not_understood(frame: str) -> None:
    for statement in TABLE["statements"]:
        with pytest.raises(NotUnderstoodError):
            parse_commands(frame.format(statement))


@pytest.mark.parametrize("text", TABLE["unread"])
def test_unclear_sentences_are_not_understood(text: str) -> None:
    with pytest.raises(NotUnderstoodError):
        parse_commands(text)


@pytest.mark.parametrize(("text", "rest"), TABLE["without speech acts"].items())
def test_speech_acts_are_removed(text: str, rest: str) -> None:
    assert " ".join(word for clause in clauses_of(text) for word in clause.words) == rest


@pytest.mark.parametrize(("text", "doubtful"), TABLE["doubtful"].items())
def test_a_question_mark_is_a_doubt_unless_it_ends_a_request(text: str, doubtful: bool) -> None:
    assert is_question(text) is doubtful


@pytest.mark.parametrize(("text", "words"), TABLE["clauses"].items())
def test_sentences_are_broken_up_into_clauses(text: str, words: str) -> None:
    assert " ".join(token.word for token in broken_up(text)) == words


@pytest.mark.parametrize(
    "text", ["no, " * 150 + "is it?", "I think that " * 40 + "it is?", "it is a cup, " * 30 + "hm"]
)
def test_long_sentences_are_refused_in_bounded_time(text: str) -> None:
    """Backtracking over them would take years."""
    with pytest.raises(NotUnderstoodError):
        parse_commands(text)


@pytest.mark.parametrize(("text", "part"), TABLE["parts"].items())
def test_the_part_of_a_sentence_that_corrects_something(text: str, part: str) -> None:
    with pytest.raises(NotUnderstoodError):
        parse_commands(text)
    assert read_most(text)[0] == part


@pytest.mark.parametrize(("text", "note"), TABLE["notes"].items())
def test_a_statement_on_one_thing_can_be_noted(text: str, note: str) -> None:
    noted = [said for said, _ in notes_of(text)]
    assert noted[:1] == [note] * bool(note)
    for said in noted:
        assert [type(command) for command in parse_commands(said)] == [SetAttribute]
