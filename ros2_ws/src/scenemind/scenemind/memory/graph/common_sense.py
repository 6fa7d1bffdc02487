"""Common sense about things by their name, from the table `common_sense.yaml` beside this file.

SynergAI verifies its graph with a hand-made mapping from objects to relations (appendix B); its
table is not published, and this one is our own.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from pydantic import BaseModel, ConfigDict

from scenemind.language.english import read_table
from scenemind.memory.types import StructureKind

# Labels are looked up by this many of their last words, in at most this many letters.
_LAST_WORDS = 3
_LONGEST_LABEL = 80
_CACHED_LABELS = 4096


@dataclass(frozen=True, slots=True)
class Sense:
    """Common sense about things of one name.

    Attributes:
        structure: it is a floor, a wall or a ceiling.
        is_open_frame: its box is mostly air, or carries below its top.
        holds_nothing: nothing stands on it or lies in it.
        has_back: it carries at its seat, and nothing stands on its top.
        has_seat: it carries at half its height, where its level surface is not known.
        stands: it never hangs on a wall or from a ceiling.
        has_legs: the floor carries it, without another carrier, at any height of its box.
        has_foot: it stands on a thin foot, which its box often leaves out.
        reaches_floor: it stands on the floor, though a table may hide its lower half.
        is_part_of_wall: a wall holds it even if it reaches the floor.
        is_on_walls: a wall is a likelier carrier than a thing that seems to be under it.
        attached: the predicate for it and the wall or ceiling that carries it; None: unknown.
        names: its names in the table.
        hosts: names of things that it is set into.
        moves: it goes where it likes, and is not expected where it was seen.
    """

    structure: StructureKind | None = None
    is_open_frame: bool = False
    holds_nothing: bool = False
    has_back: bool = False
    has_seat: bool = False
    stands: bool = False
    has_legs: bool = False
    has_foot: bool = False
    reaches_floor: bool = False
    is_part_of_wall: bool = False
    is_on_walls: bool = False
    attached: str | None = None
    names: frozenset[str] = frozenset()
    hosts: frozenset[str] = frozenset()
    moves: bool = False


class _Table(BaseModel):
    """The file's content: name of a list -> labels."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    structure: dict[StructureKind, frozenset[str]]
    open_frames: frozenset[str]
    holds_nothing: frozenset[str]
    with_back: frozenset[str]
    with_seat: frozenset[str]
    standing: frozenset[str]
    on_legs: frozenset[str]
    on_foot: frozenset[str]
    reaching_floor: frozenset[str]
    attached: dict[str, frozenset[str]]
    part_of_wall: frozenset[str]
    on_walls: frozenset[str]
    embedded: dict[str, frozenset[str]]
    moving: frozenset[str]


@lru_cache(maxsize=_CACHED_LABELS)
def sense_of(label: str) -> Sense:
    """Common sense about a thing of this label; the defaults for an unknown label."""
    names, table = _names(label), _table()

    def is_in(labels: frozenset[str]) -> bool:
        return not labels.isdisjoint(names)

    return Sense(
        structure=next((kind for kind, labels in table.structure.items() if is_in(labels)), None),
        is_open_frame=is_in(table.open_frames),
        holds_nothing=is_in(table.holds_nothing),
        has_back=is_in(table.with_back),
        has_seat=is_in(table.with_back | table.with_seat),
        stands=is_in(table.standing),
        has_legs=is_in(table.on_legs),
        has_foot=is_in(table.on_foot),
        reaches_floor=is_in(table.reaching_floor),
        is_part_of_wall=is_in(table.part_of_wall),
        is_on_walls=is_in(table.on_walls),
        attached=_attached(names, table),
        names=frozenset(names),
        hosts=frozenset().union(*(table.embedded.get(name, frozenset()) for name in names)),
        moves=is_in(table.moving),
    )


def spoken_predicate(predicate: str, subject: Sense, carrier: Sense) -> str:
    """The usual predicate for a thing and its carrier: "embedded in" if the carrier is its host."""
    return "embedded in" if not subject.hosts.isdisjoint(carrier.names) else predicate


def _attached(names: tuple[str, ...], table: _Table) -> str | None:
    """The attachment of the most specific name: of "ceiling light" before "light"."""
    for name in names:
        for predicate, labels in table.attached.items():
            if name in labels:
                return predicate
    return None


def _names(label: str) -> tuple[str, ...]:
    """Names in the table that a label may have, the most specific first."""
    words = label[-_LONGEST_LABEL:].lower().replace("_", " ").split()[-_LAST_WORDS:]
    phrases = [" ".join(words[start:]) for start in range(len(words))]
    return tuple(
        name
        for phrase in phrases
        for name in ((phrase, phrase[:-1]) if phrase.endswith("s") else (phrase,))
    )


@lru_cache(maxsize=1)
def _table() -> _Table:
    return _Table.model_validate(read_table(__package__, "common_sense.yaml"))
