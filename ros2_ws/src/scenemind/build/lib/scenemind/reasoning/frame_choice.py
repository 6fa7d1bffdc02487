"""Stored frames that show what was asked for, each from another view (MemTree3D, section 3.3).

The paper takes the frame of highest Score(f) of each location. Here several may come from one
location, or from locations that see the same: a frame's score counts less for what frames before it
have shown from about there. Labels score as objects do, by their detections of which no object was
mapped: a detector mostly sees more than a map holds.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from scenemind.memory import FrameIndex, KeyFrame, MemoryAccess
from scenemind.memory.tree.key_frames import CUE_WEIGHT, KEY_WEIGHT, view_scores
from scenemind.reasoning.prompts import Word, label_name
from scenemind.reasoning.stored_frames import StoredFrames, with_boxes_of

Floats = NDArray[np.float64]
Point = tuple[float, float, float]
"""x, y, z in metres, world."""

# What is asked for decides; how much else a frame shows decides where no frame shows that.
_OVERVIEW_WEIGHT, _LEAST_OVERVIEW = 0.01, 0.3
# Frames that share more of their views are one picture, unless something asked for is new.
_SAME_VIEW = 0.75
# A view (`view_scores`) by which a thing can be counted; a frame that adds less than this share of
# a thing adds none.
_COUNTABLE, _ADDED_SHARE = 0.15, 0.4
# A place that a camera merely faces may be hidden: it is worth less than a detection.
_FACED, _FAR_M = 0.25, 8.0
# Views are compared by points in them: of so many cells of the image, so far away.
_CELLS, _DEPTHS_M = (4, 3), (1.0, 3.0)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What frames are to show: ids of objects, and labels in their normal form (`label_name`),
    which stand for detections without an object.

    Attributes:
        keys: what the answer is about, most important first.
        cues: what is near it.
        places: points, world, metres.
    """

    keys: tuple[Word, ...] = ()
    cues: tuple[Word, ...] = ()
    places: tuple[Point, ...] = ()

    @property
    def object_ids(self) -> tuple[int, ...]:
        """Of keys and cues."""
        return tuple(dict.fromkeys(i for i in (*self.keys, *self.cues) if isinstance(i, int)))


class Showings:
    """How well frames show things, and what the frames taken so far show of them.

    To take the frame with the most news each time is greedy maximum coverage: within 1 - 1/e of
    the best choice.

    Attributes:
        best: (K,) of each thing, in the frames taken.
    """

    def __init__(
        self, frames: NDArray[np.integer], things: NDArray[np.integer], quality: Floats, count: int
    ) -> None:
        """
        Args:
            frames, things, quality: (M,) row of the frame, row of the thing, and how well the one
                shows the other, at least 0.
            count: number of frames.
        """
        self._frames, self._things, self._quality, self._count = frames, things, quality, count
        self.best = np.zeros(int(things.max(initial=-1)) + 1)

    def a_frame(self, of_showings: Floats | NDArray[np.bool_]) -> Floats:
        """(N,) sums over the showings of each frame."""
        return np.bincount(self._frames, of_showings, self._count).astype(np.float64)

    def news(self, enough: float = np.inf) -> Floats:
        """(M,) how much better each shows its thing than the frames taken; what is shown well
        enough needs no better view."""
        best = np.minimum(self.best[self._things], enough)
        return (np.minimum(self._quality, enough) - best).clip(0.0)

    def take(self, row: int) -> None:
        """Count a frame among those that were taken."""
        here = self._frames == row
        np.maximum.at(self.best, self._things[here], self._quality[here])


class FrameChooser:
    """Chooses frames of a memory one after the other, each in view of those before it.

    A choice takes some 3 ms with 1,000 stored frames.
    """

    def __init__(self, memory: MemoryAccess, shown: Collection[int] = ()) -> None:
        """
        Args:
            shown: numbers of frames that were looked at before: they are not chosen again, and
                what they show is not new.

        Raises:
            ReasoningError: no frame is stored.
        """
        self.frames: list[KeyFrame] = []
        self._stored = StoredFrames(memory)
        self._index = index = memory.frame_index()
        self._views = _views(index)
        # What can be shown: mapped objects, and the labels of all other detections.
        mapped = index.detection_objects
        things = np.where(mapped > 0, mapped, -1 - index.detection_labels)
        self._is_mapped = mapped > 0
        self._things, self._thing_of = np.unique(things, return_inverse=True)
        self._showings = Showings(index.detection_frames, self._thing_of, self._views, len(index))
        self._overlap = np.zeros(len(index))  # of each frame with the most alike so far
        self._is_free = np.ones(len(index), np.bool_)
        self._a_frame = self._showings.a_frame
        self._overview = _LEAST_OVERVIEW + self._a_frame(self._views)
        for row in np.flatnonzero(np.isin(index.frame_numbers, list(shown))).tolist():
            self._show(row)

    @property
    def unseen_locations(self) -> frozenset[int]:
        """Ids of the locations with a frame that repeats no view."""
        is_new = self._is_free & (self._overlap < _SAME_VIEW)
        return frozenset(self._index.location_ids[is_new].tolist())

    def take(self, wanted: Wanted, location_id: int | None = None) -> None:
        """Choose the frame of a location, or of all, with the highest Score(f), preferably one that
        does not repeat a view; none where no image is left there."""
        is_there = self._is_free
        if location_id is not None:
            is_there = is_there & (self._index.location_ids == location_id)
        score = self._a_frame(self._weights(wanted) * self._views)
        worth = score + _OVERVIEW_WEIGHT * self._overview
        if not self._take_best(worth, is_there & self._adds(wanted)):
            self._take_best(worth, is_there)

    def fill(self, wanted: Wanted, count: int) -> None:
        """Choose frames until there are so many, with the highest Score(f) less what is shown
        already from about there; none that repeats a view."""
        while len(self.frames) < count:
            seen = self._showings.best[self._thing_of] > 0.0
            again = seen * self._overlap[self._index.detection_frames]
            score = self._a_frame(self._weights(wanted) * self._views * (1.0 - again))
            beside = _OVERVIEW_WEIGHT * self._overview + self._facing(wanted.places)
            if not self._take_best(score + beside * (1.0 - self._overlap), self._adds(wanted)):
                return

    def cover(self, keys: Wanted, most: int) -> None:
        """Choose the fewest frames, at most so many, that show every key thing so well that it can
        be counted: an object once, detections without one wherever the view is another."""
        is_key = self._weights(keys) > 0.0
        clear = np.minimum(self._views / _COUNTABLE, 1.0)
        while len(self.frames) < most:
            elsewhere = 1.0 - self._overlap[self._index.detection_frames]
            news = self._showings.news(_COUNTABLE) / _COUNTABLE
            gain = self._a_frame(is_key * np.where(self._is_mapped, news, clear * elsewhere))
            if not self._take_best(gain, gain > _ADDED_SHARE):
                return

    def chosen(self, wanted: Wanted) -> tuple[KeyFrame, ...]:
        """The chosen frames by descending Score(f), each with it and the boxes of these objects."""
        scores = self._a_frame(self._weights(wanted) * self._views)
        score_of = dict(zip(self._index.frame_numbers.tolist(), scores.tolist(), strict=True))
        frames = [
            replace(with_boxes_of(wanted.object_ids, frame), score=score_of[frame.frame_number])
            for frame in self.frames
        ]
        return tuple(sorted(frames, key=lambda frame: -frame.score))

    def _adds(self, wanted: Wanted) -> NDArray[np.bool_]:
        """(N,) bool: the frames that repeat no view, or show a wanted thing for the first time."""
        is_new = self._showings.best[self._thing_of] == 0.0
        return (self._overlap < _SAME_VIEW) | (self._a_frame(self._weights(wanted) * is_new) > 0.0)

    def _weights(self, wanted: Wanted) -> Floats:
        """(M,) weight of each detection: of a key object, a cue object, or none (the paper's 1,
        lambda and 0)."""
        weights = np.zeros(len(self._things))
        for words, weight in ((wanted.cues, CUE_WEIGHT), (wanted.keys, KEY_WEIGHT)):
            ids = [i for word in words for i in self._ids_of(word)]
            weights[np.isin(self._things, ids)] = weight
        return weights[self._thing_of]

    def _ids_of(self, word: Word) -> Collection[int]:
        return (word,) if isinstance(word, int) else self._unmapped.get(word, ())

    @cached_property
    def _unmapped(self) -> dict[str, list[int]]:
        """Normal form of a label -> its things without an object."""
        found: dict[str, list[int]] = {}
        for row, label in enumerate(self._index.labels):
            found.setdefault(label_name(label), []).append(-1 - row)
        return found

    def _take_best(self, worth: Floats, allowed: NDArray[np.bool_]) -> bool:
        """Choose the allowed frame of most worth, of equals the oldest; False where none has an
        image."""
        while (free := allowed & self._is_free).any():
            row = int(np.where(free, worth, -np.inf).argmax())
            frame = self._stored.find(int(self._index.frame_numbers[row]))
            if frame is not None:
                self.frames.append(frame)
                self._show(row)
                return True
            self._is_free[row] = False  # its image was deleted
        return False

    def _show(self, row: int) -> None:
        self._is_free[row] = False
        self._showings.take(row)
        self._overlap = np.maximum(self._overlap, self._overlaps(row))

    def _overlaps(self, row: int) -> Floats:
        """(N,) in [0, 1]: how alike the views of each frame and this one are. It is the share of
        either that the other has too, times the cosine of the angle between them: a close-up and
        its surroundings differ, and so do the two sides of a thing."""
        pose = self._index.world_T_camera
        to_this = (self._points - pose[row, :3, 3]) @ pose[row, :3, :3]
        in_this = self._is_in_image(to_this, self._intrinsics[row]).mean(axis=1)
        to_each = (self._points[row] - pose[:, None, :3, 3]) @ pose[:, :3, :3]
        in_each = self._is_in_image(to_each, self._intrinsics[:, None]).mean(axis=1)
        facing = (pose[:, :3, 2] @ pose[row, :3, 2]).clip(0.0, 1.0)
        overlap: Floats = np.minimum(in_this, in_each) * facing
        return overlap

    def _facing(self, places: Sequence[Point]) -> Floats:
        """(N,): how well each frame faces places; what stands before them is not known."""
        total = np.zeros(len(self._index))
        pose = self._index.world_T_camera
        fx, fy, cx, cy, width, height = self._intrinsics.T
        for place in places:
            x, y, depth = np.einsum("nij,ni->nj", pose[:, :3, :3], place - pose[:, :3, 3]).T
            along = np.maximum(depth, 1e-6)
            u, v = (fx * x / along + cx) / width, (fy * y / along + cy) / height
            off = np.maximum(np.abs(u - 0.5), np.abs(v - 0.5))  # 0.5 at the border
            is_seen = (depth > 0.0) & (depth < _FAR_M) & (off < 0.5)
            total += _FACED * np.where(is_seen, (1.0 - off) / (1.0 + along / 3.0), 0.0)
        return total

    def _is_in_image(self, points: Floats, intrinsics: Floats) -> NDArray[np.bool_]:
        """Of points (N, P, 3), cameras' frames, and intrinsics (..., 6)."""
        fx, fy, cx, cy, width, height = np.moveaxis(intrinsics, -1, 0)
        depth = np.maximum(points[..., 2], 1e-6)
        u, v = fx * points[..., 0] / depth + cx, fy * points[..., 1] / depth + cy
        inside = (u > -0.5) & (u < width - 0.5) & (v > -0.5) & (v < height - 0.5)
        return inside & (points[..., 2] > 0.0)

    @cached_property
    def _intrinsics(self) -> Floats:
        """(N, 6) fx, fy, cx, cy, width, height of each frame."""
        cameras = [(c.fx, c.fy, c.cx, c.cy, c.width, c.height) for c in self._index.cameras]
        return np.array(cameras, np.float64).reshape(-1, 6)[self._index.camera_indices]

    @cached_property
    def _points(self) -> Floats:
        """(N, P, 3) world: points in the view of each frame."""
        across, down = ((np.arange(n) + 0.5) / n for n in _CELLS)
        u, v, depth = (a.ravel() for a in np.meshgrid(across, down, _DEPTHS_M))
        fx, fy, cx, cy, width, height = (c[:, None] for c in self._intrinsics.T)
        x, y = (u * width - 0.5 - cx) / fx, (v * height - 0.5 - cy) / fy
        rays = np.stack((x, y, np.ones_like(x)), axis=-1) * depth[:, None]
        pose = self._index.world_T_camera
        points: Floats = rays @ pose[:, :3, :3].transpose(0, 2, 1) + pose[:, None, :3, 3]
        return points


def _views(index: FrameIndex) -> Floats:
    """(M,) how well each detection shows what it is of (`view_scores`)."""
    views = np.zeros(len(index.detection_scores))
    camera_of = index.camera_indices[index.detection_frames]
    for row, camera in enumerate(index.cameras):
        own = camera_of == row
        views[own] = view_scores(index.detection_boxes_px[own], index.detection_scores[own], camera)
    return views
