"""Which frames are worth keeping, and which of the kept ones show an object best."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import radians

import numpy as np

from scenemind.config import StoreConfig
from scenemind.geometry import PinholeCamera, Pose
from scenemind.memory.tree.best_views import BestViews
from scenemind.memory.tree.tree import FrameInTree
from scenemind.memory.tree.views import OVERVIEW, Views
from scenemind.perception.image_border import cut_sides
from scenemind.perception.types import Detections

# An object that fills this share of the image is seen as well as it needs to be.
_LARGE_SHARE = 0.1
_CUT_FACTOR = 0.5  # half an object is half a view
# A view must be this much better than the best stored one to be stored for its own sake. The
# score is at most 1, so an object can ask for few frames however long it is watched.
_CLEARLY_BETTER = 1.3


def view_scores(detections: Detections, camera: PinholeCamera) -> list[float]:
    """How well each detection shows its object, in [0, 1].

    The detection's confidence times how large (by the root of its share of the image) and how
    whole (not cut by the border) the object is seen. Confidence alone, as the paper's key frames
    take it, does not tell a near view from a far one when a detector is sure of both.
    """
    x0, y0, x1, y1 = detections.boxes_px.T
    share = (x1 - x0) * (y1 - y0) / (camera.width * camera.height)
    large = np.sqrt(np.clip(share / _LARGE_SHARE, 0.0, 1.0))
    cut = cut_sides(detections.boxes_px, camera).any(axis=1)
    scores: list[float] = (detections.scores * large * np.where(cut, _CUT_FACTOR, 1.0)).tolist()
    return scores


class KeyFrameSelector:
    """A frame is worth an image when the camera has moved, or when it shows an object first or
    better than any before.

    Where not all images are kept (`StoreConfig.retention`), one that was taken because the camera
    has moved must also show something of the location better than its images so far.
    """

    def __init__(self, config: StoreConfig) -> None:
        self._keeps_all = config.retention == "all"
        self._translation_m = config.key_frame_translation_m
        self._rotation_rad = radians(config.key_frame_rotation_deg)
        self._last: Pose | None = None

    def wants(
        self,
        has_moved: bool,
        frame: FrameInTree,
        scores: Sequence[float],
        views: BestViews,
        is_confirmed: Callable[[int], bool],
    ) -> bool:
        """Whether to store this frame.

        Args:
            scores: `view_scores` of the frame's detections.
            is_confirmed: objects that may ask for a frame; tentative ones come and go.
        """
        if has_moved and self._keeps_all:
            return True
        seen = [
            (object_id, score)
            for object_id, score in zip(frame.object_ids(), scores, strict=True)
            if object_id is not None and is_confirmed(object_id)
        ]
        if any(score > _CLEARLY_BETTER * views.best_score(object_id) for object_id, score in seen):
            return True
        return has_moved and _adds(views.score_to_beat(frame.location_id), seen, sum(scores))

    def note_place(self, world_T_camera: Pose) -> None:
        """From here on the camera has to move again."""
        self._last = world_T_camera

    def has_moved(self, pose: Pose) -> bool:
        """Since the last place that was noted."""
        return (
            self._last is None
            or pose.distance_m(self._last) >= self._translation_m
            or pose.angle_rad(self._last) >= self._rotation_rad
        )


def _adds(to_beat: Mapping[int, float], seen: Iterable[tuple[int, float]], total: float) -> bool:
    """Whether a frame shows an object, or the location in all, better than its images there."""
    return total > _CLEARLY_BETTER * to_beat.get(OVERVIEW, -1.0) or any(
        score > _CLEARLY_BETTER * to_beat.get(object_id, 0.0) for object_id, score in seen
    )


def rank_frames(views_of_objects: Iterable[Views]) -> list[tuple[int, float]]:
    """Frame numbers with scores, in the order in which to show them.

    A frame's score is the sum over the objects of how well it shows each.

    Args:
        views_of_objects: for each object that is asked for, a frame at most once.

    The best frame of each location comes first (as the paper takes one a location), best first;
    then the remaining ones, which look much like one that is already there.
    """
    score_of: dict[int, float] = defaultdict(float)
    location_of: dict[int, int] = {}
    for views in views_of_objects:
        numbers = views.frame_numbers.tolist()
        location_of.update(zip(numbers, views.location_ids.tolist(), strict=True))
        for number, score in zip(numbers, views.scores.tolist(), strict=True):
            score_of[number] += score
    leading: list[tuple[int, float]] = []
    following: list[tuple[int, float]] = []
    seen: set[int] = set()
    for number, score in sorted(score_of.items(), key=lambda item: (-item[1], item[0])):
        location_id = location_of[number]
        (following if location_id in seen else leading).append((number, score))
        seen.add(location_id)
    return leading + following
