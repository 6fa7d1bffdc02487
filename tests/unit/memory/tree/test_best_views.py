"""The table of best views against a full list of everything that was added to it."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scenemind.memory.tree.best_views import OVERVIEW, BestViews, Views

BOX = (10.4, 20.6, 30.0, 60.0)


class Told:
    """All views in full: (object, location) -> frame -> score."""

    def __init__(self, room: int) -> None:
        self.room = room
        self.views: dict[tuple[int, int], dict[int, float]] = defaultdict(dict)

    def add(self, location_id: int, frame: int, seen: list[tuple[int | None, float]]) -> None:
        for object_id, score in seen:
            if object_id is not None:
                pair = self.views[object_id, location_id]
                pair[frame] = max(score, pair.get(frame, 0.0))
        self.views[OVERVIEW, location_id][frame] = sum(score for _, score in seen)

    def follow(self, gone: int, kept: int | None) -> None:
        for (object_id, location_id), frames in list(self.views.items()):
            if object_id == gone:
                # What was pushed out before the merge cannot come back.
                best = dict(self._best(gone, frames))
                del self.views[object_id, location_id]
                if kept is not None:
                    target = dict(self._best(kept, self.views[kept, location_id]))
                    for frame, score in best.items():
                        target[frame] = max(score, target.get(frame, 0.0))
                    self.views[kept, location_id] = target

    def best(self) -> dict[tuple[int, int], list[int]]:
        found = {pair: self._best(pair[0], frames) for pair, frames in self.views.items()}
        return {pair: [frame for frame, _ in best] for pair, best in found.items() if best}

    def best_score(self, object_id: int) -> float:
        return max(
            (max(f.values()) for (i, _), f in self.views.items() if i == object_id and f),
            default=0.0,
        )

    def _best(self, object_id: int, frames: dict[int, float]) -> list[tuple[int, float]]:
        ranked = sorted(frames.items(), key=lambda item: (-item[1], item[0]))
        return ranked[: 1 if object_id == OVERVIEW else self.room]


# Scores that float32 holds exactly, some of them equal.
scores = st.integers(1, 16).map(lambda n: n / 16)
frames = st.lists(st.tuples(st.one_of(st.none(), st.integers(1, 4)), scores), max_size=5)
merges = st.tuples(st.integers(1, 4), st.one_of(st.none(), st.integers(1, 4)))
walks = st.lists(st.one_of(frames, merges), min_size=1, max_size=25)


@settings(max_examples=150, deadline=None)
@given(walks, st.integers(1, 3))
def test_each_pair_keeps_its_best_and_every_other_frame_is_given_up_once(walk, room):
    views, told, unneeded, added = BestViews(room), Told(room), [], set()
    for number, step in enumerate(walk):
        location_id = number // 6
        if isinstance(step, list):
            add(views, location_id, number, step)
            told.add(location_id, number, step)
            added.add(number)
        elif step[0] != step[1]:
            gone, kept = step
            views.follow({} if kept is None else {gone: kept}, [gone])
            told.follow(gone, kept)
        unneeded += views.take_unneeded()
    expected = told.best()
    assert by_pair(views.all()) == expected
    needed = {frame for best in expected.values() for frame in best}
    assert views.needed_frames() == sorted(needed)
    assert sorted(unneeded) == sorted(added - needed)
    for object_id in range(1, 5):
        assert views.best_score(object_id) == told.best_score(object_id)
        assert all(i == object_id for i, _ in by_pair(views.of_object(object_id)))
    again = BestViews(room)
    again.restore(views.take_changes())
    assert by_pair(again.all()) == by_pair(views.all())
    assert again.take_changes() == ()
    assert again.take_unneeded() == []


def test_view_has_its_box_and_the_best_come_first():
    views = BestViews(2)
    add(views, 0, 5, [(7, 0.5), (8, 0.9)])
    add(views, 1, 9, [(7, 0.75)])
    found = views.of_object(7)
    assert found.frame_numbers.tolist() == [9, 5]
    assert found.location_ids.tolist() == [1, 0]
    assert found.scores.tolist() == [0.75, 0.5]
    assert found.boxes_px.tolist() == [[10, 21, 30, 60]] * 2
    assert len(views.of_object(3)) == 0
    of_first = views.at_locations([0])
    assert dict(zip(of_first.object_ids.tolist(), of_first.scores, strict=True)) == {
        OVERVIEW: pytest.approx(1.4),
        8: pytest.approx(0.9),
        7: 0.5,
    }


def test_views_of_several_objects_where_they_are_seen_best():
    views = BestViews(2)
    add(views, 0, 1, [(7, 0.5), (8, 0.25)])
    add(views, 1, 2, [(7, 0.75)])
    add(views, 2, 3, [(8, 1.0), (9, 1.0)])
    add(views, 3, 4, [(7, 0.75)])
    worth = {8: 0.5, 7: 1.0}
    found = views.of_objects(worth, 9)
    assert by_pair(found) == {(7, 0): [1], (7, 1): [2], (8, 0): [1], (8, 2): [3], (7, 3): [4]}
    assert sorted(found.scores.tolist()) == [0.25, 0.5, 0.75, 0.75, 1.0]
    assert by_pair(views.of_objects(worth, 1)) == {(7, 1): [2]}  # 3 is as good, and newer
    assert len(views.of_objects({}, 9)) == len(views.of_objects({6: 1.0}, 9)) == 0


def test_views_at_some_locations_are_those_of_all_objects():
    views = BestViews(2)
    add(views, 0, 1, [(7, 0.5), (8, 0.25)])
    add(views, 1, 2, [(7, 0.75)])
    found = by_pair(views.at_locations([0, 5, 0]))
    assert found == {(7, 0): [1], (8, 0): [1], (OVERVIEW, 0): [1]}
    assert len(views.at_locations([])) == 0


def test_score_to_beat_is_that_of_the_weakest_view_where_there_is_no_room():
    views = BestViews(2)
    add(views, 0, 1, [(7, 0.5), (8, 0.5)])
    add(views, 0, 2, [(7, 0.25)])
    assert views.score_to_beat(0) == {OVERVIEW: 1.0, 7: 0.25, 8: 0.0}
    assert views.score_to_beat(1) == {}


def test_lost_frames_are_views_no_more():
    views = BestViews(2)
    add(views, 0, 1, [(7, 0.5)])
    add(views, 0, 2, [(7, 0.75), (8, 0.5)])
    add(views, 1, 3, [(7, 0.25)])
    views.take_changes()
    views.drop_frames([2])
    assert by_pair(views.all()) == {(7, 0): [1], (7, 1): [3], (OVERVIEW, 1): [3]}
    assert (views.best_score(7), views.best_score(8)) == (0.5, 0.0)
    assert views.take_unneeded() == []
    assert {(r.object_id, r.location_id): len(r.packed) for r in views.take_changes()} == {
        (7, 0): 16,
        (8, 0): 0,
        (OVERVIEW, 0): 0,
    }
    add(views, 2, 4, [(9, 0.5)])  # takes a slot that became free
    assert by_pair(views.at_locations([2])) == {(9, 2): [4], (OVERVIEW, 2): [4]}


def test_fewer_views_than_were_stored_leave_the_worst_unneeded():
    views = BestViews(3)
    for frame, score in enumerate((0.5, 0.25, 0.75)):
        add(views, 0, frame, [(7, score)])
    narrow = BestViews(1)
    narrow.restore(views.take_changes())
    assert by_pair(narrow.all()) == {(7, 0): [2], (OVERVIEW, 0): [2]}
    assert narrow.take_unneeded() == [0, 1]
    assert [len(record.packed) for record in narrow.take_changes()] == [16]


def test_twenty_thousand_views_take_some_megabyte():
    views = BestViews(2)
    boxes_px = np.tile(np.array(BOX), (20, 1))
    for location_id in range(1000):
        views.add(location_id, location_id, list(range(1, 21)), [0.5] * 20, boxes_px)
    assert len(views.all()) == 1000 * 21
    assert sum(array.nbytes for array in (views._table.views, views._table.owners)) < 1.6e6


def add(
    views: BestViews, location_id: int, frame: int, seen: list[tuple[int | None, float]]
) -> None:
    boxes_px = np.tile(np.array(BOX), (len(seen), 1))
    views.add(location_id, frame, [i for i, _ in seen], [score for _, score in seen], boxes_px)


def by_pair(views: Views) -> dict[tuple[int, int], list[int]]:
    found = defaultdict(list)
    columns = (views.object_ids, views.location_ids, views.frame_numbers)
    for object_id, location_id, frame in zip(*(c.tolist() for c in columns), strict=True):
        found[object_id, location_id].append(frame)
    return dict(found)
