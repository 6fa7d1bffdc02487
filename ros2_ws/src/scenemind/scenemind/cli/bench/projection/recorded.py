"""Boxes measured in recordings, held against frames that they were not made from."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from rich.progress import track

from scenemind.cli.bench.projection.detector_masks import DetectorMasks
from scenemind.cli.bench.projection.held_out import (
    as_box,
    every_second,
    held_against,
    held_out_rows,
)
from scenemind.cli.bench.projection.held_out_pictures import write_pictures
from scenemind.cli.detector import choose_detector
from scenemind.cli.errors import CommandError
from scenemind.cli.output import progress_console
from scenemind.config import SceneMindConfig
from scenemind.frames import RecordedSequence, read_sequence
from scenemind.mapping import Mapper
from scenemind.memory import FrameIndex, MapObject, Memory
from scenemind.models import Allowance
from scenemind.perception.backends.segmenter_choice import make_segmenter
from scenemind.perception.protocols import Segmenter
from scenemind.reasoning import ReasoningError
from scenemind.reasoning.method import Asking
from scenemind.reasoning.vlm_grounder.projection import find_floor_z, measure
from scenemind.reasoning.vlm_grounder.types import Target
from scenemind.simulation import open_source

_PATIENCE_S = 600.0


def bench_recorded(name: str, detector: str | None, pictures: Path | None) -> dict[str, Any]:
    """Map a sequence, measure its objects from every second stored frame, and hold their boxes
    against the detections of the same objects in the other frames.

    - `reprojection_iou`: mean over objects of the mean IoU of a detection with the bounds of the
      box there; detections show visible parts only, so occluded objects lower it;
    - `covered`: in the same way, the share of a detection that lies within these bounds;
    - `map_iou`: as `reprojection_iou`, of the map's boxes, which come from all frames.

    Args:
        name: see `open_source`.
        pictures: folder for JPEG files: what was measured, and boxes in frames that were held out.

    Raises:
        CommandError: no object was seen in both halves.
    """
    settings = SceneMindConfig()
    sequence = open_source(name)
    settings, model = choose_detector(settings, sequence, detector)
    store = settings.store.model_copy(update={"retention": "all"})
    settings = settings.model_copy(update={"store": store})
    segmenter = DetectorMasks(model, make_segmenter(settings.vlm_grounder.segmenter))
    with Memory.create(None, settings) as memory:
        mapper = Mapper(model, memory, settings)
        _map(mapper, sequence)
        rows = list(_scores(memory, segmenter, settings, pictures))
    if not rows:
        raise CommandError(f"{sequence.name}: nothing was detected in both halves of its frames")
    return {
        "sequence": sequence.name,
        "detector": model.name,
        "segmenter": segmenter.name,
        **{
            key: float(np.mean([row[key] for row in rows]))
            for key in ("reprojection_iou", "covered", "map_iou", "views")
        },
        "objects": rows,
    }


def _map(mapper: Mapper, sequence: RecordedSequence) -> None:
    frames = track(
        read_sequence(sequence),
        "mapping",
        total=len(sequence),
        console=progress_console(),
        transient=True,
    )
    for frame in frames:
        mapper.process(frame)
        mapper.memory.flush()  # frames come faster here than from a camera: none is dropped


def _scores(
    memory: Memory, segmenter: Segmenter, settings: SceneMindConfig, pictures: Path | None
) -> Iterator[dict[str, Any]]:
    index, snapshot = memory.frame_index(), memory.snapshot()
    kept, floor_z = every_second(index), find_floor_z(snapshot)
    things = snapshot.objects.values()
    for thing in track(things, "measuring", console=progress_console(), transient=True):
        target = _find_target(thing, memory, kept)
        held_out = held_out_rows(thing, index)
        if target is None or len(held_out) == 0:
            continue
        asking = Asking(Allowance(_PATIENCE_S))
        try:
            measured = measure(
                target, memory, kept, segmenter, settings.vlm_grounder, asking, floor_z
            )
        except ReasoningError as error:
            progress_console().print(f"{thing.label} {thing.object_id}: {error}")
            continue
        found = [held_against(measured.box, thing.box, index, row) for row in held_out]
        if pictures is not None:
            write_pictures(
                pictures, f"{thing.label}-{thing.object_id}", measured, found, memory, index
            )
        yield {
            "object": f"{thing.label} {thing.object_id}",
            "reprojection_iou": float(np.mean([held.iou for held in found])),
            "covered": float(np.mean([held.covered for held in found])),
            "map_iou": float(np.mean([held.map_iou for held in found])),
            "held_out": len(found),
            "views": len(measured.views),
            "size_m": [round(side, 2) for side in measured.box.size],
        }


def _find_target(thing: MapObject, memory: Memory, index: FrameIndex) -> Target | None:
    """In the frame that shows the thing best: sure and large."""
    own = np.flatnonzero(index.detection_objects == thing.object_id)
    if len(own) == 0:
        return None
    boxes = index.detection_boxes_px[own]
    size = np.sqrt(np.prod(boxes[:, 2:] - boxes[:, :2], axis=1))
    best = own[np.argmax(size * index.detection_scores[own])]
    number = int(index.frame_numbers[index.detection_frames[best]])
    score = float(index.detection_scores[best])
    frame = memory.key_frame(number, (thing.object_id,))
    return Target(frame, as_box(index.detection_boxes_px[best]), thing.object_id, score)
