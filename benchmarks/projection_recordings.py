"""Boxes measured in recordings, compared with frames that were held out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from rich.progress import track

from scenemind.composition import choose_detector
from scenemind.config import SceneMindConfig
from scenemind.errors import UsageError
from scenemind.evaluation.map_scores import better_iou, score_map
from scenemind.evaluation.map_truth import MapTruth, load_truth
from scenemind.frames import RecordedSequence, RGBDFrame, read_sequence
from scenemind.geometry import Box3D, Pose, iou_matrix_2d
from scenemind.mapping import Mapper
from scenemind.memory import FrameIndex, MapObject, Memory, MemoryAccess
from scenemind.models import Allowance
from scenemind.perception.backends.factory import make_segmenter
from scenemind.perception.protocols import Detector, Segmenter
from scenemind.perception.types import BoxMask
from scenemind.reasoning import ReasoningError
from scenemind.reasoning.method import Asking
from scenemind.reasoning.vlm_grounder.projection import measure, pictures_of
from scenemind.reasoning.vlm_grounder.projection.pictures import draw_box, find_bounds_px
from scenemind.reasoning.vlm_grounder.targets import BoxPx, Measured, StoredScene, Target
from scenemind.report.terminal import progress_console
from scenemind.simulation import open_source

_LEAST_IOU = 0.5


class DetectorMasks:
    """A `Segmenter` that returns the detector's mask with the best IoU with the box, or without
    one, the mask of another segmenter."""

    def __init__(self, detector: Detector, otherwise: Segmenter) -> None:
        self._detector = detector
        self._otherwise = otherwise

    @property
    def name(self) -> str:
        return f"masks of {self._detector.name}, else {self._otherwise.name}"

    def segment(
        self, frame: RGBDFrame, boxes_px: NDArray[np.floating]
    ) -> tuple[BoxMask | None, ...]:
        """See `Segmenter`."""
        found = self._detector.detect(frame)
        table = iou_matrix_2d(np.asarray(boxes_px, np.float32), found.boxes_px)
        masks = []
        for row, box_px in enumerate(boxes_px):
            best = int(np.argmax(table[row])) if len(found) else -1
            mask = found.masks[best] if best >= 0 and table[row, best] >= _LEAST_IOU else None
            masks.append(mask or self._otherwise.segment(frame, box_px[None])[0])
        return tuple(masks)


@dataclass(frozen=True, slots=True, eq=False)
class HeldOut:
    """One detection in a held-out frame.

    Attributes:
        iou: of the detection with the bounds of the measured box there. covered: share of the
            detection inside these bounds. map_iou: as `iou`, of the map's own box, which was made
            from this frame as well.
    """

    row: int
    box_px: BoxPx
    iou: float
    covered: float
    map_iou: float


def every_second(index: FrameIndex) -> FrameIndex:
    """Index of the first, third, ... stored frame, for measuring."""
    rows = np.arange(0, len(index), 2)
    stays = index.detection_frames % 2 == 0
    return replace(
        index,
        frame_numbers=index.frame_numbers[rows],
        stamps_ns=index.stamps_ns[rows],
        location_ids=index.location_ids[rows],
        world_T_camera=index.world_T_camera[rows],
        camera_indices=index.camera_indices[rows],
        detection_frames=index.detection_frames[stays] // 2,
        detection_labels=index.detection_labels[stays],
        detection_objects=index.detection_objects[stays],
        detection_scores=index.detection_scores[stays],
        detection_boxes_px=index.detection_boxes_px[stays],
    )


def held_out_rows(thing: MapObject, index: FrameIndex) -> NDArray[np.intp]:
    """Rows of the object's detections in the second, fourth, ... frame."""
    own = index.detection_objects == thing.object_id
    return np.flatnonzero(own & (index.detection_frames % 2 == 1))


def held_against(box: Box3D, map_box: Box3D, index: FrameIndex, row: int) -> HeldOut:
    """One detection, by its row of the index, compared with the measured box and the map's box."""
    detected = as_box(index.detection_boxes_px[row])
    bounds, map_bounds = _bounds(box, index, row), _bounds(map_box, index, row)
    iou, covered = (0.0, 0.0) if bounds is None else _overlap(bounds, detected)
    map_iou = 0.0 if map_bounds is None else _overlap(map_bounds, detected)[0]
    return HeldOut(row, detected, iou, covered, map_iou)


def _bounds(box: Box3D, index: FrameIndex, row: int) -> BoxPx | None:
    at = index.detection_frames[row]
    camera = index.cameras[index.camera_indices[at]]
    return find_bounds_px(box, camera, Pose.from_matrix(index.world_T_camera[at]))


def _overlap(bounds: BoxPx, detected: BoxPx) -> tuple[float, float]:
    """IoU, and the share of the detection inside the bounds."""
    a, b = np.array([bounds]), np.array([detected])
    low, high = np.maximum(a[0, :2], b[0, :2]), np.minimum(a[0, 2:], b[0, 2:])
    shared = float(np.prod(np.clip(high - low, 0.0, None)))
    area = float(np.prod(b[0, 2:] - b[0, :2]))
    return float(iou_matrix_2d(a, b)[0, 0]), shared / max(area, 1e-9)


def as_box(values: NDArray[np.float32]) -> BoxPx:
    x0, y0, x1, y1 = (float(value) for value in values)
    return (x0, y0, x1, y1)


_SHOWN = 3  # held-out frames in a picture
_DETECTED_BGR = (0, 165, 255)
_JPEG = (cv2.IMWRITE_JPEG_QUALITY, 85)


def write_pictures(
    folder: Path,
    name: str,
    measured: Measured,
    found: list[HeldOut],
    memory: MemoryAccess,
    index: FrameIndex,
) -> None:
    """Write pictures of the measured views, and of held-out frames from the worst to the best."""
    folder.mkdir(parents=True, exist_ok=True)
    stem = name.replace(" ", "-")
    for number, picture in enumerate(pictures_of(measured), start=1):
        (folder / f"{stem}-{number}.jpg").write_bytes(picture.jpeg)
    ordered = sorted(found, key=lambda held: held.iou)
    shown = ordered[:: max(1, -(-len(ordered) // _SHOWN))]
    images = []
    for held in shown:
        number = int(index.frame_numbers[index.detection_frames[held.row]])
        image = draw_box(memory.key_frame(number), measured.box)
        if image is not None:
            x0, y0, x1, y1 = (round(value) for value in held.box_px)
            cv2.rectangle(image, (x0, y0), (x1, y1), _DETECTED_BGR, 1)
            images.append(image)
    _, jpeg = cv2.imencode(".jpg", np.hstack(images), _JPEG)
    (folder / f"{stem}-held-out.jpg").write_bytes(jpeg.tobytes())


_PATIENCE_S = 600.0


def bench_recorded(
    name: str, detector: str | None, pictures: Path | None, truth: Path | None
) -> dict[str, Any]:
    """Map a sequence, measure its objects from every second stored frame, and compare their boxes
    with the detections of the same objects in the other frames.

    - `reprojection_iou`: mean over objects of the mean IoU of a detection with the bounds of the
      box there; detections show visible parts only, so occluded objects lower it;
    - `covered`: mean of means in the same way, for the share of a detection in these bounds;
    - `map_iou`: `reprojection_iou` of the map's boxes, which come from all frames;
    - `true_iou`, `map_true_iou`: with a truth, mean 3D IoU of the measured and of the map's boxes
      of things that are in the map; `true_iou_25`, `true_iou_50`: how many measured ones reach
      that, of `true_n`.

    Args:
        name: see `open_source`.
        pictures: folder for JPEG files of the measured views, and of boxes in held-out frames.
        truth: file of boxes made by hand.

    Raises:
        UsageError: no object was seen in both halves.
        EvaluationError: the truth cannot be read.
    """
    things = None if truth is None else load_truth(truth)
    settings = SceneMindConfig()
    sequence = open_source(name)
    settings, model = choose_detector(settings, sequence, detector)
    store = settings.store.model_copy(update={"retention": "all"})
    settings = settings.model_copy(update={"store": store})
    segmenter = DetectorMasks(model, make_segmenter(settings.vlm_grounder.segmenter))
    with Memory.create(None, settings) as memory:
        mapper = Mapper(model, memory, settings)
        _map(mapper, sequence)
        rows = list(_scores(memory, segmenter, settings, pictures, things))
    if not rows:
        raise UsageError(f"{sequence.name}: nothing was detected in both halves of its frames")
    return {
        "sequence": sequence.name,
        "detector": model.name,
        "segmenter": segmenter.name,
        **{
            key: float(np.mean([row[key] for row in rows]))
            for key in ("reprojection_iou", "covered", "map_iou", "views")
        },
        **_true_means([row for row in rows if "true_iou" in row]),
        "objects": rows,
    }


def _true_means(rows: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """Of the rows with a true box; nothing without any."""
    if not rows:
        return {}
    ious = np.array([row["true_iou"] for row in rows])
    return {
        "true_n": len(rows),
        "true_iou": float(ious.mean()),
        "true_iou_25": int((ious >= 0.25).sum()),
        "true_iou_50": int((ious >= 0.5).sum()),
        "map_true_iou": float(np.mean([row["map_true_iou"] for row in rows])),
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
        mapper.memory.flush()  # frames come faster here than from a camera: drop none


def _scores(
    memory: Memory,
    segmenter: Segmenter,
    settings: SceneMindConfig,
    pictures: Path | None,
    truth: MapTruth | None,
) -> Iterator[dict[str, Any]]:
    index, snapshot = memory.frame_index(), memory.snapshot()
    kept = every_second(index)
    scene = StoredScene(memory, kept, snapshot)
    things = snapshot.objects.values()
    mapped = () if truth is None else score_map(truth, things).mapped
    is_of = {one.found.object_id: one for one in mapped if one.verdict == "right"}
    for thing in track(things, "measuring", console=progress_console(), transient=True):
        target = _find_target(thing, memory, kept)
        held_out = held_out_rows(thing, index)
        if target is None or len(held_out) == 0:
            continue
        asking = Asking(Allowance(_PATIENCE_S))
        try:
            measured = measure(target, scene, segmenter, settings.vlm_grounder, asking)
        except ReasoningError as error:
            progress_console().print(f"{thing.label} {thing.object_id}: {error}")
            continue
        found = [held_against(measured.box, thing.box, index, row) for row in held_out]
        if pictures is not None:
            write_pictures(
                pictures, f"{thing.label}-{thing.object_id}", measured, found, memory, index
            )
        match = is_of.get(thing.object_id)
        true = {}
        if match is not None and match.thing is not None:
            iou = better_iou(match.thing, measured.box, measured.box)
            true = {"thing": match.thing.id, "true_iou": iou, "map_true_iou": match.iou}
        yield true | {
            "object": f"{thing.label} {thing.object_id}",
            "reprojection_iou": float(np.mean([held.iou for held in found])),
            "covered": float(np.mean([held.covered for held in found])),
            "map_iou": float(np.mean([held.map_iou for held in found])),
            "held_out": len(found),
            "views": len(measured.views),
            "size_m": [round(side, 2) for side in measured.box.size],
        }


def _find_target(thing: MapObject, memory: Memory, index: FrameIndex) -> Target | None:
    """Detection in the frame that shows the object best: high score and large area."""
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
