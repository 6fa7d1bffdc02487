"""Relations as lines on the map from above."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from scenemind.geometry import Box3D
from scenemind.memory import MemorySnapshot, Relation
from scenemind.memory.graph.relations.names import CARRYING, INVERSE
from scenemind.memory.graph.verification.common_sense import sense_of
from scenemind.report.label_places import CHARACTER_PX, HEIGHT_PX, Rectangle, overlap
from scenemind.report.view import View

LineKind = Literal["carrying", "other", "user"]
# With more lines than this, only a line's title tells its predicate.
_MOST_WORDS = 40
# A word hides this much of its line at most.
_WORD_SHARE = 0.7
# Where along a line its word may stand, the best place first.
_ALONG = (0.5, 0.62, 0.38, 0.74, 0.86)


@dataclass(frozen=True, slots=True)
class Word:
    """A predicate beside its line, centred on (x, y)."""

    text: str
    x: float
    y: float

    def place(self) -> Rectangle:
        half = len(self.text) * CHARACTER_PX / 2
        return self.x - half, self.y - HEIGHT_PX / 2, self.x + half, self.y + HEIGHT_PX / 2


@dataclass(frozen=True, slots=True)
class RelationLine:
    """From the subject to the object, in pixels.

    Attributes:
        has_arrow: the relation has a direction.
        word: None where there is no room for it.
        title: the whole relation.
    """

    x0: float
    y0: float
    x1: float
    y1: float
    kind: LineKind
    has_arrow: bool
    word: Word | None
    title: str


def relation_lines(
    snapshot: MemorySnapshot, relations: Collection[Relation], view: View
) -> list[RelationLine]:
    """A line a relation, but none to floors and ceilings, which are everywhere."""
    boxes = _boxes(snapshot)
    names: Mapping[int, str] = {
        **{thing.object_id: thing.label for thing in snapshot.objects.values()},
        **{plane.plane_id: plane.kind for plane in snapshot.structure.values()},
    }
    drawn = [r for r in relations if r.subject_id in boxes and r.object_id in boxes]
    lines: list[RelationLine] = []
    taken: list[Rectangle] = []
    for relation in drawn:
        start = np.array(boxes[relation.subject_id].center[:2])
        end = nearest_place(boxes[relation.object_id], start)
        x0, y0, x1, y1 = view.x(start[0]), view.y(start[1]), view.x(end[0]), view.y(end[1])
        word = None
        if len(drawn) <= _MOST_WORDS:
            word = _place_word(relation.predicate, (x0, y0, x1, y1), taken)
        if word is not None:
            taken.append(word.place())
        title = f"{names[relation.subject_id]} {relation.subject_id} {relation.predicate}"
        title += f" {names[relation.object_id]} {relation.object_id}"
        has_arrow = INVERSE.get(relation.predicate) != relation.predicate
        lines.append(RelationLine(x0, y0, x1, y1, _kind(relation), has_arrow, word, title))
    return lines


def nearest_place(box: Box3D, xy: NDArray[np.float64]) -> NDArray[np.float64]:
    """The place (2,) on the outline of a box, seen from above, that is nearest to (x, y), metres.

    On the outline and not in the middle, where other things may stand.
    """
    begins = box.footprint()
    sides = np.roll(begins, -1, axis=0) - begins
    length2 = np.maximum((sides**2).sum(axis=1), 1e-12)
    share = np.clip(((xy - begins) * sides).sum(axis=1) / length2, 0.0, 1.0)
    places = begins + sides * share[:, None]
    return np.asarray(places[np.linalg.norm(places - xy, axis=1).argmin()])


def _boxes(snapshot: MemorySnapshot) -> dict[int, Box3D]:
    """Of all nodes but floors and ceilings."""
    things = {
        thing.object_id: thing.yaw_box
        for thing in snapshot.objects.values()
        if sense_of(thing.label).structure in (None, "wall")
    }
    return things | {p.plane_id: p.box for p in snapshot.structure.values() if p.kind == "wall"}


def _kind(relation: Relation) -> LineKind:
    if relation.source == "user":
        return "user"
    return "carrying" if relation.predicate in CARRYING else "other"


def _place_word(
    text: str, line: tuple[float, float, float, float], taken: Sequence[Rectangle]
) -> Word | None:
    """Somewhere along a line that is long enough, where no other word is."""
    x0, y0, x1, y1 = line
    if len(text) * CHARACTER_PX > _WORD_SHARE * np.hypot(x1 - x0, y1 - y0):
        return None
    for share in _ALONG:
        word = Word(text, round(x0 + share * (x1 - x0), 1), round(y0 + share * (y1 - y0), 1))
        if not any(overlap(word.place(), other) for other in taken):
            return word
    return None
