"""What is usual of things by their name, from the table `ordinary.yaml` beside this file.

General sense and no fact of a room: only answers that must be given rest on it.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

from pydantic import BaseModel, ConfigDict

from scenemind.words.english import normal, singular
from scenemind.words.tables import read_table
from scenemind.words.thesaurus import Thesaurus

_ENDINGS = ("ing", "ed", "es", "s", "y", "e")


class _Table(BaseModel):
    """The file's content; see there."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    purposes: dict[str, str]
    materials: dict[str, frozenset[str]]
    colors: dict[str, frozenset[str]]
    shapes: dict[str, frozenset[str]]
    sizes: dict[str, frozenset[str]]
    may_be_round: frozenset[str]
    parts: dict[str, int]
    states: tuple[str, ...]
    rooms: dict[str, dict[str, float]]


def purpose_share(label: str, words: tuple[str, ...]) -> float:
    """Which share of the words says what a thing of the label is for or like, in [0, 1]."""
    if not words:
        return 0.0
    wanted = [stem(word) for word in words]
    known = _purposes_of(label)
    return sum(word in known for word in wanted) / len(wanted)


def usual(label: str, which: Literal["color", "shape", "material", "size"]) -> str | None:
    """The usual colour, shape or material of such things."""
    table = _table()
    values = {
        "color": table.colors,
        "shape": table.shapes,
        "material": table.materials,
        "size": table.sizes,
    }[which]
    for name in _names(label):
        for value, labels in values.items():
            if name in labels:
                return value
    return None


def may_be_round(label: str) -> bool:
    """Whether such things often are round seen from above."""
    return not _table().may_be_round.isdisjoint(_names(label))


def is_known(word: str) -> bool:
    """Whether a word names things of rooms."""
    table, name = _table(), singular(word)
    return name in table.purposes or name in Thesaurus.load().known()


def find_parts(noun: str) -> int | None:
    """How many parts of a name things usually have ("legs")."""
    return _table().parts.get(singular(noun))


def find_usual_state(options: tuple[str, ...]) -> str | None:
    """Which of the words says what is usual."""
    return next((state for state in _table().states if state in options), None)


def room_weights(kind: str) -> dict[str, float]:
    """What tells of a room of a kind, one of `room_kinds`."""
    return _table().rooms[kind]


def find_room(words: str) -> str | None:
    """The kind of room that words name; None: of no such kind anything is known."""
    named = [kind for kind in _table().rooms if kind in words]
    return max(named, key=len) if named else None


def room_kinds() -> tuple[str, ...]:
    """Kinds of rooms that are known."""
    return tuple(_table().rooms)


@lru_cache(maxsize=4096)
def stem(word: str) -> str:
    """A word without its usual endings."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)]
            break
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] else word


@lru_cache(maxsize=4096)
def _purposes_of(label: str) -> frozenset[str]:
    words = " ".join(_table().purposes.get(name, "") for name in _names(label))
    return frozenset(stem(word) for word in (*words.split(), *normal(label).split()))


@lru_cache(maxsize=4096)
def _names(label: str) -> tuple[str, ...]:
    """What a label may go by in the table, the most special first."""
    words = [singular(word) for word in normal(label).split()]
    whole = " ".join(words)
    same = sorted(Thesaurus.load().synonyms(whole) | Thesaurus.load().synonyms(normal(label)))
    endings = (" ".join(words[first:]) for first in range(1, len(words)))
    return tuple(dict.fromkeys((whole, normal(label), *same, *endings)))


@lru_cache(maxsize=1)
def _table() -> _Table:
    return _Table.model_validate(read_table(__package__, "ordinary.yaml"))
