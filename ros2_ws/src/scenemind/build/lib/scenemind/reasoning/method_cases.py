"""The table of cases by which `auto` chooses a method with a model (`method_cases.yaml`)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, Literal

from scenemind.language.english import read_table, shown
from scenemind.language.referring.reader import read
from scenemind.language.trees import noun_phrases
from scenemind.language.vocabulary import Vocabulary
from scenemind.memory import MemoryAccess
from scenemind.reasoning.query import Query

Action = Literal["ask", "ground"]

_OPEN = re.compile(r"\s*what\b", re.IGNORECASE)
# Of the detections of a label. Where more are on no object, the map has missed some of the things,
# or the detector sees some that are none: pictures tell which.
_DOUBTFUL_SHARE = 0.33


def asks_for(kind: str, text: str) -> bool:
    """A text has words of a kind of the table, such as `counts`."""
    return bool(_table().kinds[kind].search(text))


@dataclass(frozen=True, slots=True)
class Case:
    """A case that holds for a question.

    Attributes:
        methods: best first.
        reason: for the person.
        is_first: it goes before the grammar.
    """

    name: str
    methods: tuple[str, ...]
    reason: str
    is_first: bool = False


def case_of(query: Query, memory: MemoryAccess, action: Action) -> Case:
    """The first case of the table that holds for a question on a memory."""
    table = _table()
    for row in table.cases:
        found = table.kinds[row["asks"]].search(query.text) if "asks" in row else None
        if found is None and "asks" in row:
            continue
        beside = query.text if found is None else table.kinds[row["asks"]].sub(" ", query.text)
        facts = _Facts(query, beside, memory)
        if any(getattr(facts, name) != row[name] for name in _FACTS if name in row):
            continue
        word = "" if found is None else shown(found.groupdict().get("word") or found[0])
        reason = row["says"].format(word=word, thing=shown(facts.thing))
        methods = row["ask"] if action == "ask" else row.get("ground", table.finders)
        return Case(row["name"], tuple(methods), reason, row.get("first", False))
    raise AssertionError("the last case holds always")


@dataclass(frozen=True, slots=True)
class _Table:
    kinds: Mapping[str, re.Pattern[str]]
    cases: tuple[Mapping[str, Any], ...]
    finders: tuple[str, ...]


@cache
def _table() -> _Table:
    table = read_table("scenemind.reasoning", "method_cases.yaml")
    kinds = {
        name: re.compile(rf"\b(?:{'|'.join(patterns)})\b", re.IGNORECASE)
        for name, patterns in table["kinds"].items()
    }
    return _Table(kinds, tuple(table["cases"]), tuple(table["finders"]))


_FACTS = ("situated", "known", "doubtful", "related", "open")


class _Facts:
    """What the conditions of the table ask about a question and a memory; each is looked up where a
    case asks for it."""

    def __init__(self, query: Query, beside: str, memory: MemoryAccess) -> None:
        """Args: beside: the text without the words of its kind."""
        self._query = query
        self._beside = beside
        self._memory = memory

    @cached_property
    def situated(self) -> bool:
        return bool(self._query.situation.strip()) or asks_for("stands", self._query.text)

    @cached_property
    def open(self) -> bool:
        return bool(_OPEN.match(self._query.text))

    @cached_property
    def thing(self) -> str:
        """The first thing that is named; empty for none."""
        return next(iter(self._nouns), "")

    @cached_property
    def known(self) -> bool:
        return bool(_matches(self.thing, self._labels))

    @cached_property
    def related(self) -> bool:
        return sum(bool(_matches(noun, self._labels)) for noun in self._nouns) > 1

    @cached_property
    def doubtful(self) -> bool:
        index = self._memory.frame_index()
        found = index.is_called(_matches(self.thing, self._labels | {*index.labels}))
        unmapped = found & (index.detection_objects == 0)
        return bool(unmapped.sum() > _DOUBTFUL_SHARE * found.sum())

    @cached_property
    def _nouns(self) -> tuple[str, ...]:
        """In their order."""
        phrase = read(self._beside).phrase
        said = (*(each.noun for each in noun_phrases(phrase)), *phrase.unread)
        return tuple(dict.fromkeys(filter(None, said)))

    @cached_property
    def _labels(self) -> frozenset[str]:
        """Of the map's objects."""
        return frozenset(thing.label for thing in self._memory.snapshot().objects.values())


def _matches(noun: str, labels: frozenset[str]) -> frozenset[str]:
    """The labels that a noun may mean."""
    matches = Vocabulary.load().match(noun, labels) if noun else ()
    return frozenset(match.label for match in matches)
