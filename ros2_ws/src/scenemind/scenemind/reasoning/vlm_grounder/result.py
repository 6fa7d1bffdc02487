"""A measured target as objects of a reply."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from scenemind.geometry.overlap import iou_3d
from scenemind.memory import KeyFrame, MapObject, MemorySnapshot
from scenemind.reasoning.types import MEASURED, SAME_AS
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
        objects: the map's object and the measured box, the better supported one first; or the one
            of them that says where the thing is now.
        match: None: the map knows of none there.
        steps: how it was measured, which comes first and why, in words.
    """

    target: Target
    measured: Measured | None
    objects: tuple[MapObject, ...]
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
    return Grounded(target, None, (thing,), None, (step,))


def as_measured(
    target: Target, measured: Measured, snapshot: MemorySnapshot, target_class: str
) -> Grounded:
    """
    Args:
        target_class: names a box that the map knows nothing of.
    """
    match = find_match(target, measured, snapshot)
    box = _as_object(target, measured, target_class if match is None else match.thing.label, match)
    objects: tuple[MapObject, ...] = (box,)
    if match is None:
        step = "the map has nothing there: the box is as measured"
    elif match.bond == "gone":
        step = f"the map says that {_named(match.thing)} is gone since"
    elif match.bond == "elsewhere":
        objects = (match.thing,)
        step = f"the map has seen {_named(match.thing)} elsewhere since: its box stands"
    elif _leaks(match, measured):
        objects = (match.thing,)
        size = " x ".join(f"{side:.2f}" for side in measured.box.size)
        step = (
            f"it is {_named(match.thing)} of the map, which has {match.inside:.0%} of the points:"
            f" the measured box of {size} m reaches far beyond it, for what stands around came"
            " into the masks, and is left out"
        )
    else:
        # A rule, not measured: each look has told something of the box.
        is_map_first = match.thing.observation_count >= len(measured.views)
        objects = (match.thing, box) if is_map_first else (box, match.thing)
        step = (
            f"it is {_named(match.thing)} of the map (IoU {match.iou:.2f}, {match.inside:.0%} of"
            f" the points inside); the {'map' if is_map_first else 'measured'} box comes first, for"
            f" {match.thing.observation_count} looks against {len(measured.views)}"
        )
    return Grounded(target, measured, objects, match, (*measured.steps, step))


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
