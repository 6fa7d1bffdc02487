"""Pictures for programs, with a locator of objects and a source of depth: the map, a detector, a
depth image, a depth model, or an oracle.

An oracle knows true boxes and depths, to measure the logic of programs alone (VADAR, "+ oracle");
the steps of its answers name it.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from scenemind.frames import FrameError, RGBDFrame
from scenemind.frames.images import decode_color_file, encode_color_file
from scenemind.geometry import iou_matrix_2d
from scenemind.language.english import normal
from scenemind.language.quoting import tame
from scenemind.language.vocabulary import LabelIndex, Vocabulary
from scenemind.memory import KeyFrame, MapObject, MemorySnapshot
from scenemind.memory.finding.finder import LONGEST_TEXT, ObjectFinder
from scenemind.models import Allowance
from scenemind.perception import PerceptionError
from scenemind.perception.protocols import DepthEstimator
from scenemind.perception.text import normalized_label
from scenemind.perception.types import Detections
from scenemind.reasoning.query import ReasoningError
from scenemind.reasoning.sandbox import ApiError
from scenemind.reasoning.shared_models import SharedDetector
from scenemind.reasoning.stored_frames import color_frame

BoxPx = tuple[float, float, float, float]
"""x0, y0, x1, y1 in pixels of the picture."""
_LARGE = 1e3  # numbers from here on are rounded to whole ones
ORACLE = "oracle (ground truth)"
_SAME_THING_IOU = 0.5  # of a detector's box and the map's
_MOST_BOXES = 50  # of one search
_LEAST_NAME_SCORE = 0.75  # lower scores are confusions and misspellings
_LEAST_DETECTION_SCORE = 0.25  # the paper's, for GroundingDINO
# Shares of a box around its middle in which mapped points are used, one after the other; and the
# share in which a depth image is.
_MAP_MIDDLES, _IMAGE_MIDDLE = (0.5, 1.0), 0.25
_LONGEST_SIDE_PX = 1536  # of a photograph; most models make larger pictures smaller anyway
_MOST_BYTES = 100_000_000


class Locator(Protocol):
    """Locates objects in one picture by words."""

    @property
    def name(self) -> str:
        """Shown in the steps of an answer."""
        ...

    def locate(self, prompt: str) -> Sequence[BoxPx]:
        """Boxes of all objects that the words mean, surest first; may be none.

        Raises:
            PerceptionError: the detector is not available, or does not take the words.
            ModelError: the question's time ended while waiting for the detector.
        """
        ...


class DepthSource(Protocol):
    """Depth in one picture."""

    @property
    def name(self) -> str:
        """Shown in the steps of an answer."""
        ...

    def find_depth_m(self, box_px: BoxPx) -> float | None:
        """Depth along the optical axis of the thing in the middle of a box, in metres; None where
        it is not known.

        Raises:
            PerceptionError: the depth model is not available.
        """
        ...


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """A picture for programs.

    Attributes:
        name: such as "frame 12".
        depth: None: no depth is known.
        boxes_px: boxes of the map's objects in the picture, by id.
    """

    name: str
    width: int
    height: int
    jpeg: bytes
    locator: Locator
    depth: DepthSource | None
    boxes_px: dict[int, BoxPx] = field(default_factory=dict)

    def decoded(self) -> NDArray[np.uint8]:
        """The image (H, W, 3), RGB.

        Raises:
            ReasoningError: the image is damaged.
        """
        return decoded(self.jpeg, self.name)

    def find_objects(self, boxes_px: Iterable[BoxPx]) -> tuple[int, ...]:
        """Ids of the map's objects that boxes cover, each once, in their order."""
        found = (self.find_object(box) for box in boxes_px)
        return tuple(dict.fromkeys(i for i in found if i is not None))

    def find_object(self, box_px: BoxPx) -> int | None:
        """Id of the map's object that a box covers."""
        return find_same(box_px, self.boxes_px)


def find_same(box_px: BoxPx, boxes_px: Mapping[int, BoxPx]) -> int | None:
    """Id of the box with the largest IoU with another one, of 0.5 or more."""
    if not boxes_px:
        return None
    boxes = np.array(list(boxes_px.values()), np.float64)
    overlaps = iou_matrix_2d(np.array([box_px], np.float64), boxes)[0]
    best = int(overlaps.argmax())
    return list(boxes_px)[best] if overlaps[best] >= _SAME_THING_IOU else None


def box_text(box: BoxPx) -> str:
    """A box as text, such as "(120, 33, 180, 90)", in pixels."""
    return f"({', '.join(map(number_text, box))})"


def number_text(value: float) -> str:
    """A number without an exponent where people would write none."""
    if value == round(value) or abs(value) >= _LARGE:
        return str(round(value))
    return f"{value:.3g}"


def decoded(jpeg: bytes, name: str) -> NDArray[np.uint8]:
    """The image (H, W, 3), RGB, of a JPEG file.

    Raises:
        ReasoningError: it is no image, or a damaged one.
    """
    try:
        return decode_color_file(jpeg)
    except FrameError as error:
        raise ReasoningError(
            "invalid_request", f"The image of {name} cannot be read: {error}"
        ) from error


class MapLocator:
    """A `Locator` of what was detected in a frame: objects of the map, then the rest."""

    name = "the map"

    def __init__(
        self,
        boxes_px: Mapping[int, BoxPx],
        objects: Mapping[int, MapObject],
        loose: Sequence[tuple[str, BoxPx]] = (),
    ) -> None:
        """
        Args:
            objects: of those boxes.
            loose: labels and boxes of detections that belong to no object, surest first.
        """
        self._boxes_px = boxes_px
        self._loose = loose
        self._finder = ObjectFinder()
        self._finder.refresh(objects)

    def locate(self, prompt: str) -> Sequence[BoxPx]:
        """See `Locator`."""
        words = prompt.strip()[:LONGEST_TEXT]
        found = self._finder.find(words, _MOST_BOXES) if words else ()
        mapped = [self._boxes_px[f.object_id] for f in found if f.score >= _LEAST_NAME_SCORE]
        known = LabelIndex(sorted({label for label, _ in self._loose}))
        labels = {match.label for match in Vocabulary.load().strict(normal(words), known)}
        return mapped + [box for label, box in self._loose if label in labels]


class MapDepth:
    """A `DepthSource` of the mapped surfaces that a frame shows."""

    name = "the map"

    def __init__(self, frame: KeyFrame, view_boxes: Mapping[int, BoxPx], scene: MemorySnapshot):
        """
        Args:
            view_boxes: boxes of the scene's objects in the frame, by id.
        """
        self._frame = frame
        self._boxes_px = view_boxes
        self._objects = scene.objects
        self._seen: dict[int, NDArray[np.float64]] = {}

    def find_depth_m(self, box_px: BoxPx) -> float | None:
        """See `DepthSource`: the median depth of the mapped points in the middle of the box, of the
        object with that box, else of the nearest object whose box contains the middle."""
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
        for share in _MAP_MIDDLES:
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
    loose: Sequence[tuple[str, BoxPx]] = (),
) -> View:
    """A key frame with the map's boxes and depths.

    Args:
        frame: with the boxes of all objects in it.
        detector: locates objects in it; None: the map does.
        allowance: limits the wait for the detector.
        loose: what the frame shows that is not mapped; see `MapLocator`.

    Raises:
        ReasoningError: there is a detector, and the image of the frame is damaged.
    """
    name = f"frame {frame.frame_number}"
    boxes = {i: box for i, box in frame.boxes_px.items() if i in scene.objects}
    locator: Locator = MapLocator(boxes, {i: scene.objects[i] for i in boxes}, loose)
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


class DetectorLocator:
    """A `Locator` by an open-vocabulary detector."""

    def __init__(
        self,
        detector: SharedDetector,
        color: NDArray[np.uint8],
        allowance: Allowance | None = None,
    ) -> None:
        """
        Args:
            color: (H, W, 3) RGB.
            allowance: limits the wait for the detector, which questions share.
        """
        self._detector = detector
        self._color = color
        self._allowance = allowance

    @property
    def name(self) -> str:
        return self._detector.name or "a detector"

    def locate(self, prompt: str) -> Sequence[BoxPx]:
        """See `Locator`.

        Raises:
            ApiError: the words are no class name, or none that the detector knows.
            PerceptionError: the detector is not available.
            ModelError: cancelled, or the allowance is used up.
        """
        try:
            label = normalized_label(prompt)
        except PerceptionError as error:
            raise ApiError(f"loc(image, object_prompt): {error}") from error
        self._detector.open(self._allowance)
        try:
            found = self._detector.detect(color_frame(self._color), (label,), self._allowance)
        except PerceptionError as error:  # with these words; others may do
            raise ApiError(
                f"loc(image, object_prompt): {label} cannot be looked for, perhaps a common name of"
                f" it can: {error}"
            ) from error
        sure = found.boxes_px[found.scores >= _LEAST_DETECTION_SCORE][:_MOST_BOXES].tolist()
        return [(x0, y0, x1, y1) for x0, y0, x1, y1 in sure]


class ImageDepth:
    """A `DepthSource` of a depth image."""

    def __init__(self, depth_m: NDArray[np.float32], name: str) -> None:
        """
        Args:
            depth_m: (H, W), metres, 0 where it is not known.
        """
        self.name = name
        self._depth_m = depth_m

    def find_depth_m(self, box_px: BoxPx) -> float | None:
        """See `DepthSource`: the median around the middle of the box."""
        x0, y0, x1, y1 = box_px
        x, y = (x0 + x1) / 2.0, (y0 + y1) / 2.0
        half_x, half_y = _IMAGE_MIDDLE * (x1 - x0) / 2.0, _IMAGE_MIDDLE * (y1 - y0) / 2.0
        rows = slice(max(0, int(y - half_y)), max(0, int(y + half_y) + 1))
        columns = slice(max(0, int(x - half_x)), max(0, int(x + half_x) + 1))
        known = self._depth_m[rows, columns]
        known = known[np.isfinite(known) & (known > 0.0)]
        return float(np.median(known)) if known.size else None


class EstimatedDepth:
    """A `DepthSource` by a monocular depth model, which runs once, when depth is first asked
    for."""

    def __init__(self, estimator: DepthEstimator, color: NDArray[np.uint8]) -> None:
        """
        Args:
            color: (H, W, 3) RGB.
        """
        self.name = f"{estimator.name} (estimated)"
        self._estimator = estimator
        self._color = color
        self._lock = threading.Lock()
        self._depth: ImageDepth | None = None

    def find_depth_m(self, box_px: BoxPx) -> float | None:
        """See `DepthSource`."""
        with self._lock:
            if self._depth is None:
                self._depth = ImageDepth(self._estimator.estimate(self._color), self.name)
        return self._depth.find_depth_m(box_px)


def view_of_photograph(
    path: Path, detector: SharedDetector, estimator: DepthEstimator | None = None
) -> View:
    """The picture in a file, scaled down where it is large; boxes are in the scaled pixels.

    Args:
        estimator: of depth; None: no depth is known.

    Raises:
        ReasoningError: the file cannot be read as a picture.
    """
    name = f"photograph {tame(path.name)}"
    color = _no_larger(decoded(_content(path), name))
    height, width = color.shape[:2]
    return View(
        name=name,
        width=width,
        height=height,
        jpeg=encode_color_file(color),
        locator=DetectorLocator(detector, color),
        depth=None if estimator is None else EstimatedDepth(estimator, color),
    )


def _content(path: Path) -> bytes:
    try:
        if not path.is_file():
            trouble = "it is no file" if path.exists() else "there is no such file"
        elif (size := path.stat().st_size) > _MOST_BYTES:
            trouble = f"it has {size / 1e6:.0f} MB, {_MOST_BYTES / 1e6:.0f} are the most"
        else:
            return path.read_bytes()
    except OSError as error:
        trouble = error.strerror or str(error)
    raise ReasoningError("invalid_request", f"The picture {path} cannot be read: {trouble}.")


def _no_larger(color: NDArray[np.uint8]) -> NDArray[np.uint8]:
    height, width = color.shape[:2]
    scale = _LONGEST_SIDE_PX / max(height, width)
    if scale >= 1.0:
        return color
    size = max(1, round(width * scale)), max(1, round(height * scale))
    return cv2.resize(color, size, interpolation=cv2.INTER_AREA)


class OracleLocator:
    """A `Locator` of true boxes."""

    name = ORACLE

    def __init__(self, truth: Detections) -> None:
        self._truth = truth
        self._labels = LabelIndex(dict.fromkeys(truth.labels))

    def locate(self, prompt: str) -> Sequence[BoxPx]:
        """See `Locator`: objects of that class, and of its subclasses."""
        found = Vocabulary.load().match_in(normal(prompt), self._labels)
        names = {match.label for match in found if match.sure}
        boxes = zip(self._truth.labels, self._truth.boxes_px.tolist(), strict=True)
        return [(x0, y0, x1, y1) for label, (x0, y0, x1, y1) in boxes if label in names]


def oracle_view(frame: RGBDFrame, truth: Detections) -> View:
    """A frame with an oracle for boxes and depths; questions still go to the vision model.

    Args:
        frame: with its true depth.
        truth: true boxes of the objects in it.
    """
    return View(
        name=f"frame {frame.number} with an {ORACLE}",
        width=frame.camera.width,
        height=frame.camera.height,
        jpeg=encode_color_file(frame.color),
        locator=OracleLocator(truth),
        depth=ImageDepth(frame.depth_m, ORACLE),
    )
