"""The small room of `tests.unit.reasoning.scene` with one picture of it, true to its geometry.

The camera stands at (0, -3, 1.2) and looks along +y, so that the depth of a thing at y is y + 3. In
the picture each thing is its box, in grey: the table and the chairs 3 m away, the sofa, the shelf
and a cup on it 5 m, the door 6 m. The office chair is beside the picture.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from scenemind.geometry import PinholeCamera
from scenemind.memory import KeyFrame, MapObject, SceneMemoryError
from scenemind.reasoning.vadar.views import BoxPx
from tests.unit.reasoning.scene import ROOM, SmallMemory, looking, snapshot_of

CAMERA = PinholeCamera(640, 480, 400.0, 400.0, 319.5, 239.5)
WORLD_T_CAMERA = looking((0, -3, 1.2), (0, 0, 1.2))


def box_of(thing: MapObject) -> BoxPx | None:
    """Around its corners in the picture; None where it is not in it."""
    corners = WORLD_T_CAMERA.inverse().transform(thing.box.corners())
    pixels, depth_m = CAMERA.project(corners)
    (x0, y0), (x1, y1) = pixels.min(axis=0), pixels.max(axis=0)
    x0, x1 = np.clip((x0, x1), 0, CAMERA.width)
    y0, y1 = np.clip((y0, y1), 0, CAMERA.height)
    is_seen = (depth_m > 0).all() and x1 - x0 > 1 and y1 - y0 > 1
    return (float(x0), float(y0), float(x1), float(y1)) if is_seen else None


BOXES: dict[int, BoxPx] = {t.object_id: box for t in ROOM if (box := box_of(t)) is not None}


def picture() -> bytes:
    image = np.full((CAMERA.height, CAMERA.width, 3), 240, np.uint8)
    for x0, y0, x1, y1 in BOXES.values():
        cv2.rectangle(image, (round(x0), round(y0)), (round(x1), round(y1)), (128, 128, 128), -1)
    return cv2.imencode(".jpg", image)[1].tobytes()


FRAME = KeyFrame(7, 7, 0, CAMERA, WORLD_T_CAMERA, picture(), 1.0, BOXES)


@dataclass
class PhotographedRoom(SmallMemory):
    """A memory with that picture."""

    def select_key_frames(
        self,
        key_objects: Sequence[int],
        cue_objects: Sequence[int] = (),
        count: int = 3,
        locations: Sequence[int] | None = None,
    ) -> list[KeyFrame]:
        del cue_objects, count, locations
        boxes = {i: box for i, box in BOXES.items() if i in key_objects}
        return [replace(FRAME, boxes_px=boxes)] if boxes else []

    def key_frame(self, frame_number: int, object_ids: Sequence[int] = ()) -> KeyFrame:
        del object_ids
        if frame_number != FRAME.frame_number:
            raise SceneMemoryError(f"frame {frame_number} is not stored")
        return FRAME


def photographed_room() -> PhotographedRoom:
    return PhotographedRoom(snapshot_of(ROOM))
