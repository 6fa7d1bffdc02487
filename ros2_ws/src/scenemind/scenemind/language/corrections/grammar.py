"""Grammar of corrections: from a sentence to the commands in it.

Speech acts around a correction ("no, you got this wrong: ...") are removed by classes of words
(`speech_acts.yaml`), not by sentences; words that are surely of no class stay, so that the sentence
is not understood ("I doubt that this is a stool").
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from scenemind.language.corrections.clauses import Aside, Bare, Clause, broken_up, read_sentence
from scenemind.language.corrections.commands import find_clause
from scenemind.language.english import patterns_of, read_table
from scenemind.language.shapes import Sentence
from scenemind.language.tokens import NotUnderstoodError, Token
from scenemind.language.trees import Command, Marked, OfOne

_CLASSES: dict[str, list[str]] = read_table("scenemind.language.corrections", "speech_acts.yaml")


_PATTERNS = patterns_of(_CLASSES)
_FRONT = re.compile(_PATTERNS["front"])
_BACK = re.compile(f"(?: |^){_PATTERNS['closing']}$")
_TAG = re.compile(f"(?:, )?{_PATTERNS['tag']}$")
_ASKS_TO_DO = re.compile("(?:can|could|would|will) you ")
_MOST_WORDS = 60  # of a clause; a longer one is no correction
_MOST_STARTS = 6  # readings of one clause, the shortest of them
_OBJECTING = frozenset(_CLASSES["objecting"])


def parse_commands(text: str) -> tuple[Command, ...]:
    """Commands of a correcting sentence: "the cup is a mug and it is blue" has two.

    Raises:
        NotUnderstoodError: with the part that could not be read.
    """
    tokens = broken_up(text)
    if is_doubtful(text, tokens):
        raise NotUnderstoodError(text.strip())
    said = Sentence(text, tokens)
    commands = read_sentence(tokens, lambda start, end: _find_clause(said, start, end))
    if commands is None:
        raise said.error()
    return commands


def is_of_last(command: Command) -> bool:
    """Whether a command is about the object of the one before ("and it is blue")."""
    return isinstance(command, OfOne) and command.subject == Marked()


def _find_clause(said: Sentence, start: int, end: int) -> Clause | None:
    """Content of a clause without its speech acts; None where it is not understood."""
    if end - start > _MOST_WORDS:
        return None
    tokens = said.tokens
    for first, last in _contents(list(tokens[start:end])):
        around = (*tokens[start : start + first], *tokens[start + last : end])
        objects = not _OBJECTING.isdisjoint(token.word for token in around)
        if first >= last:
            return Aside(objects)
        clause = find_clause(said, start + first, start + last)
        if clause is not None:
            return replace(clause, is_objection=objects) if isinstance(clause, Bare) else clause
    return None


def without_speech_acts(tokens: list[Token]) -> Iterator[list[Token]]:
    """Candidate readings without speech acts, from the shortest to the whole sentence.

    Several, because "no" belongs to the words after it in "no chair there". Some may be empty.
    """
    return (tokens[first:last] for first, last in _contents(tokens))


def _contents(tokens: list[Token]) -> Iterator[tuple[int, int]]:
    """First word and end of each candidate; see `without_speech_acts`."""
    end = _end(tokens)
    for start in reversed(_starts(tokens)):
        yield start, max(start, end)
    if end < len(tokens):
        yield 0, len(tokens)


def is_doubtful(text: str, tokens: list[Token]) -> bool:
    """Whether a sentence ends in a question mark that is neither a request nor a tag ("isn't
    it?")."""
    said = _said(tokens)
    if not text.rstrip().rstrip("\"')").endswith("?") or _TAG.search(said):
        return False
    words = said.split()
    openings = (" ".join(words[start : start + 3]) for start in _starts(tokens))
    return not any(map(_ASKS_TO_DO.match, openings))


def _starts(tokens: list[Token]) -> list[int]:
    """Indices of words up to which only speech acts stand; 0 is one of them."""
    said, starts = _said(tokens), [0]
    at = 0
    while at < len(said) and (found := _FRONT.match(said, at)):
        at = found.end()
        starts.append(len(said[:at].split()))
    return [0, *starts[1:][-_MOST_STARTS:]]


def _end(tokens: list[Token]) -> int:
    said = _said(tokens)
    while said and (found := _BACK.search(said)):
        said = said[: found.start()]
    return len(said.split())


def _said(tokens: list[Token]) -> str:
    return " ".join(token.word for token in tokens)
