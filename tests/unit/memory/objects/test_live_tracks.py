"""Tracks of trackers become tracklets of the memory."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from scenemind.memory.objects.live_tracks import MOST_LIVE_TRACKS, LiveTracks, TrackletIds
from tests.unit.memory.things import observe


def remember(
    tracks: LiveTracks, fed: list[tuple[int, int]], merged: dict[int, int] | None = None
) -> dict[int, int]:
    """A frame whose tracks fed objects."""
    for track_id, object_id in fed:
        tracks.feed(track_id, object_id, apart=False)
    observations = [observe((0, 0, 0), track_id=track_id) for track_id, _ in fed]
    return tracks.remember(observations, [object_id for _, object_id in fed], merged or {})


def new_tracks() -> LiveTracks:
    ids = TrackletIds()
    ids.of(np.arange(100))
    return LiveTracks(ids)


def test_a_tracklet_is_its_objects_under_the_id_that_is_kept() -> None:
    tracks = new_tracks()
    assert remember(tracks, [(7, 1), (8, 2)], {2: 1}) == {7: 1, 8: 1}
    assert remember(tracks, [(8, 1)]) == {8: 1}
    tracks.give([8, 9], 3)
    assert dict(tracks.object_of) == {7: 1, 8: 3, 9: 3}


def test_a_track_has_another_tracklet_for_each_object_that_it_feeds() -> None:
    tracks = new_tracks()
    assert remember(tracks, [(7, 1)]) == {7: 1}
    assert tracks.now(np.array([7, 50])).tolist() == [7, 50]
    assert remember(tracks, [(7, 2)]) == {100: 2}
    assert tracks.now(np.array([7])).tolist() == [100]
    assert remember(tracks, [(7, 1)]) == {7: 1}


def test_detections_without_a_tracklet_are_not_remembered() -> None:
    tracks = new_tracks()
    assert remember(tracks, [(-1, 1)]) == {}
    assert not tracks.object_of


def test_tracks_unused_for_the_longest_are_forgotten_first() -> None:
    tracks = LiveTracks(TrackletIds())
    tracks.give(range(MOST_LIVE_TRACKS), 1)
    remember(tracks, [(0, 1), (MOST_LIVE_TRACKS, 2)])
    assert len(tracks.object_of) == MOST_LIVE_TRACKS
    assert 0 in tracks.object_of
    assert 1 not in tracks.object_of


@given(st.lists(st.one_of(st.none(), st.lists(st.integers(-1, 30), max_size=4)), max_size=20))
def test_ids_of_tracklets_are_unique(steps: list[list[int] | None]) -> None:
    ids, of_track, others = TrackletIds(), dict[int, int](), list[int]()
    for tracks in steps:
        if tracks is None:
            others.append(ids.take())
            continue
        for track, own in zip(tracks, ids.of(np.array(tracks, np.int64)).tolist(), strict=True):
            assert own == (-1 if track < 0 else of_track.setdefault(track, own))
    own_ids = [own for own in of_track.values() if own >= 0] + others
    assert len(set(own_ids)) == len(own_ids)


def test_tracks_of_another_session_are_others() -> None:
    ids = TrackletIds()
    first = {*ids.of(np.array([0, 5])).tolist(), ids.take(), *ids.of(np.array([6])).tolist()}
    ids.begin_session()
    assert first.isdisjoint(ids.of(np.array([0, 5, 6])).tolist())
    assert ids.of(np.array([-1, 0])).tolist() == [-1, max(first) + 1]
