"""MemTree3D as text for a language model: JSON lines within a budget of tokens.

The paper (section 3.2) gives the model its first two levels, locations and object nodes, as JSON.
Here a line is a location (`tree_lines.write_line`), and map objects stand in place of tracklets,
since several tracklets at one location may show one object.

Text is only ever added at the end while the tree grows, so that a provider's prompt cache finds
what it has read before. When the budget is full, the text is written again in less detail
(`tree_lines.Detail`) and with room to grow: that happens the fewer times the larger the budget.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from scenemind.memory.errors import SceneMemoryError
from scenemind.memory.tree.contents import Contents, contents_of, with_wholes
from scenemind.memory.tree.json_lines import JsonLines, WrittenLines
from scenemind.memory.tree.packed_location import PackedLocation
from scenemind.memory.tree.tree_lines import Detail, Thing
from scenemind.memory.types import LocationNode, MapObject

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
    """The text and what is not in it.

    Attributes:
        text: JSON lines, oldest location first. A pure function of tree, objects and budget.
        tokens: `estimate_tokens` of the text; never above the budget.
        detail: how much was dropped to fit.
        reading: how to read the text, for the model's prompt; not counted in `tokens`.
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
    """Writes the text of a tree again and again: the cost is that of what is new.

    Everything is written anew when something in the text has changed: an object's label or
    whether it is clutter, a closed location's tracklets, the budget. Not thread-safe.
    """

    def __init__(self) -> None:
        self._lines = JsonLines({}, 0)
        self._objects: Mapping[int, MapObject] = {}
        self._things: Mapping[int, Thing] = {}
        self._shown_as: Mapping[int, int] = {}
        self._closed: Sequence[PackedLocation] = ()
        self._contents: list[Contents] = []  # of the closed ones

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
            objects: those that may be named.
            shown_as: object that is part of another -> that one.

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
        closed: Sequence[Contents],
        growing: Contents | None,
        objects: Mapping[int, MapObject],
        token_budget: int,
    ) -> TreeJson:
        """See `write`."""
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

    def _thing(self, object_id: int, thing: MapObject) -> Thing:
        same = self._objects.get(object_id) is thing
        return self._things[object_id] if same else Thing.of(thing)


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


def _contents_of(location: PackedLocation, shown_as: Mapping[int, int]) -> Contents:
    contents = location.contents()
    return with_wholes(contents, shown_as) if shown_as else contents


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
