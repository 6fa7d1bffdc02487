"""Boxes as the method reports them, with what was known of them and whether they are right."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from scenemind.cli.bench.projection.calibration.conditions import Condition
from scenemind.cli.bench.projection.calibration.mapped_drive import MappedDrive, mapped_drive
from scenemind.cli.bench.projection.true_masks import find_instance
from scenemind.config import VlmGrounderConfig
from scenemind.geometry import Box3D, iou_3d
from scenemind.models import Allowance
from scenemind.reasoning import ReasoningError
from scenemind.reasoning.method import Asking
from scenemind.reasoning.vlm_grounder.box_quality import Evidence, of_mapped, of_measured
from scenemind.reasoning.vlm_grounder.map_match import find_match
from scenemind.reasoning.vlm_grounder.projection import find_floor_z, measure
from scenemind.reasoning.vlm_grounder.types import BoxPx, Measured, Target
from scenemind.simulation import SimObject

RIGHT_IOU = 0.5

_LEAST_PX = 400  # of a thing, in the image that is pointed at
_LEAST_IOU = 0.5  # of the detection there with the thing
_PATIENCE_S = 600.0


@dataclass(frozen=True, slots=True)
class Judged:
    """
    Attributes:
        room, target: seed and instance id.
        box: whose it is: measured, or the map's where something was measured.
        right: its IoU with the true box is above `RIGHT_IOU`.
        evidence: as of `box_quality`; without a map's object there is none of the map.
    """

    room: int
    target: int
    condition: str
    box: Literal["measured", "mapped"]
    right: bool
    evidence: Evidence


def judged_boxes(seed: int, condition: Condition, frames: int) -> Iterator[Judged]:
    """All things of a room, each measured once; what could not be measured is left out."""
    with mapped_drive(seed, condition, frames) as drive:
        for thing in drive.sequence.room.objects:
            target = _find_target(thing, drive)
            measured = None if target is None else _find_measured(target, drive)
            if target is not None and measured is not None:
                yield from _judged(thing, target, measured, drive)


def _judged(
    thing: SimObject, target: Target, measured: Measured, drive: MappedDrive
) -> Iterator[Judged]:
    truth = drive.true_box(thing, target.frame.frame_number)
    match = find_match(target, measured, drive.memory.snapshot())
    is_there = match is not None and match.bond == "same"
    known = drive.sequence.room.seed, thing.instance_id, drive.condition.name
    evidence = of_measured(measured, match if is_there else None)
    yield Judged(*known, "measured", _is_right(measured.box, truth), evidence)
    if match is not None and is_there:
        evidence = of_mapped(match.thing, measured, match)
        yield Judged(*known, "mapped", _is_right(match.thing.box, truth), evidence)


def _is_right(box: Box3D, truth: Box3D) -> bool:
    return iou_3d(box, truth) > RIGHT_IOU


def _find_measured(target: Target, drive: MappedDrive) -> Measured | None:
    memory, config = drive.memory, VlmGrounderConfig()
    asking, floor_z = Asking(Allowance(_PATIENCE_S)), find_floor_z(memory.snapshot())
    index = memory.frame_index()
    try:
        return measure(target, memory, index, drive.segmenter(), config, asking, floor_z)
    except ReasoningError:  # no depth at all
        return None


def _find_target(thing: SimObject, drive: MappedDrive) -> Target | None:
    """One of its detections in stored images, as a model may point at it: rather a large one."""
    index = drive.memory.frame_index()
    numbers = index.frame_numbers[index.detection_frames]
    rows, sizes = [], []
    for row, number in enumerate(numbers.tolist()):
        shown = drive.masks[number]
        if thing.instance_id not in shown:
            continue
        pixels = int(np.count_nonzero(shown[thing.instance_id].bits))
        found = find_instance(shown, index.detection_boxes_px[row], _LEAST_IOU)
        if pixels >= _LEAST_PX and found == thing.instance_id:
            rows.append(row)
            sizes.append(pixels)
    if not rows:
        return None
    rng = np.random.default_rng((drive.sequence.room.seed, thing.instance_id))
    row = int(rng.choice(rows, p=np.array(sizes) / sum(sizes)))
    x0, y0, x1, y1 = index.detection_boxes_px[row].tolist()
    box_px: BoxPx = (x0, y0, x1, y1)
    object_id = int(index.detection_objects[row])
    frame = drive.memory.key_frame(int(numbers[row]), (object_id,) if object_id else ())
    return Target(frame, box_px, object_id or None, float(index.detection_scores[row]))
