"""One line of JSON for a location, in as much detail as there is room for."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Container, Hashable, Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, NamedTuple

from scenemind.memory.tree.contents import Contents
from scenemind.memory.tree.token_estimate import estimate_tokens
from scenemind.memory.types import MapObject

# Clutter: what the map is not sure of, and what a hand can close around.
_SURE = 0.3
_SMALL_M = 0.12
# More things of one label at one location are a crowd: their number says more than their ids.
_CROWD = 4

_encode = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False).encode


class Detail(IntEnum):
    """What is dropped to save tokens; each step drops what the ones before it do, and more."""

    FULL = 0
    """Every map object with its id at every location; other tracklets as counts by label."""
    CLUTTER_COUNTED = 1
    """Clutter, and crowds of one label, only as counts by label."""
    REVISITS_FOLDED = 2
    """A revisit lists only what no visit before it has listed, and refers to the first one."""
    CLUTTER_LEFT_OUT = 3
    """No clutter, no tracklet without a map object; no line for a revisit with nothing new."""
    OBJECTS_ONCE = 4
    """A map object only at the first location that shows it; no line for one with nothing new.
    From here on the text grows with the objects of the map, no more with time."""
    COUNTS_ONLY = 5
    """Labels with counts in place of ids."""
    NEWEST_ONLY = 6
    """The oldest lines are left out."""


class Thing(NamedTuple):
    """What the text depends on of a map object."""

    label: str
    is_clutter: bool

    @classmethod
    def of(cls, thing: MapObject) -> Thing:
        return cls(
            thing.label,
            not thing.corrected and (thing.confidence < _SURE or max(thing.box.size) < _SMALL_M),
        )


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """
    Attributes:
        text: JSON and a newline; empty when the location is left out.
        object_ids: map objects that it names or counts.
        listed: what lines after it need not list again.
    """

    text: str
    tokens: int
    object_ids: tuple[int, ...]
    listed: tuple[Hashable, ...]


def write_line(
    contents: Contents,
    place: int,
    things: Mapping[int, Thing],
    detail: Detail,
    listed: Container[Hashable],
) -> Line:
    """The line of one location.

    `{"id":7,"revisits":2,"sees":{"chair":[3,11],"cup":2,"book":[5,"+9"]}}`: chairs 3 and 11, two
    cups, book 5 and nine more. A number alone counts map objects where there are some of that
    label, else tracklets that fed none.

    Args:
        place: the first visit of the location; its own id when it is one.
        things: the objects that may be named; others count as none.
        listed: of the lines before (`Line.listed`).
    """
    named: dict[str, list[int]] = {}
    counts: Counter[str] = Counter()
    loose: Counter[str] = Counter()
    object_ids: list[int] = []
    keys: list[Hashable] = []
    known = [
        (object_id, things.get(object_id), label)
        for object_id, label in zip(contents.object_ids, contents.labels, strict=True)
    ]
    crowd = Counter(thing.label for _, thing, _ in known if thing is not None)
    for object_id, thing, label in known:
        if detail >= Detail.CLUTTER_LEFT_OUT and (thing is None or thing.is_clutter):
            continue
        if detail >= Detail.REVISITS_FOLDED:
            key = _key(place, object_id, thing, label, detail)
            if key in listed:
                continue
            keys.append(key)
        if thing is None:
            loose[label] += 1
            continue
        object_ids.append(object_id)
        if _is_counted(thing, crowd, detail):
            counts[thing.label] += 1
        else:
            named.setdefault(thing.label, []).append(object_id)
    sees = _sees(named, counts, loose)
    if _is_left_out(bool(sees), contents, detail):
        return Line("", 0, (), ())
    text = _encode(_values(contents, sees, detail)) + "\n"
    return Line(text, estimate_tokens(text), tuple(object_ids), tuple(keys))


def _key(place: int, object_id: int, thing: Thing | None, label: str, detail: Detail) -> Hashable:
    what: Hashable = label if thing is None else object_id
    return what if detail >= Detail.OBJECTS_ONCE else (place, what)


def _is_counted(thing: Thing, crowd: Mapping[str, int], detail: Detail) -> bool:
    if detail < Detail.CLUTTER_COUNTED:
        return False
    is_crowd = crowd[thing.label] > _CROWD
    return thing.is_clutter or is_crowd or detail >= Detail.COUNTS_ONLY


def _is_left_out(sees_something: bool, contents: Contents, detail: Detail) -> bool:
    if sees_something or detail < Detail.CLUTTER_LEFT_OUT:
        return False
    return contents.revisit_of is not None or detail >= Detail.OBJECTS_ONCE


def _sees(
    named: Mapping[str, list[int]], counts: Mapping[str, int], loose: Mapping[str, int]
) -> dict[str, Any]:
    sees: dict[str, Any] = {**loose, **counts}
    for label, ids in named.items():
        sees[label] = [*ids, f"+{counts[label]}"] if counts[label] else ids
    return dict(sorted(sees.items()))


def _values(contents: Contents, sees: dict[str, Any], detail: Detail) -> dict[str, Any]:
    values: dict[str, Any] = {"id": contents.location_id}
    if contents.revisit_of is not None and detail < Detail.OBJECTS_ONCE:
        values["revisits"] = contents.revisit_of
    if sees:
        values["sees"] = sees
    return values
