"""Retention of images: the promise of each policy, and the order in which images are deleted."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scenemind.config import StoreConfig
from scenemind.memory.disk.images import ImageResults
from scenemind.memory.disk.retention import Retention, least_useful_first
from scenemind.memory.tree.best_views import OVERVIEW, BestViews, Views

SIZE = 100_000
MB = SIZE / 1e6

sights = st.lists(st.tuples(st.integers(1, 5), st.integers(1, 8).map(lambda n: n / 8)), max_size=4)
walks = st.lists(
    st.tuples(sights, st.sampled_from(["written", "failed", "later"])), min_size=1, max_size=40
)


class Disk:
    """A frame store that only notes which images are written and deleted."""

    def __init__(self, retention: str, budget_images: int = 1, room: int = 2) -> None:
        self.config = StoreConfig(
            retention=retention, budget_mb=budget_images * MB, views_per_object=room
        )
        self.views = BestViews(room)
        self.retention = Retention(self.config, self.views)
        self.images: set[int] = set()
        self.rows: dict[int, int] = {}
        self.written: set[int] = set()
        self._late: dict[int, int] = {}

    def see(self, number: int, seen: list[tuple[int, float]], fate: str = "written") -> None:
        """Add a frame of location number // 8; its image is written, lost, or written later."""
        self.retention.note_put(number)
        boxes_px = np.zeros((len(seen), 4))
        self.views.add(number // 8, number, [i for i, _ in seen], [s for _, s in seen], boxes_px)
        if fate == "failed":
            self.settle(ImageResults({}, {number}))
        elif fate == "later":
            self._late[number] = SIZE
        else:
            self.settle(ImageResults({number: SIZE}))

    def settle(self, results: ImageResults, corrected: tuple[int, ...] = ()) -> None:
        self.images |= results.written.keys()
        self.written |= results.written.keys()
        self.retention.settle(results, corrected)
        changes = self.retention.take_changes()
        # The rows are committed before a file is deleted: at no time do they name a missing one.
        self.rows.update(changes)
        self.images -= {number for number, size in changes.items() if size == 0}
        assert {number for number, size in self.rows.items() if size} <= self.images

    def finish(self) -> None:
        late, self._late = self._late, {}
        self.settle(ImageResults(late))
        for number in [n for n in late if not self.rows.get(n, 0)]:
            self.images.discard(number)  # deleted after it was written


@settings(max_examples=80, deadline=None)
@given(walks, st.integers(1, 3))
def test_best_views_keeps_only_needed_images(walk, room):
    disk = walked("best_views", walk, room=room)
    assert disk.images == set(disk.views.needed_frames())
    assert disk.retention.image_count == len(disk.images)
    assert disk.retention.image_bytes == SIZE * len(disk.images)


@settings(max_examples=80, deadline=None)
@given(st.lists(sights, min_size=1, max_size=40))
def test_each_object_keeps_its_best_view(walk):
    disk = walked("best_views", [(seen, "written") for seen in walk])
    best_of: dict[int, float] = {}
    for object_id, score in (sight for seen in walk for sight in seen):
        best_of[object_id] = max(score, best_of.get(object_id, 0.0))
    for object_id, score in best_of.items():
        best = disk.views.of_object(object_id)
        assert best.scores[0] == score
        assert int(best.frame_numbers[0]) in disk.images


@settings(max_examples=80, deadline=None)
@given(walks)
def test_all_keeps_every_image_that_could_be_written(walk):
    disk = walked("all", walk)
    assert disk.images == {n for n, (_, fate) in enumerate(walk) if fate != "failed"}
    assert disk.retention.removed == 0


@settings(max_examples=80, deadline=None)
@given(walks, st.integers(1, 12))
def test_budget_is_kept_once_settled(walk, budget_images):
    disk = walked("byte_budget", walk, budget_images)
    assert len(disk.images) <= budget_images
    assert disk.images == set(disk.views.needed_frames())
    unbound = walked("best_views", walk)
    if len(unbound.images) <= budget_images and all(fate == "written" for _, fate in walk):
        assert disk.images == unbound.images


def test_image_that_failed_is_no_view_though_it_replaced_another():
    disk = Disk("best_views", room=1)
    disk.see(0, [(1, 0.5)])
    disk.see(1, [(1, 0.75)], "failed")
    assert disk.views.best_score(1) == 0.0
    disk.see(2, [(1, 0.25)])
    assert disk.images == {2}


def test_reopened_memory_drops_views_without_image_and_images_without_use():
    disk = Disk("all")
    for number in range(8):
        disk.see(number, [(1, (number + 1) / 8)])
    views = BestViews(2)
    views.restore(disk.views.take_changes())
    retention = Retention(StoreConfig(retention="best_views"), views)
    there = dict.fromkeys(range(7), SIZE)  # the best one is missing
    retention.restore(there)
    assert views.of_object(1).frame_numbers.tolist() == [6]
    assert retention.take_changes() == dict.fromkeys(range(6), 0)
    assert (retention.image_count, retention.image_bytes) == (1, SIZE)


def test_changes_that_could_not_be_stored_come_again_with_newer_ones():
    disk = Disk("best_views", room=1)
    disk.retention.note_put(0)
    disk.views.add(0, 0, [1], [0.5], np.zeros((1, 4)))
    disk.retention.settle(ImageResults({0: SIZE}), ())
    first = disk.retention.take_changes()
    assert first == {0: SIZE}
    disk.retention.give_back(first)
    disk.see(1, [(1, 0.75)])
    assert disk.rows == {0: 0, 1: SIZE}


def test_order_in_which_images_are_deleted():
    rows = [
        # object, location, frame, score
        (OVERVIEW, 0, 10, 2.0),
        (OVERVIEW, 1, 20, 1.0),
        (1, 0, 11, 0.75),  # the best of 1
        (1, 0, 12, 0.25),
        (1, 1, 21, 0.5),
        (1, 2, 30, 0.125),  # the latest of 1
        (2, 0, 13, 0.5),  # the best and the latest of 2, which a person corrected
        (3, 0, 12, 0.125),  # the latest of 3
        (3, 0, 11, 1.0),  # the best of 3
    ]
    rows.sort(key=lambda row: -row[3])
    object_ids, locations, frames, scores = (np.array(c) for c in zip(*rows, strict=True))
    boxes_px = np.zeros((len(rows), 4), np.int16)
    views = Views(object_ids, locations, frames, scores.astype(np.float32), boxes_px)
    order = least_useful_first(views, {2}).tolist()
    assert order == [10, 20, 21, 11, 12, 30, 13]


@pytest.mark.parametrize("corrected", [(), (1,)])
def test_evidence_of_corrected_objects_is_deleted_last(corrected):
    disk = Disk("best_views", room=1)
    for object_id in (1, 2, 3):
        disk.see(8 * object_id, [(object_id, 0.5)])
    disk.retention._budget = 1.2 * SIZE
    disk.settle(ImageResults(), corrected)
    assert disk.images == ({8} if corrected else {24})


def walked(retention: str, walk, budget_images: int = 1, room: int = 2) -> Disk:
    disk = Disk(retention, budget_images, room)
    for number, (seen, fate) in enumerate(walk):
        disk.see(number, seen, fate)
    disk.finish()
    return disk
