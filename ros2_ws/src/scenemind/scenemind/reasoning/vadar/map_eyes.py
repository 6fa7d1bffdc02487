"""What the map knows of a key frame: where its objects are in the picture, and how far away.

The map is what the depth camera has measured, over all frames that saw a thing; it is there also
where the memory is another process's, and for frames whose depth image was not kept.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from scenemind.memory import KeyFrame, MapObject, MemorySnapshot
from scenemind.memory.finding.finder import LONGEST_TEXT, ObjectFinder
from scenemind.models import Allowance
from scenemind.reasoning.detecting import SharedDetector
from scenemind.reasoning.vadar.detector_eyes import MOST_BOXES, DetectorLocator
from scenemind.reasoning.vadar.view import BoxPx, Locator, View, decoded, find_same

# Less sure is what is only mixed up with a thing, or misspelled.
_LEAST_SCORE = 0.75
# Shares of a box, in the middle of it, in which its thing is looked for, one after the other.
_MIDDLES = (0.5, 1.0)


class MapLocator:
    """A `Locator` of the objects that were detected in a frame."""

    name = "the map"

    def __init__(self, boxes_px: Mapping[int, BoxPx], objects: Mapping[int, MapObject]) -> None:
        """
        Args:
            objects: of those boxes.
        """
        self._boxes_px = boxes_px
        self._finder = ObjectFinder()
        self._finder.refresh(objects)

    def locate(self, prompt: str) -> Sequence[BoxPx]:
        """See `Locator`."""
        words = prompt.strip()[:LONGEST_TEXT]
        found = self._finder.find(words, MOST_BOXES) if words else ()
        return [self._boxes_px[f.object_id] for f in found if f.score >= _LEAST_SCORE]


class MapDepth:
    """A `DepthSource` of the mapped surfaces that a frame shows."""

    name = "the map"

    def __init__(self, frame: KeyFrame, view_boxes: Mapping[int, BoxPx], scene: MemorySnapshot):
        """
        Args:
            view_boxes: of objects of the scene, in the frame.
        """
        self._frame = frame
        self._boxes_px = view_boxes
        self._objects = scene.objects
        self._seen: dict[int, NDArray[np.float64]] = {}

    def find_depth_m(self, box_px: BoxPx) -> float | None:
        """See `DepthSource`: the median of what is measured in the middle of the box, of the object
        whose box it is, else of the nearest whose box has the middle in it."""
        same = find_same(box_px, self._boxes_px)
        if same is not None and (depth_m := self._median_m(same, box_px)) is not None:
            return depth_m
        x, y = (box_px[0] + box_px[2]) / 2.0, (box_px[1] + box_px[3]) / 2.0
        around = [i for i, b in self._boxes_px.items() if b[0] <= x <= b[2] and b[1] <= y <= b[3]]
        depths = [d for i in around if (d := self._median_m(i, box_px)) is not None]
        return min(depths, default=None)

    def _median_m(self, object_id: int, box_px: BoxPx) -> float | None:
        seen = self._pixels_and_depths(object_id)
        x0, y0, x1, y1 = box_px
        middle = np.array(((x0 + x1) / 2.0, (y0 + y1) / 2.0))
        for share in _MIDDLES:
            reach = np.array((x1 - x0, y1 - y0)) * share / 2.0
            inside = (np.abs(seen[:, :2] - middle) <= reach).all(axis=1)
            if inside.any():
                return float(np.median(seen[inside, 2]))
        return None

    def _pixels_and_depths(self, object_id: int) -> NDArray[np.float64]:
        """(N, 3): u and v in pixels, metres."""
        if object_id not in self._seen:
            thing = self._objects[object_id]
            points = thing.points if len(thing.points) else np.array([thing.box.center])
            in_camera = self._frame.world_T_camera.inverse().transform(points)
            pixels, depth_m = self._frame.camera.project(in_camera)
            self._seen[object_id] = np.column_stack((pixels, depth_m)).astype(np.float64)
        return self._seen[object_id]


def view_of_frame(
    frame: KeyFrame,
    scene: MemorySnapshot,
    detector: SharedDetector | None = None,
    allowance: Allowance | None = None,
) -> View:
    """A key frame as the map sees it.

    Args:
        frame: with the boxes of all objects in it.
        detector: finds things in it; None: the map does.
        allowance: of the question, for who waits for the detector.

    Raises:
        ReasoningError: the detector is to look, and the image of the frame is damaged.
    """
    name = f"frame {frame.frame_number}"
    boxes = {i: box for i, box in frame.boxes_px.items() if i in scene.objects}
    locator: Locator = MapLocator(boxes, {i: scene.objects[i] for i in boxes})
    if detector is not None:
        locator = DetectorLocator(detector, decoded(frame.jpeg, name), allowance)
    return View(
        name=name,
        width=frame.camera.width,
        height=frame.camera.height,
        jpeg=frame.jpeg,
        locator=locator,
        depth=MapDepth(frame, boxes, scene),
        boxes_px=boxes,
    )
