"""What people say around a correction, taken away."""

from __future__ import annotations

import pytest

from scenemind.reasoning import ReasoningError
from scenemind.reasoning.symbolic.commands import parse_commands
from scenemind.reasoning.symbolic.sentences import broken_up
from scenemind.reasoning.symbolic.speech_acts import is_doubtful, without_speech_acts


def left_of(text: str) -> str:
    return " ".join(token.word for token in next(without_speech_acts(broken_up(text))))


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("No, actually, I think that is a stool, thanks", "that is a stool"),
        ("you must be confused, it's red", "it is red"),
        ("I'm afraid you mistook this. It's red", "it is red"),
        ("well, as far as I know it's red, you know", "it is red"),
        ("would you please remember that the cup is red?", "the cup is red"),
        ("that's wrong", ""),
        ("no chair is red", "no chair is red"),
        ("I doubt that it is red", "i doubt that it is red"),
        ("I don't think it is red", "i do not think it is red"),
        ("nobody thinks it is red", "nobody thinks it is red"),
    ],
)
def test_only_what_changes_nothing_is_taken_away(text: str, left: str) -> None:
    assert left_of(text) == left


def test_less_and_less_is_taken_away() -> None:
    readings = [[t.word for t in r] for r in without_speech_acts(broken_up("no, please undo"))]
    assert readings[0] == ["undo"]
    assert readings[-1] == ["no", ",", "please", "undo"]
    assert sorted(readings, key=len) == readings


@pytest.mark.parametrize(
    ("text", "doubtful"),
    [
        ("this is a stool?", True),
        ("this is a stool, isn't it?", False),
        ("this is a stool, ok?", False),
        ("could you call this a stool?", False),
        ("hey, can you please call this a stool?", False),
        ("could this be a stool?", True),
        ("the cup? That's a mug.", False),
    ],
)
def test_a_question_mark_is_a_doubt_unless_something_is_asked_to_be_done(
    text: str, doubtful: bool
) -> None:
    assert is_doubtful(text, broken_up(text)) is doubtful


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("the cup's grey", "the cup is grey"),
        ("the cup's colour is grey", "the cup colour is grey"),
        ("the mirror's round frame", "the mirror round frame"),
        ("The cup? That's a mug!", "the cup , that is a mug"),
        ("a mug - not a cup", "a mug , not a cup"),
        ("the chair with number 12", "the chair 12"),
        ("there is no cup in this room", "there is no cup"),
        ("there is no cup in that spot", "there is no cup there"),
    ],
)
def test_a_sentence_is_broken_up_into_clauses(text: str, words: str) -> None:
    assert " ".join(token.word for token in broken_up(text)) == words


@pytest.mark.parametrize(
    "text", ["no, " * 150 + "is it?", "I think that " * 40 + "it is?", "it is a cup, " * 30 + "hm"]
)
def test_reading_of_many_words_has_an_end(text: str) -> None:
    """Backtracking over them would take years."""
    with pytest.raises(ReasoningError):
        parse_commands(text)
