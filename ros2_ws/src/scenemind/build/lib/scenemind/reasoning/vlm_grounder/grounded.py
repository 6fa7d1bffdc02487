"""Measured targets as objects of a reply, with confidences.

The model gives no confidence. That it points at the right object is as likely as the paper measured
with its model on ScanRefer (Table 1, by masks at IoU 0.25): 87 % with one object of the class, 57 %
with several. The factors for retries, for a query without a class, and for an object that is gone
by the map are assumed, as no model was available to measure them. The probability of the box was
measured in simulated rooms (`box_quality`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from scenemind.geometry.box import iou_3d
from scenemind.language.english import joined, with_article
from scenemind.language.quoting import quoted, tame
from scenemind.memory import KeyFrame, MapObject, MemorySnapshot
from scenemind.reasoning.query import MEASURED, SAME_AS
from scenemind.reasoning.vlm_grounder.box_quality import (
    BoxOdds,
    MapMatch,
    find_match,
    map_box_right,
    measured_box_right,
    outline_agrees,
)
from scenemind.reasoning.vlm_grounder.query_analysis import FoundBy
from scenemind.reasoning.vlm_grounder.targets import Measured, Target

MEASURED_FROM, BEST_VIEW = "measured_from", "best_view"
"""Attributes of a measured box: how many key frames, and the number of the best one."""
_ONE_THING_IOU = 0.5
_LEAKING_TIMES_LARGER, _LEAKING_INSIDE = 2.5, 0.7
_MOST_POINTS = 2000  # as objects of the map have


@dataclass(frozen=True, slots=True, eq=False)
class Grounded:
    """A target in the world.

    Attributes:
        measured: None: it could not be measured.
        objects: the map's object and the measured box, the likelier one first; or only the one
            that still holds.
        box_right: for each of them, the odds that it is about the true box, given the right target.
        match: None: the map has no object there.
        steps: how it was measured, and why which box comes first.
    """

    target: Target
    measured: Measured | None
    objects: tuple[MapObject, ...]
    box_right: tuple[BoxOdds, ...]
    match: MapMatch | None
    steps: tuple[str, ...]

    def key_frames(self) -> list[KeyFrame]:
        """The frames that it was measured from, the best view first, each with its box."""
        object_id = self.objects[0].object_id if self.match is None else self.match.thing.object_id
        if self.measured is None:
            views = [(self.target.frame, self.target.box_px)]
        else:
            views = [(view.frame, view.box_px) for view in self.measured.views]
        return [replace(frame, boxes_px={object_id: box_px}) for frame, box_px in views]

    def is_same_as(self, other: Grounded) -> bool:
        """Whether both are the same object, seen in two images."""
        if {thing.object_id for thing in self.objects} & {
            thing.object_id for thing in other.objects
        } - {MEASURED}:
            return True
        return iou_3d(self.objects[0].box, other.objects[0].box) >= _ONE_THING_IOU


def as_mapped(target: Target, thing: MapObject, why: str) -> Grounded:
    """A target that cannot be measured, with the map's box."""
    step = f"the box is the map's, of {_named(thing)}: {why}"
    return Grounded(target, None, (thing,), (map_box_right(thing, None, None),), None, (step,))


def as_measured(
    target: Target, measured: Measured, snapshot: MemorySnapshot, target_class: str
) -> Grounded:
    """A measured target, compared with the map.

    Args:
        target_class: label of a box that the map does not know.
    """
    match = find_match(target, measured, snapshot)
    label = target_class if match is None else match.thing.label
    box = _as_object(target, measured, label, match)
    if match is None or match.bond == "gone":
        found = [(box, measured_box_right(measured, None))]
        step = "the map has nothing there: the box is as measured"
        if match is not None:
            step = f"the map says that {_named(match.thing)} is gone since"
    elif match.bond == "elsewhere":
        found = [(match.thing, map_box_right(match.thing, None, None))]
        step = f"the map has seen {_named(match.thing)} elsewhere since: its box stands"
    else:
        found = [(match.thing, map_box_right(match.thing, measured, match))]
        if _leaks(match, measured):
            step = _leaking_step(match, measured)
        else:
            found.append((box, measured_box_right(measured, match)))
            found.sort(key=lambda place: -place[1].near * _seen_share(place[0], measured) ** 2)
            step = _both_step(match, found)
    objects, right = zip(*found, strict=True)
    return Grounded(target, measured, objects, right, match, (*measured.steps, step))


def _leaking_step(match: MapMatch, measured: Measured) -> str:
    size = " x ".join(f"{side:.2f}" for side in measured.box.size)
    return (
        f"it is {_named(match.thing)} of the map, which has {match.inside:.0%} of the points:"
        f" the measured box of {size} m reaches far beyond it, for what stands around came"
        " into the masks, and is left out"
    )


def _both_step(match: MapMatch, found: Sequence[tuple[MapObject, BoxOdds]]) -> str:
    (first, surer), (_, other) = found
    return (
        f"it is {_named(match.thing)} of the map (IoU {match.iou:.2f}, {match.inside:.0%} of the"
        f" points inside); the {'measured' if first.object_id == MEASURED else 'map'} box comes"
        f" first, by its outline in"
        f" the image and its evidence ({surer.near:.0%} against {other.near:.0%})"
    )


def _leaks(match: MapMatch, measured: Measured) -> bool:
    """Whether a few points of the surroundings made the measured box far too large."""
    is_larger = measured.box.volume > _LEAKING_TIMES_LARGER * match.thing.box.volume
    return is_larger and match.inside >= _LEAKING_INSIDE


def _named(thing: MapObject) -> str:
    return f"{quoted(thing.label)} {thing.object_id}"


def _as_object(target: Target, measured: Measured, label: str, match: MapMatch | None) -> MapObject:
    """The measured box as a `MapObject` with the id `MEASURED`."""
    stamps_ns = [view.frame.stamp_ns for view in measured.views]
    frames = "1 key frame" if len(stamps_ns) == 1 else f"{len(stamps_ns)} key frames"
    same = {} if match is None else {SAME_AS: str(match.thing.object_id)}
    every = max(1, -(-len(measured.points) // _MOST_POINTS))
    points = np.ascontiguousarray(measured.points[::every])
    points.flags.writeable = False
    return MapObject(
        object_id=MEASURED,
        label=label,
        perceived_label=label,
        attributes={**same, MEASURED_FROM: frames, BEST_VIEW: str(target.frame.frame_number)},
        confidence=target.score,
        box=measured.box,
        points=points,
        first_seen_ns=min(stamps_ns),
        last_seen_ns=max(stamps_ns),
        observation_count=len(stamps_ns),
        track_ids=(),
    )


_ONE_OF_CLASS, _SEVERAL_OF_CLASS = 0.87, 0.57
_RETRY = 0.85  # for each
_GUESSED = 0.7  # no label means the class by its words or its meaning
_UNASKED = 0.85  # the model did not see the only candidate marked
_GONE = 0.4  # the map has looked through its place since
_MOST_DOUBTED = 0.5
# A box is less likely right where its outline in the image agrees less with what was detected or
# drawn there.
_OUTLINE, _LEAST_SHARE = 0.7, 0.1


def confidences(
    grounded: Grounded, retries: int, things: int, by: FoundBy | Literal["search", ""]
) -> tuple[float, ...]:
    """Probability of each object of an answer, in (0, 1): the right object, and a box with an IoU
    above 0.25, at which the rates of the right object were measured. At most 0.5 where the object
    may be another: a label was guessed, a candidate was taken unasked, or no other view has the
    same surface.

    Args:
        retries: of the model.
        things: number of the map's objects among the candidates; 0: not known.
        by: how the label of the class was found (`ViewSelection`).
    """
    target, measured = grounded.target, grounded.measured
    is_guess = by in ("model", "")
    is_only = things == 1 and not is_guess and not target.is_drawn
    sure = _ONE_OF_CLASS if is_only else _SEVERAL_OF_CLASS
    sure *= _RETRY**retries
    if is_guess:
        sure *= _GUESSED
    if not target.is_asked:
        sure *= _UNASKED
    if grounded.match is not None and grounded.match.bond == "gone":
        sure *= _GONE
    is_alone = measured is None or len(measured.views) == 1
    most = _MOST_DOUBTED if is_guess or not target.is_asked or is_alone else 1.0
    pairs = zip(grounded.objects, grounded.box_right, strict=True)
    return tuple(
        min(most, sure * right.near * min(1.0, _seen_share(thing, measured) / _OUTLINE))
        for thing, right in pairs
    )


def _seen_share(thing: MapObject, measured: Measured | None) -> float:
    """How far a box's outline agrees with the image, above 0; 1 where nothing was measured."""
    if measured is None:
        return 1.0
    return max(_LEAST_SHARE, outline_agrees(thing.box, measured))


def sentence_on(objects: Sequence[MapObject]) -> str:
    """The objects and their positions in a sentence; an object with two boxes is named once.

    Args:
        objects: as of a `GroundReply`.
    """
    known = {str(thing.object_id) for thing in objects}
    things = [thing for thing in objects if thing.attributes.get(SAME_AS) not in known]
    return f"That is {joined([_in_words(thing) for thing in things])}."


def _in_words(thing: MapObject) -> str:
    x, y, z = thing.box.center
    label = tame(thing.label)
    name = with_article(label) if thing.object_id == MEASURED else f"{label} {thing.object_id}"
    return f"{name} at x {x:.2f}, y {y:.2f}, z {z:.2f} m"
