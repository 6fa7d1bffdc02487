"""What a model named, in three dimensions: measured, compared with what is known, and written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import fuzz

from scenemind.frames.images import decode_color_file
from scenemind.geometry import Box3D, Pose, iou_3d, iou_matrix_2d
from scenemind.memory import MapObject, Memory, SceneMemoryError
from scenemind.perception.colors import color_histograms, color_shares
from scenemind.perception.types import BoxMask, Observation, cut_sides
from scenemind.reasoning.inventory.replies import is_of_kind
from scenemind.reasoning.vlm_grounder.projection.fusion import agreement
from scenemind.reasoning.vlm_grounder.projection.other_views import find_candidates
from scenemind.reasoning.vlm_grounder.projection.surface import NOISE_1M_M
from scenemind.reasoning.vlm_grounder.targets import Measured, MeasuredView, StoredScene

_SAME_IOU, _ALIKE_IOU, _ALIKE_INSIDE = 0.45, 0.15, 0.4
_ALIKE_NAME = 75.0  # of 100
_FILLED = 0.4  # IoU of a named box with the bounds of what was cut out of it
_TRIMMED = 1.0  # percent of a single view's points beyond its box, at each side
_NEAREST_M = 0.1
_LOOKS = 12  # frames that may contradict a thing
_POINTS = 300
# A view in which the model named the thing counts as a detector's middling one; one in which depth
# alone found it again says that something is there, hardly what.
_NAMED_SCORE, _FOUND_SCORE = 0.4, 0.1
_MOST_POINTS, _FEWEST_POINTS = 400, 10  # of an observation
_MARGIN_M = 0.01  # around the measured box, within which a view's points are the thing's


@dataclass(frozen=True, slots=True, eq=False)
class NamedThing:
    """A thing that a model named.

    Attributes:
        name: as the model gave it, cleaned.
        box: axis-aligned, world. points: (M, 3) float32, world, metres.
        views: stored frames that show it, the one in which it was named first.
        named_in: numbers of the frames in which the model named it.
        clarity_px: width of the named box, less where what was cut out does not fill it.
        object_id: of the map; 0: not written.
    """

    name: str
    box: Box3D
    points: NDArray[np.float32]
    views: tuple[MeasuredView, ...]
    named_in: frozenset[int]
    clarity_px: float
    object_id: int = 0

    @classmethod
    def find(cls, name: str, measured: Measured) -> NamedThing | None:
        """The thing of a named box; None where what was cut out does not fill that box: something
        stands before it, the mask spilled over, or other views show something else.

        Where the views together do not fill it, the first one alone may.
        """
        first = measured.views[0]
        named_in = frozenset((first.frame.frame_number,))
        x0, y0, x1, y1 = first.box_px
        width_px = float(np.sqrt((x1 - x0) * (y1 - y0)))
        box, points, views = measured.box, measured.points, measured.views
        if (filled := _filled(first, points)) < _FILLED:
            points, views = first.points, (first,)
            if (filled := _filled(first, points)) < _FILLED:
                return None
            low, high = np.percentile(points, (_TRIMMED, 100.0 - _TRIMMED), axis=0)
            box = Box3D.from_bounds(low, high)
        return cls(name, box, points, views, named_in, filled * width_px)

    def is_same_as(self, name: str, box: Box3D) -> bool:
        """Whether this is what stands in a box: nearly the same box, or less and a like name."""
        iou = iou_3d(self.box, box)
        if iou >= _SAME_IOU or not self._is_named_like(name):
            return iou >= _SAME_IOU
        own, other = float(np.prod(self.box.size)), float(np.prod(box.size))
        shared = iou * (own + other) / (1.0 + iou)
        return iou >= _ALIKE_IOU or shared >= _ALIKE_INSIDE * min(own, other) > 0.0

    def seen_also(self, other: NamedThing) -> NamedThing:
        """The same thing with the views of a second naming, which counts where the names fit; its
        box is that of the clearer naming."""
        best = max(self, other, key=lambda thing: thing.clarity_px)
        numbers = {view.frame.frame_number for view in self.views}
        new = tuple(v for v in other.views if v.frame.frame_number not in numbers)
        named_in = self.named_in | (other.named_in if self._is_named_like(other.name) else set())
        return replace(best, name=self.name, views=self.views + new, named_in=named_in)

    def _is_named_like(self, name: str) -> bool:
        """Whether names are spelled alike, are synonyms, or have one noun ("dining table" and
        "wooden table"): where boxes overlap it is hardly another thing."""
        if fuzz.token_set_ratio(self.name, name) >= _ALIKE_NAME:
            return True
        return _noun_of(self.name) == _noun_of(name) or is_of_kind(self.name, name)


def _noun_of(name: str) -> str:
    """The word that says what it is: "tray" of "plastic tray" and of "tray of fruit"."""
    return name.partition(" of ")[0].rpartition(" ")[2]


def _filled(view: MeasuredView, points: NDArray[np.float32]) -> float:
    """IoU of the box in which a thing was named with the bounds of points (M, 3) there."""
    camera = view.frame.camera
    local = view.frame.world_T_camera.inverse().transform(points)
    pixels, _ = camera.project(local[local[:, 2] > _NEAREST_M])
    if not len(pixels):
        return 0.0
    inside = np.clip(pixels, 0.0, (camera.width, camera.height))
    bounds = np.concatenate((inside.min(axis=0), inside.max(axis=0))).astype(np.float32)
    return float(iou_matrix_2d(bounds[None], np.array([view.box_px], np.float32))[0, 0])


def find_object(thing: NamedThing, objects: Sequence[MapObject]) -> MapObject | None:
    """The object of the map that a thing is; None: it is new."""
    same = [known for known in objects if thing.is_same_as(known.label, known.box)]
    return max(same, key=lambda known: iou_3d(thing.box, known.box), default=None)


def is_contradicted(thing: NamedThing, scene: StoredScene) -> bool:
    """Whether most other frames that look at its place look through it: it was invented, cut out
    of the background, or is not there any more."""
    points = thing.points[:: max(1, len(thing.points) // _POINTS)]
    candidates = find_candidates(points, scene.index, None)
    own = {view.frame.frame_number for view in thing.views}
    through = there = 0
    order = np.argsort(-candidates.share * candidates.size_px, kind="stable")
    for row in candidates.rows[order][:_LOOKS].tolist():
        number = int(scene.index.frame_numbers[row])
        if number in own:
            continue
        try:
            depth = scene.memory.depth_image(number)
        except SceneMemoryError:
            continue
        pose = Pose.from_matrix(scene.index.world_T_camera[row])
        noise = NOISE_1M_M * np.square(np.linalg.norm(points - pose.translation, axis=1))
        seen = agreement(points, noise.astype(np.float32), depth, pose)
        through += seen.contradicts_pose
        there += not seen.contradicts_pose and int(seen.seen.sum()) > len(points) // 4
    return through > there + len(own) - 1


def write(thing: NamedThing, memory: Memory, by: str) -> int:
    """Add a thing to the memory; the id of its object.

    Raises:
        SceneMemoryError: a frame is not stored any more, or the disk failed.
        FrameError: an image is damaged.
    """
    seen = []
    for view in sorted(thing.views, key=lambda view: view.frame.frame_number):
        points = view.points[thing.box.contains(view.points, margin_m=_MARGIN_M)]
        if len(points) >= _FEWEST_POINTS:  # without what is an outlier to all views together
            seen.append((view.frame.frame_number, _observation(view, points, thing)))
    if not seen:
        first = thing.views[0]
        seen = [(first.frame.frame_number, _observation(first, thing.points, thing))]
    return memory.add_named(thing.name, seen, by)


def _observation(view: MeasuredView, points: NDArray[np.float32], thing: NamedThing) -> Observation:
    color, camera = decode_color_file(view.frame.jpeg), view.frame.camera
    rgb = _pixels(color, view.mask)
    owner = np.zeros(len(rgb), np.intp)
    points = points[:: max(1, -(-len(points) // _MOST_POINTS))]
    away = points.mean(axis=0) - view.frame.world_T_camera.translation
    box_px = np.array(view.box_px, np.float32)
    named = view.frame.frame_number in thing.named_in
    return Observation(
        track_id=-1,
        label=thing.name,
        score=_NAMED_SCORE if named else _FOUND_SCORE,
        box_px=box_px,
        points=points,
        box=Box3D.from_bounds(points.min(axis=0), points.max(axis=0)),
        color_shares=color_shares(rgb, owner, 1)[0],
        pixel_count=len(rgb),
        truncated=bool(cut_sides(box_px[None], camera).any()),
        appearance=color_histograms(rgb, owner, 1)[0],
        sigma_m=NOISE_1M_M * float(away @ away),
    )


def _pixels(color: NDArray[np.uint8], mask: BoxMask) -> NDArray[np.uint8]:
    """(K, 3) The colours in a mask, at least one."""
    height, width = mask.bits.shape
    window = color[mask.y_px : mask.y_px + height, mask.x_px : mask.x_px + width]
    inside = mask.bits[: window.shape[0], : window.shape[1]]
    return window[inside] if inside.any() else window.reshape(-1, 3)
