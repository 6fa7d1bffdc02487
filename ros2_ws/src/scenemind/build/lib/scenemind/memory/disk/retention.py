"""Retention of stored images (`StoreConfig.retention`).

- `all`: every key frame is kept.
- `best_views`: frames among the best views of an object at a location, and of each location the
  frame that shows most (`tree.best_views`).
- `byte_budget`: the same; beyond the budget, the least useful images are deleted
  (`least_useful_first`) until they take a twentieth less.

Decisions use bookkeeping alone, between frames; the frame store's thread deletes the files.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from scenemind.config import StoreConfig
from scenemind.memory.disk.images import ImageResults
from scenemind.memory.tree.best_views import OVERVIEW, BestViews, Views

# Making room is a pass over all views; deleting a little more at once makes it rare.
_ROOM_SHARE = 0.95
_BYTES_PER_MB = 1e6


class Retention:
    """Bookkeeping of the images on disk and in the queue. Its owner's lock guards it.

    Attributes:
        removed: number of images deleted since this memory was opened.
    """

    def __init__(self, config: StoreConfig, views: BestViews) -> None:
        self._keeps_all = config.retention == "all"
        self._budget = np.inf
        if config.retention == "byte_budget":
            self._budget = config.budget_mb * _BYTES_PER_MB
        self._views = views
        self._on_disk: dict[int, int] = {}  # frame -> bytes
        self._under_way: set[int] = set()
        self._changed: dict[int, int] = {}  # frame -> bytes, 0: the image is to be deleted
        self._bytes = 0
        self.removed = 0

    @property
    def image_count(self) -> int:
        """Number of images on disk and in the queue."""
        return len(self._on_disk) + len(self._under_way)

    def frames(self) -> list[int]:
        """Numbers of the frames whose images are on disk or in the queue, oldest first."""
        return sorted([*self._on_disk, *self._under_way])

    @property
    def image_bytes(self) -> int:
        """Size of the images on disk."""
        return self._bytes

    def restore(self, image_bytes: Mapping[int, int]) -> None:
        """Begin with the images on disk (frame -> bytes); drop views of other frames."""
        self._on_disk = dict(image_bytes)
        self._bytes = sum(self._on_disk.values())
        self._views.drop_frames(set(self._views.needed_frames()) - self._on_disk.keys())
        self._views.take_unneeded()
        if not self._keeps_all:
            self._give_up(n for n in image_bytes if not self._views.is_needed(n))

    def note_put(self, number: int) -> None:
        """Note that the image was queued for writing."""
        self._under_way.add(number)

    def settle(self, results: ImageResults, corrected: Collection[int]) -> None:
        """Note the results of the frame store, and choose the images to delete.

        Args:
            corrected: ids of corrected objects, whose images are deleted last.
        """
        for number, size in results.written.items():
            if number in self._under_way:
                self._under_way.remove(number)
                self._on_disk[number] = self._changed[number] = size
                self._bytes += size
        self._under_way.difference_update(results.failed)
        if results.failed:
            self._views.drop_frames(results.failed)
        unneeded = self._views.take_unneeded()
        if not self._keeps_all:
            self._give_up(unneeded)
        if self._bytes > self._budget:
            self._make_room(corrected)

    def take_changes(self) -> dict[int, int]:
        """Frame -> size in bytes of its image, 0 to delete it; changes since the last call."""
        changes, self._changed = self._changed, {}
        return changes

    def give_back(self, changes: Mapping[int, int]) -> None:
        """Return changes that could not be stored: the next `take_changes` includes them."""
        self._changed = {**changes, **self._changed}

    def _give_up(self, numbers: Iterable[int]) -> None:
        for number in numbers:
            # A queued image is written first and deleted then; its row never names it.
            self._under_way.discard(number)
            self._bytes -= self._on_disk.pop(number, 0)
            self._changed[number] = 0
            self.removed += 1

    def _make_room(self, corrected: Collection[int]) -> None:
        spare = self._bytes - self._budget * _ROOM_SHARE
        victims = []
        for number in least_useful_first(self._views.all(), corrected).tolist():
            if spare <= 0:
                break
            size = self._on_disk.get(number)
            if size is not None:  # else it is queued, and may be deleted once it is on disk
                victims.append(number)
                spare -= size
        self._views.drop_frames(victims)
        self._give_up(victims)


def least_useful_first(views: Views, corrected: Collection[int]) -> NDArray[np.int32]:
    """The frames of some views in the order of deletion: (N,) int32.

    1. Frames that are only the view of a location as a whole, oldest first.
    2. Frames that show objects which other frames show better, by the score of the view over the
       score of the object's best view; the largest of these ratios in a frame decides.
    3. The best and the latest view of each object.
    4. The best and the latest view of each corrected object.
    """
    rank = np.zeros(len(views))
    of_object = views.object_ids != OVERVIEW
    object_ids, index = np.unique(views.object_ids, return_inverse=True)
    best = np.zeros(len(object_ids), np.float32)
    np.maximum.at(best, index, views.scores)
    latest = np.full(len(object_ids), -1, np.int32)
    np.maximum.at(latest, index, views.frame_numbers)
    share = views.scores / np.maximum(best[index], np.finfo(np.float32).tiny)
    rank[of_object] = 1.0 + 0.5 * share[of_object]
    leading = of_object & ((share >= 1.0) | (views.frame_numbers == latest[index]))
    rank[leading] = 2.0
    rank[leading & np.isin(views.object_ids, list(corrected))] = 3.0
    frames, at = np.unique(views.frame_numbers, return_inverse=True)
    useful = np.zeros(len(frames))
    np.maximum.at(useful, at, rank)
    return frames[np.argsort(useful, kind="stable")]
