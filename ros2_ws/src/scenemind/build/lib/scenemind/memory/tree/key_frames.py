"""Key frames: which frames are stored, and which stored ones answer best (MemTree3D paper, section
3.3).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from math import radians
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scenemind.config import StoreConfig
from scenemind.geometry import PinholeCamera, Pose
from scenemind.memory.tree.best_views import OVERVIEW, BestViews, Views, weights_of
from scenemind.memory.tree.mem_tree import FrameInTree
from scenemind.perception.types import cut_sides

# An object that fills this share of the image is seen as well as it needs to be.
_LARGE_SHARE = 0.1
_CUT_FACTOR = 0.5  # half an object is half a view
# A view must be better than the best stored one by this factor to be a key frame. Scores are at
# most 1, which bounds the key frames of an object however long it is in view.
_CLEARLY_BETTER = 1.3


def view_scores(
    boxes_px: NDArray[np.floating], scores: NDArray[np.floating], camera: PinholeCamera
) -> NDArray[np.floating]:
    """Quality of each detection as a view of its object, (N,) in [0, 1].

    It is the detection's confidence, times the root of its share of the image (up to a limit),
    times a factor if the image border cuts it. Confidence alone, which the paper uses, does not
    distinguish a near view from a far one if the detector is sure of both.

    Args:
        boxes_px: (N, 4) x0, y0, x1, y1.
        scores: (N,) confidences of the detections.
    """
    x0, y0, x1, y1 = boxes_px.T
    share = (x1 - x0) * (y1 - y0) / (camera.width * camera.height)
    large = np.sqrt(np.clip(share / _LARGE_SHARE, 0.0, 1.0))
    cut = cut_sides(boxes_px, camera).any(axis=1)
    return scores * large * np.where(cut, _CUT_FACTOR, 1.0)


class KeyFrameSelector:
    """Selects key frames: those after a movement of the camera, and those that show an object first
    or better than any earlier frame.

    If not all images are kept (`StoreConfig.retention`), a frame after a movement must also show
    something of the location better than the images of the location.
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
        """True if this frame is to be stored.

        Args:
            scores: `view_scores` of the frame's detections.
            is_confirmed: True for objects that can be a reason; tentative ones cannot.
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
        """Note the pose from which the next movement is measured."""
        self._last = world_T_camera

    def correct(self, correction: Pose) -> None:
        """Move the last noted pose, after poses were corrected."""
        if self._last is not None:
            self._last = correction @ self._last

    def has_moved(self, pose: Pose) -> bool:
        """True if the camera has moved since the last noted pose."""
        return (
            self._last is None
            or pose.distance_m(self._last) >= self._translation_m
            or pose.angle_rad(self._last) >= self._rotation_rad
        )


def _adds(to_beat: Mapping[int, float], seen: Iterable[tuple[int, float]], total: float) -> bool:
    """True if a frame shows an object, or the location as a whole, better than its images there."""
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


KEY_WEIGHT = 1.0
CUE_WEIGHT = 0.1  # lambda of the paper
# Number of candidate locations if none are given: for each wanted frame, and at least.
_LOCATIONS_A_FRAME, _FEWEST_LOCATIONS = 8, 24


class RankedFrame(NamedTuple):
    """A stored frame and how well it shows what was asked for.

    Attributes:
        score: sum over the objects in it of weight times how well the frame shows each; 0 for one
            of a location that was asked for by its id.
    """

    location_id: int
    frame_number: int
    score: float


def rank_key_frames(
    views: BestViews,
    key_objects: Iterable[int],
    cue_objects: Iterable[int] = (),
    k: int = 3,
    locations: Collection[int] | None = None,
) -> Iterator[RankedFrame]:
    """Scoring-based frame selection (MemTree3D, section 3.3): frames, best first. Take the first
    frame of each location; later ones replace it if its image is deleted.

    Score(f) is the sum over the objects in frame f of w * s. The weight w is 1.0 for key objects,
    which help to answer, and 0.1 for cue objects, which are near them; an object that is both is a
    key object. Differences from the paper:

    - s is how well the frame shows the object (`view_scores`), not the detector's confidence alone,
      which does not decrease with distance.
    - Only the few best views of each object and location are used, not every detection, therefore
      the cost does not grow with the frames. A frame that is among the best of one object but not
      of another counts as if it did not show the other.

    The result reflects the views at the time of the call.

    Args:
        k: number of locations.
        locations: ids to choose from, such as a language model's choice; their frames without any
            of the objects come last, those that show most first. None: all that saw an object, of
            which the 8 k (at least 24) with the largest sum of best scores are used. For one object
            that misses none of the best k; for several it rarely does.
    """
    weights = dict.fromkeys(cue_objects, CUE_WEIGHT) | dict.fromkeys(key_objects, KEY_WEIGHT)
    if locations is None:
        most = max(_FEWEST_LOCATIONS, _LOCATIONS_A_FRAME * k)
        return _best_first(views.of_objects(weights, most), weights)
    return _best_first(views.at_locations(locations), weights)


def _best_first(views: Views, weights: Mapping[int, float]) -> Iterator[RankedFrame]:
    """Frames by descending score; of equal ones the one that shows more, then the older one."""
    frames, first, frame_of = np.unique(views.frame_numbers, return_index=True, return_inverse=True)
    scores = np.bincount(frame_of, weights_of(views.object_ids, weights) * views.scores)
    order = np.lexsort((-np.bincount(frame_of, views.scores), -scores))
    columns = views.location_ids[first[order]], frames[order], scores[order]
    return map(RankedFrame, *(column.tolist() for column in columns))
