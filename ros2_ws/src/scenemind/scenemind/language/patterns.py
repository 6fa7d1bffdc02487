"""Sentence patterns as data: from the words of a sentence to a tree.

    "how many [of] {subject} [<be>] [there]"

A pattern is made of words, choices "(a|b c)", optional words "[a|b c]", named lists of words "<be>"
and slots "{name}" or "{name:kind}". A slot takes one or more words, as few as possible; a reader
for its kind turns them into a value, or refuses them. The first pattern that takes all words wins.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from scenemind.language.tokens import Token

Words = tuple[str, ...]
_PART = re.compile(r"\{(?P<slot>\w+)(?::(?P<kind>\w+))?\}|<(?P<list>\w+)>|\((?P<one>[^)]*)\)"
                   r"|\[(?P<maybe>[^]]*)\]|(?P<word>[^\s{}<>()\[\]]+)")  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """Words of which one stands here, the longest first; the empty one for optional words.

    A book has one for the same options wherever they stand.
    """

    options: tuple[Words, ...]


@dataclass(frozen=True, slots=True)
class Slot:
    name: str
    kind: str


@dataclass(frozen=True, slots=True)
class Pattern:
    """A pattern, and the values that a sentence of this shape has besides its slots."""

    shape: str
    parts: tuple[Choice | Slot, ...]
    values: Mapping[str, Any]


@dataclass(slots=True)
class Sentence:
    """A sentence while patterns are tried on it.

    Attributes:
        furthest: number of the token up to which the slots of some pattern have read it.
    """

    text: str
    tokens: Sequence[Token]
    furthest: int = 0
    words: Words = ()
    read: dict[tuple[str, int, int], Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.words = tuple(token.word for token in self.tokens)


Reader = Callable[[Sentence, int, int], Any]
"""Value of the words from one number up to another; None where they are no such value."""


class PatternBook:
    """All patterns of one kind of sentence, in the order in which they are tried."""

    def __init__(self, table: Mapping[str, Any], readers: Mapping[str, Reader]) -> None:
        """
        Args:
            table: `words`: lists of words by name; `shapes`: a list of {shape: name, patterns:
                [pattern, ...], further values}.
            readers: by kind of slot. A kind that is a mapping in `words` takes its keys.
        """
        self._lists: Mapping[str, Any] = table["words"]
        self._readers = readers
        self._choices: dict[tuple[Words, ...], Choice] = {}
        self.patterns: tuple[Pattern, ...] = tuple(
            self._compiled(entry, pattern)
            for entry in table["shapes"]
            for pattern in entry["patterns"]
        )

    def table(self, kind: str) -> Mapping[str, Any] | None:
        """The table of a kind of slot; None for a kind that a reader reads."""
        known = self._lists.get(kind)
        return known if isinstance(known, Mapping) else None

    def readings(self, sentence: Sentence) -> Iterator[tuple[str, dict[str, Any]]]:
        """Shapes with the values of their slots, in the order of the patterns."""
        for pattern in self.patterns:
            for values in self._matches(pattern.parts, sentence, 0):
                yield pattern.shape, {**pattern.values, **values}

    def _matches(
        self, parts: tuple[Choice | Slot, ...], said: Sentence, at: int
    ) -> Iterator[dict[str, Any]]:
        if not parts:
            if at == len(said.words):
                yield {}
            return
        part, rest = parts[0], parts[1:]
        if isinstance(part, Choice):
            for option in part.options:
                end = at + len(option)
                if said.words[at:end] == option:
                    yield from self._matches(rest, said, end)
            return
        for end in range(at + 1, len(said.words) + 1):
            if not _may_go_on(rest, said.words, end):
                continue
            value = self.value(part.kind, said, at, end)
            if value is not None:
                said.furthest = max(said.furthest, end)
                for values in self._matches(rest, said, end):
                    yield {part.name: value, **values}

    def value(self, kind: str, said: Sentence, start: int, end: int) -> Any:
        """Value of a slot of a kind from one word up to another; None where they have none."""
        key = kind, start, end
        if key not in said.read:
            table = self.table(kind)
            if table is not None:
                said.read[key] = table.get(" ".join(said.words[start:end]))
            else:
                said.read[key] = self._readers[kind](said, start, end)
        return said.read[key]

    def _compiled(self, entry: Mapping[str, Any], pattern: str) -> Pattern:
        parts: list[Choice | Slot] = []
        for found in _PART.finditer(pattern):
            if found["slot"]:
                parts.append(Slot(found["slot"], found["kind"] or found["slot"]))
            else:
                options = tuple(self._options(found))
                parts.append(self._choices.setdefault(options, Choice(options)))
        values = {key: value for key, value in entry.items() if key not in ("shape", "patterns")}
        return Pattern(entry["shape"], tuple(parts), values)

    def _options(self, found: re.Match[str]) -> list[Words]:
        if found["list"]:
            options = self._list(found["list"])
        elif found["word"]:
            options = [(found["word"],)]
        else:
            options = [
                option
                for text in (found["one"] or found["maybe"]).split("|")
                for option in self._expanded(text)
            ]
        options.sort(key=len, reverse=True)
        return [*options, ()] if found["maybe"] else options

    def _expanded(self, text: str) -> list[Words]:
        """Options of "do you <see>"."""
        options: list[Words] = [()]
        for word in text.split():
            known = self._list(word[1:-1]) if word.startswith("<") else [(word,)]
            options = [(*before, *after) for before in options for after in known]
        return options

    def _list(self, name: str) -> list[Words]:
        return [tuple(words.split()) for words in self._lists[name]]


def _may_go_on(rest: tuple[Choice | Slot, ...], words: Words, at: int) -> bool:
    """Whether the rest of a pattern may start at a word: a cheap test before a slot is read."""
    for part in rest:
        if isinstance(part, Slot):
            return at < len(words)
        if any(option and words[at : at + len(option)] == option for option in part.options):
            return True
        if () not in part.options:
            return False
    return at == len(words)
