"""MemTree3D as text for a language model: JSON lines within a budget of tokens.

The paper (section 3.2) gives the model its first two levels, locations and object nodes, as JSON.
Here a line is a location (`write_line`), and map objects stand in place of tracklets, since
several tracklets at one location may show one object.

Text is only ever added at the end while the tree grows, which lets a provider's prompt cache find
what it has read before. When the budget is full, the text is written again in less detail
(`Detail`) and with room to grow: the larger the budget, the fewer times.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from copy import copy
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, NamedTuple

from scenemind.errors import SceneMemoryError
from scenemind.language.quoting import tame
from scenemind.memory.tree.locations import (
    NO_OBJECT,
    LocationContents,
    PackedLocation,
    contents_of,
    with_whole_objects,
)
from scenemind.memory.types import LocationNode, MapObject

# Byte-pair tokenizers cut at changes between letters, digits and punctuation first, and then
# each piece into what they have learned; common words stay whole, rare ones fall apart.
_PIECES = re.compile(r" ?[A-Za-z]{1,4}|[0-9]{1,2}|[^\w\s]{1,3}|.|\n")


def estimate_tokens(text: str) -> int:
    """About as many tokens as current tokenizers make of it, rather more than fewer.

    Letters count in fours, digits in twos, punctuation in threes, anything else one by one. A
    rule by length alone, such as characters / 3.5, is 20 % too low on JSON: it is full of digits
    and brackets. Compared with the largest count of four (cl100k, o200k and the tokenizers of two
    other vendors): 1.01 to 1.14 times it on the tree's JSON, 1.01 times on rare words and other
    scripts, up to 1.33 times on short plain sentences, whose words are common.
    """
    return len(_PIECES.findall(text))


# Clutter: objects of low confidence, and objects that fit into a hand.
_SURE = 0.3
_SMALL_M = 0.12
# More objects of one label at one location are a crowd, which is written as a number, without ids.
_CROWD = 4
_EVERYWHERE = -1  # in place of a location's id
_NAMELESS = "object"
_encode = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False).encode


class Detail(IntEnum):
    """Levels of detail to save tokens; each level drops more than those before it."""

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


class ListedObject(NamedTuple):
    """The properties of a map object that its text depends on.

    Attributes:
        label: as `displayed_label` returns it.
    """

    label: str
    is_clutter: bool

    @classmethod
    def of(cls, thing: MapObject) -> ListedObject:
        return cls(
            displayed_label(thing.label),
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


def displayed_label(label: str) -> str:
    """A label as it is written in prompts: plain and short."""
    return tame(label) or _NAMELESS


# Object id, the object, and the label under which it was seen there.
_Seen = tuple[int, ListedObject | None, str]
_NO_LINE = Line("", 0, (), ())


def write_line(
    contents: LocationContents,
    things: Mapping[int, ListedObject],
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
            see `_listing_scope`). Not looked at before `REVISITS_FOLDED`.
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


def _listing_scope(detail: Detail, contents: LocationContents) -> int:
    """The key of the earlier lines whose objects the line of a location need not list again: all
    lines, or those of the location's first visit and its revisits."""
    if detail >= Detail.OBJECTS_ONCE:
        return _EVERYWHERE
    return contents.location_id if contents.revisit_of is None else contents.revisit_of


def _unlisted(seen: Iterable[_Seen], listed: AbstractSet[int | str]) -> list[_Seen]:
    """Items that were not listed: objects by their ids, tracklets without one by their labels."""
    return [
        item
        for item in seen
        if (item[0] if item[1] is not None else displayed_label(item[2])) not in listed
    ]


def _crowds(there: Iterable[ListedObject | None], detail: Detail) -> AbstractSet[str] | None:
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
            shown = displayed_label(label)
            loose[shown] = loose.get(shown, 0) + 1
        elif crowds is not None and (thing.is_clutter or thing.label in crowds):
            counts[thing.label] = counts.get(thing.label, 0) + 1
        else:
            named.setdefault(thing.label, []).append(object_id)
    sees: dict[str, Any] = {**loose, **counts}
    for label, ids in named.items():
        sees[label] = [*ids, f"+{counts[label]}"] if label in counts else ids
    return dict(sorted(sees.items()))


def _values(contents: LocationContents, sees: dict[str, Any], detail: Detail) -> dict[str, Any]:
    values: dict[str, Any] = {"id": contents.location_id}
    if contents.revisit_of is not None and detail < Detail.OBJECTS_ONCE:
        values["revisits"] = contents.revisit_of
    if sees:
        values["sees"] = sees
    return values


# Text that is rewritten because the budget was full takes at most this share of the budget.
_SHARE_AFTERWARDS = 0.7


@dataclass(frozen=True, slots=True, eq=False)
class WrittenLines:
    """
    Attributes:
        lines: oldest first; a location may have none.
        tokens: of all lines; at most the budget.
        location_count: how many locations were written, or left out.
        objects_seen: map objects of any of them.
    """

    lines: tuple[Line, ...]
    tokens: int
    detail: Detail
    location_count: int
    objects_seen: frozenset[int]


class JsonLines:
    """A fold over the locations in order: the same locations give the same lines, whether they
    come at once or one by one.

    Attributes:
        things: the objects that may be named.
        written: every location that was added.
    """

    def __init__(self, things: Mapping[int, ListedObject], token_budget: int) -> None:
        self.things = things
        self.written: list[LocationContents] = []
        self._lines: list[Line] = []  # those with a text
        self._tokens = 0
        self._detail = Detail.FULL
        self._budget = token_budget
        self._used: dict[int, ListedObject | None] = {}
        self._listed: dict[int, set[int | str]] = {}

    def is_beginning_of(
        self,
        closed: Sequence[LocationContents],
        things: Mapping[int, ListedObject],
        token_budget: int,
    ) -> bool:
        """True if the text of a tree with these closed locations and objects begins with these
        lines."""
        return (
            token_budget == self._budget
            and self.written == list(closed[: len(self.written)])
            and (
                things is self.things
                or all(things.get(object_id) == thing for object_id, thing in self._used.items())
            )
        )

    def add(self, contents: LocationContents) -> None:
        """Add a location."""
        self.written.append(contents)
        self._used.update(self._things_of(contents))
        self._write(contents)
        if self._tokens > self._budget:
            self._save_tokens()

    def with_last(self, growing: LocationContents | None) -> WrittenLines:
        """These lines and that of one more location, which may still change.

        The cost does not grow with the number of locations, unless the line exceeds the budget:
        then all lines are rewritten, and again in the next call.
        """
        if growing is None:
            return self._as_written((), {})
        line = self._line_of(growing)
        if self._tokens + line.tokens > self._budget:
            longer = self._copy()
            longer.add(growing)
            return longer._as_written((), {})
        return self._as_written((line,), self._things_of(growing))

    def _as_written(
        self, more: tuple[Line, ...], used_more: dict[int, ListedObject | None]
    ) -> WrittenLines:
        used = self._used | used_more
        return WrittenLines(
            (*self._lines, *(line for line in more if line.text)),
            self._tokens + sum(line.tokens for line in more),
            self._detail,
            len(self.written) + len(more),
            frozenset([object_id for object_id, thing in used.items() if thing is not None]),
        )

    def _copy(self) -> JsonLines:
        """A copy that can be extended."""
        longer = copy(self)
        longer.written, longer._lines = self.written.copy(), self._lines.copy()
        longer._used = self._used.copy()
        longer._listed = {key: listed.copy() for key, listed in self._listed.items()}
        return longer

    def _things_of(self, contents: LocationContents) -> dict[int, ListedObject | None]:
        return {i: self.things.get(i) for i in contents.object_ids if i != NO_OBJECT}

    def _write(self, contents: LocationContents) -> None:
        line = self._line_of(contents)
        scope = _listing_scope(self._detail, contents)
        self._listed.setdefault(scope, set()).update(line.listed)
        if line.text:
            self._lines.append(line)
            self._tokens += line.tokens

    def _line_of(self, contents: LocationContents) -> Line:
        """The line of a location as the next one of the text."""
        listed = self._listed.get(_listing_scope(self._detail, contents))
        return write_line(contents, self.things, self._detail, listed or set())

    def _save_tokens(self) -> None:
        enough = _SHARE_AFTERWARDS * self._budget
        while self._tokens > enough and self._detail < Detail.COUNTS_ONLY:
            self._detail = Detail(self._detail + 1)
            self._lines, self._tokens = [], 0
            self._listed.clear()
            for contents in self.written:
                self._write(contents)
                if self._tokens > enough and self._detail < Detail.COUNTS_ONLY:
                    break  # still too much: the next step drops more
        if self._tokens > enough:
            self._detail = Detail.NEWEST_ONLY
            self._drop_oldest(self._tokens - enough)

    def _drop_oldest(self, tokens: float) -> None:
        dropped = 0
        while tokens > 0:
            tokens -= self._lines[dropped].tokens
            dropped += 1
        self._tokens -= sum(line.tokens for line in self._lines[:dropped])
        del self._lines[:dropped]


DEFAULT_TOKEN_BUDGET = 8000
# For the model's prompt, with what the detail adds; it costs about 150 tokens beside the text.
_READING = (
    "Each line is one location of the camera, in order of time: id, and what it sees: labels with"
    " ids of objects. The same id is the same object at every location. A number in place of ids,"
    ' or "+n" after them, counts more of that label.'
)
_REVISITS = " revisits: the first location at the same place."
_FOLDED = " It and the visits since list what is there; this line only what is new."
_ONCE = " An object is listed only at the first location that sees it."
_NEWEST = " Older locations are left out."


@dataclass(frozen=True, slots=True)
class TreeJson:
    """The text of a tree, and counts of what it leaves out.

    Attributes:
        text: JSON lines, oldest location first. A pure function of tree, objects and budget.
        tokens: `estimate_tokens` of the text; never above the budget.
        detail: the level of detail that fits.
        reading: explanation of the text for the model's prompt; not counted in `tokens`.
        locations_shown, locations_left_out: all locations together.
        objects_shown, objects_left_out: map objects that the tree's locations saw.
        clutter_level: map objects seen per location, of the whole tree: the paper's measure of how
            hard it is to pick the right location (section 4.2, "unique objects / LocNodes").
    """

    text: str
    tokens: int
    detail: Detail
    reading: str
    locations_shown: int
    locations_left_out: int
    objects_shown: int
    objects_left_out: int
    clutter_level: float


class TreeJsonWriter:
    """Writes the text of a growing tree repeatedly; a call costs as much as the new part.

    The whole text is rewritten when a part of it has changed: the label of an object or whether it
    is clutter, the tracklets of a closed location, the budget. Not thread-safe.
    """

    def __init__(self) -> None:
        self._lines = JsonLines({}, 0)
        self._objects: Mapping[int, MapObject] = {}
        self._things: Mapping[int, ListedObject] = {}
        self._shown_as: Mapping[int, int] = {}
        self._closed: Sequence[PackedLocation] = ()
        self._contents: list[LocationContents] = []  # of the closed ones

    def write(
        self,
        locations: Sequence[PackedLocation],
        objects: Mapping[int, MapObject],
        token_budget: int,
        shown_as: Mapping[int, int],
    ) -> TreeJson:
        """
        Args:
            locations: as `MemTree.locations` gives them: while the tree grows, all but the newest
                are the same values in every call.
            objects: that may be named, by id.
            shown_as: id of an object that was merged -> id of the object it is part of.

        Raises:
            SceneMemoryError: a budget below 1.
        """
        closed = locations[:-1]
        if shown_as != self._shown_as or closed[: len(self._closed)] != self._closed:
            self._contents.clear()
        new = closed[len(self._contents) :]
        self._contents += [_contents_of(location, shown_as) for location in new]
        self._closed, self._shown_as = closed, shown_as
        growing = _contents_of(locations[-1], shown_as) if locations else None
        return self.write_contents(self._contents, growing, objects, token_budget)

    def write_contents(
        self,
        closed: Sequence[LocationContents],
        growing: LocationContents | None,
        objects: Mapping[int, MapObject],
        token_budget: int,
    ) -> TreeJson:
        """The text of locations by their contents; see `write`."""
        if token_budget < 1:
            raise SceneMemoryError(f"a token budget is at least 1, got {token_budget}")
        if objects is not self._objects:
            self._things = {i: self._thing(i, thing) for i, thing in objects.items()}
            self._objects = objects
        if not self._lines.is_beginning_of(closed, self._things, token_budget):
            self._lines = JsonLines(self._things, token_budget)
        self._lines.things = self._things
        for contents in closed[len(self._lines.written) :]:
            self._lines.add(contents)
        return _summed_up(self._lines.with_last(growing))

    def _thing(self, object_id: int, thing: MapObject) -> ListedObject:
        same = self._objects.get(object_id) is thing
        return self._things[object_id] if same else ListedObject.of(thing)


def tree_json(
    locations: Iterable[LocationNode],
    objects: Mapping[int, MapObject],
    token_budget: int = DEFAULT_TOKEN_BUDGET,
) -> TreeJson:
    """The text of a whole tree, written once; see `TreeJsonWriter` for one that grows.

    Raises:
        SceneMemoryError: a budget below 1.
    """
    contents = list(map(contents_of, locations))
    return TreeJsonWriter().write_contents(contents, None, objects, token_budget)


def _contents_of(location: PackedLocation, shown_as: Mapping[int, int]) -> LocationContents:
    contents = location.contents()
    return with_whole_objects(contents, shown_as) if shown_as else contents


def _summed_up(written: WrittenLines) -> TreeJson:
    lines, seen = written.lines, written.objects_seen
    shown = {object_id for line in lines for object_id in line.object_ids}
    return TreeJson(
        text="".join([line.text for line in lines]),
        tokens=written.tokens,
        detail=written.detail,
        reading=_reading(written.detail),
        locations_shown=len(lines),
        locations_left_out=written.location_count - len(lines),
        objects_shown=len(shown),
        objects_left_out=len(seen - shown),
        clutter_level=len(seen) / written.location_count if written.location_count else 0.0,
    )


def _reading(detail: Detail) -> str:
    text = _READING
    if detail < Detail.OBJECTS_ONCE:
        text += _REVISITS
        text += _FOLDED if detail >= Detail.REVISITS_FOLDED else ""
    else:
        text += _ONCE
    return text + (_NEWEST if detail >= Detail.NEWEST_ONLY else "")
