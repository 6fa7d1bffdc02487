"""What a model wants to do in a turn, read from its words (LLM-TPC, Fig. S3)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from scenemind.words.quoting import tame

_LONGEST_ANSWER, _LONGEST_THOUGHT = 120, 2000
_MOST_OBJECTS = 20

# Reasoning models think aloud first; some servers leave out where it begins.
_ALOUD = re.compile(r"(?:\A|<think>)(?:(?!<think>).)*?</think>", re.DOTALL)
_FLAGS = re.MULTILINE | re.IGNORECASE
_THOUGHT = re.compile(r"^[^\w\n`]*thought\W*:", _FLAGS)
_ACTION = re.compile(r"^[^\w\n`]*action\W*:[ \t*]*(?P<name>.*)$", _FLAGS)
_INPUT = re.compile(r"^[^\w\n`]*action[ _]input\W*:[ \t*]*", _FLAGS)
_OBSERVATION = re.compile(r"^[^\w\n`]*observation\W*:", _FLAGS)
_FINAL = re.compile(r"^[^\w\n`]*(?:the )?final answer\W*:[ \t*]*", _FLAGS)
_OBJECTS = re.compile(r"^[^\w\n`]*objects\W*:(?P<names>.*)$", _FLAGS)
_FENCE = "```"
_FENCED = re.compile(
    r"```[^\S\n]*\w*[^\S\n]*\n(?P<code>.*?)(?:^[^\S\n]*```|\Z)", re.DOTALL | _FLAGS
)


@dataclass(frozen=True, slots=True)
class WriteProgram:
    """The model wants to look something up."""

    thought: str
    program: str


@dataclass(frozen=True, slots=True)
class GiveAnswer:
    """The model knows enough.

    Attributes:
        answer: one plain line; empty where it said nothing.
        objects: what it rests on, in the model's words ("chair 4").
    """

    thought: str
    answer: str
    objects: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Neither.

    Attributes:
        complaint: what is wrong, for the model, without a full stop.
    """

    complaint: str


Turn = WriteProgram | GiveAnswer | Unreadable


def read_turn(text: str) -> Turn:
    """The first action in a reply. What follows it is made up, an observation above all: nothing
    has been run yet."""
    text = _ALOUD.sub("", text)
    text = text[: _start_of(_OBSERVATION, text)]
    action = _ACTION.search(text)
    if action is None:
        return _without_action(text)
    thought = _thought(text[: action.start()])
    name = action["name"].lower()
    following = text[action.end() :]
    following = following[: _start_of(_ACTION, following)]
    given = following[_end_of(_INPUT, following) :]
    if "program" in name:
        return _program(thought, given)
    if "answer" in name:
        return _answer(thought, given.strip() or name.rpartition("answer")[2])
    return Unreadable(f'there is no action "{tame(name)}", only Program and Final Answer')


def _without_action(text: str) -> Turn:
    """Many models forget the line, and write the program or the answer all the same."""
    fenced = _FENCED.search(text)
    if fenced is not None:
        return _program(_thought(text[: fenced.start()]), fenced[0])
    final = _FINAL.search(text)
    if final is not None:
        return _answer(_thought(text[: final.start()]), text[final.end() :])
    if not text.strip():
        return Unreadable("it says nothing")
    return Unreadable("it has no line that begins with Action")


def _program(thought: str, given: str) -> WriteProgram | Unreadable:
    fenced = _FENCED.search(given)
    program = (given if fenced is None else fenced["code"]).strip("\n")
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
    """Without quotes, full stops and marks of emphasis around it."""
    return tame(words, _LONGEST_ANSWER).strip(" .\"'*:")


def _thought(text: str) -> str:
    return tame(text[_end_of(_THOUGHT, text) :], _LONGEST_THOUGHT)


def _start_of(pattern: re.Pattern[str], text: str) -> int:
    """Where it begins outside of programs, whose comments may hold anything; else the end."""
    starts = (found.start() for found in pattern.finditer(text))
    return next((start for start in starts if text.count(_FENCE, 0, start) % 2 == 0), len(text))


def _end_of(pattern: re.Pattern[str], text: str) -> int:
    found = pattern.search(text)
    return 0 if found is None else found.end()
