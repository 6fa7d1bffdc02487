"""Which object a tracklet fed is known for as long as the tracklet may live, and no longer."""

from __future__ import annotations

from scenemind.geometry import Box3D
from scenemind.memory.objects.live_tracks import MOST_LIVE_TRACKS, LiveTracks
from scenemind.perception.types import Observation
from tests.unit.memory.objects.depth_scene import observe_box

BOX = Box3D((2.0, 0.0, 0.5), (0.4, 0.4, 1.0))


def of_track(track_id: int) -> Observation:
    return observe_box(BOX, track_id=track_id)


def test_a_tracklet_is_its_objects_under_the_id_that_is_kept() -> None:
    tracks = LiveTracks()
    assert tracks.remember([of_track(7), of_track(8)], [1, 2], {2: 1}) == {7: 1, 8: 1}
    tracks.give([8, 9], 3)
    assert dict(tracks.object_of) == {7: 1, 8: 3, 9: 3}


def test_what_has_no_tracklet_is_not_remembered() -> None:
    tracks = LiveTracks()
    assert tracks.remember([of_track(-1)], [1], {}) == {}
    assert not tracks.object_of


def test_those_that_fed_nothing_for_the_longest_are_forgotten_first() -> None:
    tracks = LiveTracks()
    tracks.give(range(MOST_LIVE_TRACKS), 1)
    tracks.remember([of_track(0), of_track(MOST_LIVE_TRACKS)], [1, 2], {})
    assert len(tracks.object_of) == MOST_LIVE_TRACKS
    assert 0 in tracks.object_of
    assert 1 not in tracks.object_of
