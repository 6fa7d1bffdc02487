"""A simulated room, mapped from disk to disk, and a model and a segmenter that know the truth."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scenemind.config import SceneMindConfig
from scenemind.frames import RGBDFrame, read_sequence
from scenemind.mapping import Mapper
from scenemind.memory import KeyFrame, Memory
from scenemind.perception.backends.instance_camera import InstanceCamera
from scenemind.perception.types import BoxMask
from scenemind.simulation import Sensors, SimObject, SimulatedSequence, simulate
from tests.chat_exchange import Request
from tests.chat_server import Step, choose, say

_CHOSEN = re.compile(r"Here is image (\d+) in full")


@dataclass(frozen=True, eq=False)
class Drive:
    """
    Attributes:
        instances: frame number -> instance ids (H, W).
    """

    sequence: SimulatedSequence
    memory: Memory
    instances: dict[int, NDArray[np.int32]]


def drive_through(seed: int, memory: Memory, frames: int = 120, width: int = 320) -> Drive:
    """Map a loop through a room with an instance camera as the detector."""
    sequence = simulate(seed, frames, Sensors(width, 3 * width // 4))
    mapper = Mapper(InstanceCamera(sequence.class_names), memory, SceneMindConfig())
    instances = {}
    for frame in read_sequence(sequence):
        mapper.process(frame)
        assert frame.instances is not None
        instances[frame.number] = frame.instances
    memory.flush()
    stored = set(memory.stored_frames())
    return Drive(sequence, memory, {n: ids for n, ids in instances.items() if n in stored})


@dataclass
class TrueSegmenter:
    """Cuts out what fills most of a box, exactly."""

    drive: Drive
    name: str = "truth"

    def segment(
        self, frame: RGBDFrame, boxes_px: NDArray[np.floating]
    ) -> tuple[BoxMask | None, ...]:
        ids = self.drive.instances[frame.number]
        return tuple(_cut(ids, box) for box in boxes_px.tolist())


def _cut(ids: NDArray[np.int32], box: list[float]) -> BoxMask | None:
    x0, y0, x1, y1 = (round(value) for value in box)
    best, most = None, 0.3
    for number in np.unique(ids[y0:y1, x0:x1]):
        bits = ids == number
        rows, columns = np.nonzero(bits)
        around = (columns.min(), rows.min(), columns.max() + 1, rows.max() + 1)
        iou = _iou((x0, y0, x1, y1), around)
        if number and iou > most:
            left, top, right, bottom = around
            best, most = BoxMask(int(left), int(top), bits[top:bottom, left:right]), iou
    return best


def _iou(a: tuple[int, ...], b: tuple[int, ...]) -> float:
    width = min(a[2], b[2]) - max(a[0], b[0])
    height = min(a[3], b[3]) - max(a[1], b[1])
    shared = max(0, width) * max(0, height)
    area = sum((box[2] - box[0]) * (box[3] - box[1]) for box in (a, b))
    return shared / (area - shared)


@dataclass
class Watched:
    """A memory that notes which images were read, which is the order in which a model sees them."""

    memory: Memory
    read: list[int] = field(default_factory=list)

    def key_frame(self, number: int, *more: Any) -> KeyFrame:
        found = self.memory.key_frame(number, *more)
        self.read.append(number)
        return found

    def __getattr__(self, name: str) -> Any:
        return getattr(self.memory, name)


def truthful(drive: Drive, watched: Watched, thing: SimObject) -> Step:
    """A model that takes the query apart rightly, points at the image that shows most of the thing,
    and at the candidate that it is."""
    wanted = thing.instance_id

    def shown(number: int) -> int:
        return int((drive.instances[number] == wanted).sum())

    def answer(request: Request) -> Step:
        if not request.pictures:
            said = {"target_class": thing.label, "attributes": [], "conditions": []}
            return say(json.dumps({**said, "wants_all": False, "labels": []}))
        found = _CHOSEN.findall(request.text)
        if not found:
            best = max(range(len(watched.read)), key=lambda place: shown(watched.read[place]))
            rows, columns = np.nonzero(drive.instances[watched.read[best]] == wanted)
            height, width = drive.instances[watched.read[best]].shape
            at = [1000 * float(columns.mean()) / width, 1000 * float(rows.mean()) / height]
            target = {"target_image_id": f"{best:05d}", "target_place": at}
            target["reference_image_ids"] = []
            return say(json.dumps({"reasoning": "there", **target}))
        place = found[-1]
        return say(json.dumps({"reasoning": "that", "object_id": candidate(int(place)), "box": []}))

    def candidate(place: int) -> int:
        number = watched.read[place]
        index = drive.memory.frame_index()
        (row,) = np.flatnonzero(index.frame_numbers == number)
        of_frame = (index.detection_frames == row) & (index.detection_scores > 0.2)
        labels = np.array(index.labels)[index.detection_labels]
        boxes = index.detection_boxes_px[of_frame & (labels == thing.label)]
        boxes = boxes[np.argsort(boxes[:, 0] + boxes[:, 2])]
        rows, columns = np.nonzero(drive.instances[number] == wanted)
        around = (columns.min(), rows.min(), columns.max() + 1, rows.max() + 1)
        return int(np.argmax([_iou(tuple(box), around) for box in boxes.tolist()]))

    return choose(answer)
