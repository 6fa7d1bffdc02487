"""One line of JSON for a location, in as much detail as there is room for."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, NamedTuple

from scenemind.memory.tree.contents import Contents
from scenemind.memory.tree.token_estimate import estimate_tokens
from scenemind.memory.types import MapObject
from scenemind.words.quoting import tame

# Clutter: what the map is not sure of, and what a hand can close around.
_SURE = 0.3
_SMALL_M = 0.12
# More things of one label at one location are a crowd: their number says more than their ids.
_CROWD = 4
_EVERYWHERE = -1  # in place of a location's id
_NAMELESS = "object"

_encode = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False).encode


class Detail(IntEnum):
    """What is dropped to save tokens; each step drops what the ones before it do, and more."""

    FULL = 0
    """Every map object with its id at every location; other tracklets as counts by label."""
    CLUTTER_COUNTED = 1
    """Clutter, and crowds of one label, only as counts by label."""
    REVISITS_FOLDED = 2
    """A revisit lists only what no visit before it has listed, and refers to the first one."""
    OBJECTS_ONCE = 3
    """Only at the first location that shows it; no line for a location with nothing new. From here
    on the text grows with the objects of the map, no more with time."""
    CLUTTER_LEFT_OUT = 4
    """No clutter and no tracklet without a map object."""
    COUNTS_ONLY = 5
    """Labels with counts in place of ids."""
    NEWEST_ONLY = 6
    """The oldest lines are left out."""


class Thing(NamedTuple):
    """What the text depends on of a map object.

    Attributes:
        label: as `label_shown` gives it.
    """

    label: str
    is_clutter: bool

    @classmethod
    def of(cls, thing: MapObject) -> Thing:
        return cls(
            label_shown(thing.label),
            not thing.corrected and (thing.confidence < _SURE or max(thing.box.size) < _SMALL_M),
        )


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """
    Attributes:
        text: JSON and a newline; empty when the location is left out.
        object_ids: map objects that it names or counts.
        listed: what lines after it need not list again: ids of objects, and labels, which are
            those of tracklets without an object there.
    """

    text: str
    tokens: int
    object_ids: tuple[int, ...]
    listed: tuple[int | str, ...]


# Object id, the object, and the label under which it was seen there.
_Seen = tuple[int, Thing | None, str]
_NO_LINE = Line("", 0, (), ())


def write_line(
    contents: Contents,
    things: Mapping[int, Thing],
    detail: Detail,
    listed: AbstractSet[int | str],
) -> Line:
    """The line of one location.

    `{"id":7,"revisits":2,"sees":{"chair":[3,11],"cup":2,"book":[5,"+9"]}}`: chairs 3 and 11, two
    cups, book 5 and nine more. A number alone counts map objects where there are some of that
    label, else tracklets that fed none.

    Args:
        things: the objects that may be named; others count as none.
        listed: what need not be listed again (`Line.listed` of the lines before, where it counts:
            see `what_counts`). Not looked at before `REVISITS_FOLDED`.
    """
    if detail >= Detail.OBJECTS_ONCE and listed >= set(contents.object_ids):
        return _NO_LINE
    there = [things.get(object_id) for object_id in contents.object_ids]
    new = list(zip(contents.object_ids, there, contents.labels, strict=True))
    if detail >= Detail.REVISITS_FOLDED:
        new = _unlisted(new, listed)
    passed: list[int | str] = []
    if detail >= Detail.CLUTTER_LEFT_OUT:
        passed = [i for i, thing, _ in new if thing is None or thing.is_clutter]
        new = [item for item in new if item[1] is not None and not item[1].is_clutter]
    sees = _sees(new, _crowds(there, detail))
    object_ids = tuple([object_id for object_id, thing, _ in new if thing is not None])
    listed_now = (*passed, *object_ids, *sees)
    if detail >= Detail.OBJECTS_ONCE and not sees:
        return Line("", 0, (), listed_now)
    text = _encode(_values(contents, sees, detail)) + "\n"
    return Line(text, estimate_tokens(text), object_ids, listed_now)


def label_shown(label: str) -> str:
    """As the text spells it, which a language model reads and may answer with: plain and short."""
    return tame(label) or _NAMELESS


def what_counts(detail: Detail, place: int) -> int:
    """Which lines before one at this place tell what it need not list: those of the same key.

    Args:
        place: the first visit of the location; its own id when it is one.
    """
    return _EVERYWHERE if detail >= Detail.OBJECTS_ONCE else place


def _unlisted(seen: Iterable[_Seen], listed: AbstractSet[int | str]) -> list[_Seen]:
    """What was not listed: objects by their ids, tracklets that fed none by their labels."""
    return [
        item
        for item in seen
        if (item[0] if item[1] is not None else label_shown(item[2])) not in listed
    ]


def _crowds(there: Iterable[Thing | None], detail: Detail) -> AbstractSet[str] | None:
    """Labels of which there are only counts; None: everything is named, clutter too."""
    if detail < Detail.CLUTTER_COUNTED:
        return None
    labels = [thing.label for thing in there if thing is not None]
    if detail >= Detail.COUNTS_ONLY:
        return set(labels)
    return {label for label, count in Counter(labels).items() if count > _CROWD}


def _sees(seen: Iterable[_Seen], crowds: AbstractSet[str] | None) -> dict[str, Any]:
    """Args: crowds: see `_crowds`."""
    named: dict[str, list[int]] = {}
    counts: dict[str, int] = {}
    loose: dict[str, int] = {}
    for object_id, thing, label in seen:
        if thing is None:
            shown = label_shown(label)
            loose[shown] = loose.get(shown, 0) + 1
        elif crowds is not None and (thing.is_clutter or thing.label in crowds):
            counts[thing.label] = counts.get(thing.label, 0) + 1
        else:
            named.setdefault(thing.label, []).append(object_id)
    sees: dict[str, Any] = {**loose, **counts}
    for label, ids in named.items():
        sees[label] = [*ids, f"+{counts[label]}"] if label in counts else ids
    return dict(sorted(sees.items()))


def _values(contents: Contents, sees: dict[str, Any], detail: Detail) -> dict[str, Any]:
    values: dict[str, Any] = {"id": contents.location_id}
    if contents.revisit_of is not None and detail < Detail.OBJECTS_ONCE:
        values["revisits"] = contents.revisit_of
    if sees:
        values["sees"] = sees
    return values
