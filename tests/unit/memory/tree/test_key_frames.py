"""Choice of the key frames that are stored and of those that answer a question."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scenemind.config import StoreConfig
from scenemind.geometry import PinholeCamera
from scenemind.memory.tree.best_views import BestViews, Views
from scenemind.memory.tree.key_frames import (
    KeyFrameSelector,
    RankedFrame,
    rank_frames,
    rank_key_frames,
    view_scores,
)
from scenemind.memory.tree.mem_tree import FrameInTree

CAMERA = PinholeCamera(100, 100, 90.0, 90.0, 49.5, 49.5)


@pytest.mark.parametrize(
    ("score", "box_px", "expected"),
    [
        (0.8, (20, 20, 70, 70), 0.8),  # a quarter of the image is as large as it needs to be
        (0.8, (40, 40, 50, 50), 0.8 * np.sqrt(0.1)),  # a hundredth: a tenth of what is enough
        (0.8, (0, 20, 50, 70), 0.4),  # cut on the left
        (0.8, (50, 20, 100, 70), 0.4),  # cut on the right
        (0.8, (20, 50, 70, 100), 0.4),  # cut below
        (0.0, (20, 20, 70, 70), 0.0),
        (0.8, (30, 30, 30, 60), 0.0),  # an empty box shows nothing
    ],
)
def test_view_is_good_when_sure_large_and_whole(score, box_px, expected):
    (view,) = view_scores(np.array([box_px], np.float32), np.array([score], np.float32), CAMERA)
    assert view == pytest.approx(expected, rel=1e-6)


def test_no_detections_no_views():
    assert len(view_scores(np.zeros((0, 4)), np.zeros(0), CAMERA)) == 0


def test_best_frame_of_each_location_comes_first():
    views = seen((0, 10, 0.9), (0, 11, 0.8), (3, 40, 0.5), (7, 70, 0.85))
    assert [number for number, _ in rank_frames([views])] == [10, 70, 40, 11]


def test_frame_that_shows_more_of_the_objects_wins():
    cup = seen((0, 10, 0.9), (0, 12, 0.6))
    table = seen((0, 11, 0.7), (0, 12, 0.6))
    assert rank_frames([cup, table]) == [
        (12, pytest.approx(1.2)),
        (10, pytest.approx(0.9)),
        (11, pytest.approx(0.7)),
    ]


def seen(*rows: tuple[int, int, float]) -> Views:
    """One object's views: location, frame and score."""
    locations, frames, scores = (np.array(column) for column in zip(*rows, strict=True))
    boxes_px = np.zeros((len(rows), 4), np.int16)
    return Views(np.ones_like(frames), locations, frames, scores, boxes_px)


def test_each_place_gets_one_picture_although_nothing_was_detected_there():
    selector, views = KeyFrameSelector(StoreConfig()), BestViews(2)
    for location_id in range(2):
        frame = FrameInTree(location_id, (), ())
        wanted = []
        for number in range(3):
            wanted.append(selector.wants(True, frame, [], views, lambda _: True))
            if wanted[-1]:
                views.add(location_id, number, [], [], np.zeros((0, 4)))
        assert wanted == [True, False, False]


CUP, TABLE, CHAIR = 1, 2, 3
ROOM_FOR_ALL = 50


def stored(*frames: tuple[int, int, dict[int, float]], room: int = ROOM_FOR_ALL) -> BestViews:
    """Frames: location, number, and how well each object is shown."""
    views = BestViews(room)
    for location_id, number, shown in frames:
        boxes = np.zeros((len(shown), 4), np.float32)
        views.add(location_id, number, list(shown), list(shown.values()), boxes)
    return views


def taken(
    views: BestViews,
    keys: Iterable[int],
    cues: Iterable[int] = (),
    k: int = 3,
    locations: Sequence[int] | None = None,
) -> list[RankedFrame]:
    """The first frame of each location."""
    first: dict[int, RankedFrame] = {}
    for frame in rank_key_frames(views, keys, cues, k, locations):
        first.setdefault(frame.location_id, frame)
    return list(first.values())[:k]


def test_key_object_outweighs_ten_cues():
    views = stored((0, 10, {TABLE: 0.9, CHAIR: 0.9}), (0, 11, {CUP: 0.2}), (0, 12, {TABLE: 0.8}))
    (frame,) = taken(views, [CUP], [TABLE, CHAIR])
    assert frame == (0, 11, pytest.approx(0.2))


def test_cue_decides_between_views_of_the_key_that_are_alike():
    views = stored((0, 10, {CUP: 0.5}), (0, 11, {CUP: 0.5, TABLE: 0.6}))
    (frame,) = taken(views, [CUP], [TABLE])
    assert frame == (0, 11, pytest.approx(0.56))


def test_one_frame_a_location_best_first_and_no_more_than_asked_for():
    views = stored(
        (0, 10, {CUP: 0.9}), (0, 11, {CUP: 0.8}), (4, 40, {CUP: 0.5}), (7, 70, {CUP: 0.85})
    )
    assert [f.frame_number for f in taken(views, [CUP])] == [10, 70, 40]
    assert [f.frame_number for f in taken(views, [CUP], k=2)] == [10, 70]


def test_object_that_is_key_and_cue_is_a_key():
    views = stored((0, 10, {CUP: 0.5}))
    assert taken(views, [CUP], [CUP])[0].score == pytest.approx(0.5)


def test_picked_locations_give_a_frame_each_also_without_the_objects():
    views = stored((0, 10, {CUP: 0.9}), (1, 20, {TABLE: 0.3}), (1, 21, {TABLE: 0.7}), (2, 30, {}))
    frames = taken(views, [CUP], locations=[2, 1, 5])
    assert frames == [(1, 21, 0.0), (2, 30, 0.0)]
    frames = taken(views, [CUP], locations=[1, 0])
    assert [f.frame_number for f in frames] == [10, 21]


def test_all_frames_of_picked_locations_follow_for_when_images_are_gone():
    views = stored((0, 10, {CUP: 0.9}), (0, 11, {CUP: 0.8}), (0, 12, {TABLE: 0.7}), (0, 13, {}))
    ranked = rank_key_frames(views, [CUP], locations=[0])
    assert [f.frame_number for f in ranked] == [10, 11, 12]  # 13 is no object's best
    assert [f.frame_number for f in rank_key_frames(views, [CUP])] == [10, 11]


def test_one_object_s_best_are_found_among_any_number_of_visits():
    rng = np.random.default_rng(0)
    scores = rng.permutation(200).astype(float) / 200.0 + 0.001
    views = stored(*((place, place, {CUP: score}) for place, score in enumerate(scores)))
    best = np.argsort(-scores)[:5]
    assert [f.frame_number for f in taken(views, [CUP], k=5)] == best.tolist()
    assert len(list(rank_key_frames(views, [CUP], k=5))) == 40  # the others are not looked at


def test_several_objects_at_any_number_of_visits_are_shown_nearly_as_well_as_ever():
    rng = np.random.default_rng(0)
    run = [
        (number // 4, number, dict(zip((CUP, TABLE), rng.uniform(0.1, 0.9, 2), strict=True)))
        for number in range(800)
    ]
    best = sorted((max(run[i : i + 4], key=_sum) for i in range(0, 800, 4)), key=_sum)[-3:]
    found = taken(stored(*run), [CUP, TABLE])
    assert sum(f.score for f in found) >= 0.95 * sum(map(_sum, best))


def _sum(frame: tuple[int, int, dict[int, float]]) -> float:
    return sum(frame[2].values())


def test_empty_request_gives_no_frames():
    views = stored((0, 10, {CUP: 0.9}))
    assert taken(views, []) == []
    assert taken(views, [TABLE]) == []
    assert taken(views, [CUP], k=0) == []


shown = st.dictionaries(st.integers(1, 6), st.floats(0.015625, 1.0, width=32), max_size=5)
runs = st.lists(st.tuples(st.integers(0, 4), shown), max_size=25)
ids = st.sets(st.integers(1, 6))


@settings(deadline=None)
@given(runs, ids, ids, st.integers(1, 5), st.none() | st.sets(st.integers(0, 4)))
def test_scores_are_those_of_the_paper_s_formula(run, keys, cues, k, locations):
    frames = [(location_id, number, objects) for number, (location_id, objects) in enumerate(run)]
    best: dict[int, float] = defaultdict(float)
    for location_id, _, objects in frames:
        score = sum(s if o in keys else 0.1 * s if o in cues else 0.0 for o, s in objects.items())
        if locations is None or location_id in locations:
            best[location_id] = max(best[location_id], score)
    expected = sorted((s for s in best.values() if s > 0 or locations is not None), reverse=True)

    selected = taken(
        stored(*frames), keys, cues, k, None if locations is None else sorted(locations)
    )
    assert [f.score for f in selected] == pytest.approx(expected[:k], abs=1e-6)
    place_of = {number: location_id for location_id, number, _ in frames}
    assert all(place_of[f.frame_number] == f.location_id for f in selected)
    assert len({f.location_id for f in selected}) == len(selected)
