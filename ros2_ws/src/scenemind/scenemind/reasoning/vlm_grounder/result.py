"""A measured target as objects of a reply."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from scenemind.geometry.overlap import iou_3d
from scenemind.memory import KeyFrame, MapObject, MemorySnapshot
from scenemind.reasoning.types import MEASURED, SAME_AS
from scenemind.reasoning.vlm_grounder.box_quality import map_box_right, measured_box_right
from scenemind.reasoning.vlm_grounder.map_match import MapMatch, find_match
from scenemind.reasoning.vlm_grounder.types import Measured, Target
from scenemind.words.quoting import quoted

MEASURED_FROM, BEST_VIEW = "measured_from", "best_view"
"""Attributes of a measured box: how many key frames, and the number of the best one."""

_ONE_THING_IOU = 0.5
_LEAKING_TIMES_LARGER, _LEAKING_INSIDE = 2.5, 0.7
_MOST_POINTS = 2000  # as objects of the map have


@dataclass(frozen=True, slots=True, eq=False)
class Grounded:
    """Where a target is.

    Attributes:
        measured: None: it could not be measured, and the map says where it is.
        objects: the map's object and the measured box, the likelier one first; or the one of them
            that says where the thing is now.
        box_right: for each of them, how likely its IoU with the true box is above 0.5, given that
            the target is what was meant (`box_quality`).
        match: None: the map knows of none there.
        steps: how it was measured, which comes first and why, in words.
    """

    target: Target
    measured: Measured | None
    objects: tuple[MapObject, ...]
    box_right: tuple[float, ...]
    match: MapMatch | None
    steps: tuple[str, ...]

    def key_frames(self) -> list[KeyFrame]:
        """What it was measured from, the best view first, each with the box of the thing."""
        object_id = self.objects[0].object_id if self.match is None else self.match.thing.object_id
        if self.measured is None:
            views = [(self.target.frame, self.target.box_px)]
        else:
            views = [(view.frame, view.box_px) for view in self.measured.views]
        return [replace(frame, boxes_px={object_id: box_px}) for frame, box_px in views]

    def is_same_as(self, other: Grounded) -> bool:
        """Whether both are one thing, seen in two images."""
        if {thing.object_id for thing in self.objects} & {
            thing.object_id for thing in other.objects
        } - {MEASURED}:
            return True
        return iou_3d(self.objects[0].box, other.objects[0].box) >= _ONE_THING_IOU


def as_mapped(target: Target, thing: MapObject, why: str) -> Grounded:
    """What cannot be measured, as the map has it."""
    step = f"the box is the map's, of {_named(thing)}: {why}"
    return Grounded(target, None, (thing,), (map_box_right(thing, None, None),), None, (step,))


def as_measured(
    target: Target, measured: Measured, snapshot: MemorySnapshot, target_class: str
) -> Grounded:
    """
    Args:
        target_class: names a box that the map knows nothing of.
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
            found.sort(key=lambda place: -place[1])
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


def _both_step(match: MapMatch, found: Sequence[tuple[MapObject, float]]) -> str:
    (first, surer), (_, other) = found
    return (
        f"it is {_named(match.thing)} of the map (IoU {match.iou:.2f}, {match.inside:.0%} of the"
        f" points inside); the {'measured' if first.object_id == MEASURED else 'map'} box comes"
        f" first, as the likelier one ({surer:.0%} against {other:.0%})"
    )


def _leaks(match: MapMatch, measured: Measured) -> bool:
    """A few points beside the thing have made its box far too large."""
    is_larger = measured.box.volume > _LEAKING_TIMES_LARGER * match.thing.box.volume
    return is_larger and match.inside >= _LEAKING_INSIDE


def _named(thing: MapObject) -> str:
    return f"{quoted(thing.label)} {thing.object_id}"


def _as_object(target: Target, measured: Measured, label: str, match: MapMatch | None) -> MapObject:
    """The measured box, which is no object of the map."""
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
