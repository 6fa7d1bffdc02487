"""The turns of a model in the Think-Program-reCtify loop, parsed (LLM-TPC, Fig. S3)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from scenemind.language.quoting import tame
from scenemind.reasoning.prompts import FENCED, without_thoughts

_LONGEST_ANSWER, _LONGEST_THOUGHT = 120, 2000
_MOST_OBJECTS = 20

_FLAGS = re.MULTILINE | re.IGNORECASE
_THOUGHT = re.compile(r"^[^\w\n`]*thought\W*:", _FLAGS)
_ACTION = re.compile(r"^[^\w\n`]*action\W*:[ \t*]*(?P<name>.*)$", _FLAGS)
_INPUT = re.compile(r"^[^\w\n`]*action[ _]input\W*:[ \t*]*", _FLAGS)
_OBSERVATION = re.compile(r"^[^\w\n`]*observation\W*:", _FLAGS)
_FINAL = re.compile(r"^[^\w\n`]*(?:the )?final answer\W*:[ \t*]*", _FLAGS)
_OBJECTS = re.compile(r"^[^\w\n`]*objects\W*:(?P<names>.*)$", _FLAGS)
_ANSWER = re.compile("answer", _FLAGS)
_FENCE = "```"


@dataclass(frozen=True, slots=True)
class WriteProgram:
    """A turn with a program to be run."""

    thought: str
    program: str


@dataclass(frozen=True, slots=True)
class GiveAnswer:
    """A turn with the final answer.

    Attributes:
        answer: one plain line.
        objects: the objects that it rests on, in the model's words ("chair 4").
    """

    thought: str
    answer: str
    objects: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A turn that is neither.

    Attributes:
        complaint: the mistake, for the model, without a full stop.
    """

    complaint: str


Turn = WriteProgram | GiveAnswer | Unreadable


def read_turn(text: str) -> Turn:
    """The first action in a reply. Text after it is ignored, such as an observation: nothing was
    run yet, so the model made it up."""
    text = model_part(text)
    action = _find_outside(_ACTION, text)
    if action is None:
        return _without_action(text)
    thought = _thought(text[: action.start()])
    name = action["name"].lower()
    following = text[action.end() :]
    following = following[: _start_of(_ACTION, following)]
    given = following[_end_of(_INPUT, following) :]
    if "action_input" in name:
        return Unreadable("it is JSON, write lines instead")
    if "program" in name and "answer" not in name.partition("program")[0]:
        return _program(thought, given)
    if "answer" in name:
        return _answer(thought, given.strip() or _ANSWER.split(action["name"], 1)[1])
    return Unreadable(f'there is no action "{tame(name)}", only Program and Final Answer')


def model_part(text: str) -> str:
    """A reply without `<think>` text and without observations that the model made up."""
    text = without_thoughts(text)
    return text[: _start_of(_OBSERVATION, text)]


def _without_action(text: str) -> Turn:
    """A turn without an action line, which many models forget: its program, else its answer."""
    fenced = FENCED.search(text)
    if fenced is not None:
        return _program(_thought(text[: fenced.start()]), fenced[0])
    final = _FINAL.search(text)
    if final is not None:
        return _answer(_thought(text[: final.start()]), text[final.end() :])
    if not text.strip():
        return Unreadable("it says nothing")
    return Unreadable("it has no line that begins with Action")


def _program(thought: str, given: str) -> WriteProgram | Unreadable:
    fenced = FENCED.search(given)
    program = given.strip(" `\n") if fenced is None else fenced["code"].strip("\n")
    if not program.strip():
        return Unreadable("there is no program in it")
    return WriteProgram(thought, program.rstrip())


def _answer(thought: str, given: str) -> GiveAnswer | Unreadable:
    objects = _OBJECTS.search(given)
    names = objects["names"].split(",")[:_MOST_OBJECTS] if objects else ()
    words = given[: objects.start()] if objects else given
    answer = next(filter(None, map(_plain, words.splitlines())), "")
    if not answer:
        return Unreadable("there is no answer in it")
    return GiveAnswer(thought, answer, tuple(filter(None, map(_plain, names))))


def _plain(words: str) -> str:
    """Words without surrounding quotes, full stops and marks of emphasis."""
    return tame(words, _LONGEST_ANSWER).strip(" .\"'*:")


def _thought(text: str) -> str:
    return tame(text[_end_of(_THOUGHT, text) :], _LONGEST_THOUGHT)


def _start_of(pattern: re.Pattern[str], text: str) -> int:
    found = _find_outside(pattern, text)
    return len(text) if found is None else found.start()


def _find_outside(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    """The first match outside of programs, whose comments may contain the pattern."""
    is_outside, seen = True, 0
    for found in pattern.finditer(text):
        is_outside ^= text.count(_FENCE, seen, found.start()) % 2 == 1
        seen = found.start()
        if is_outside:
            return found
    return None


def _end_of(pattern: re.Pattern[str], text: str) -> int:
    found = pattern.search(text)
    return 0 if found is None else found.end()
