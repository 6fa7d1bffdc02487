"""`python -m benchmarks tracking`: the counters on hand-made cases, and a run of a few frames."""

from __future__ import annotations

import json

import numpy as np
import pytest

from benchmarks.tracking import PEERS, bench_tracking
from benchmarks.tracking_truth import GeometricTruth, SwitchCounter, idf1, simulated_frames
from scenemind.frames import read_sequence
from scenemind.perception import Detections
from scenemind.simulation import simulate

A, B = 1, 2


def counted(*frames: tuple[list[int], list[int]]) -> SwitchCounter:
    """The counts of frames, each given as true ids and track ids."""
    counter = SwitchCounter()
    for true_ids, track_ids in frames:
        counter.add(np.array(true_ids, np.int64), np.array(track_ids, np.int64))
    return counter


def test_steady_ids_are_no_switches() -> None:
    counter = counted(([A, B], [7, 9]), ([B, A], [9, 7]), ([A], [7]))
    assert (counter.switches, counter.in_view, counter.fragmentations) == (0, 0, 0)
    assert idf1([counter]) == 1.0


def test_swapped_ids_are_two_switches() -> None:
    counter = counted(([A, B], [7, 9]), ([A, B], [9, 7]))
    assert (counter.switches, counter.in_view) == (2, 2)
    assert idf1([counter]) == 0.5


def test_a_switch_is_against_the_last_id_however_long_ago() -> None:
    counter = counted(([A], [7]), ([], []), ([], []), ([A], [8]), ([A], [8]))
    assert (counter.switches, counter.in_view) == (1, 0)


def test_no_id_is_a_miss_and_coming_back_a_fragmentation() -> None:
    """Never tracked: only missed. Tracked, missed, tracked again with the same id: no switch."""
    counter = counted(([A, B], [7, -1]), ([A, B], [-1, -1]), ([A, B], [7, -1]))
    assert (counter.switches, counter.fragmentations) == (0, 1)
    assert (counter.tracked, counter.missed) == (2, 4)
    assert idf1([counter]) == pytest.approx(2 * 2 / (2 * 2 + 4))


def test_continuing_one_of_two_detections_counts() -> None:
    counter = counted(([A], [7]), ([A, A], [8, 7]), ([A, A], [7, 8]))
    assert counter.switches == 0
    assert counter.tracked == 3


def test_false_positives_do_not_count() -> None:
    counter = counted(([0], [7]), ([0], [8]), ([A], [9]))
    assert (counter.switches, counter.tracked, counter.missed) == (0, 1, 0)


def test_geometry_finds_the_identities_that_the_simulator_knows() -> None:
    """At 10 Hz; objects that hide or reach beyond the image may be left alone, but none confused.

    Two detections that the geometry calls the same show the same object, and most of the objects
    that stay in view are recognised.
    """
    truth, before = GeometricTruth(), dict[int, int]()
    linked, seen_again = 0, 0
    for item in simulated_frames(1, 60):
        if item.scene != "sim exact 10 Hz":
            continue
        ids = truth.add(item.frame, item.detections)
        named = dict(zip(ids.tolist(), item.true_ids.tolist(), strict=True))
        shared = set(named) & set(before)
        assert all(named[identity] == before[identity] for identity in shared)
        linked += len(shared)
        seen_again += len(set(named.values()) & set(before.values()))
        before = named
    assert linked > 0.5 * seen_again


def test_output_has_all_documented_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """The run is without recordings, which take long."""
    monkeypatch.setattr("benchmarks.tracking.find_recordings", list)
    result = bench_tracking(rooms=1, frames=12, timed=3)
    for variant in ("pose", "optical_flow", "none"):
        assert {"ms", "id_switches", "idf1", "fragmentations", "tracks"} <= set(result[variant])
    assert {"ultralytics_botsort_flow", "ultralytics_botsort_none"} <= set(result)
    assert result["frames"]["sim exact 30 Hz"] == 12
    assert result["frames"]["sim noisy 5 Hz"] == 2
    assert "recordings" in result["notes"]
    assert json.loads(json.dumps(result)) == result


@pytest.mark.parametrize("motion", PEERS.values())
def test_peer_keeps_the_ids_of_things_at_rest(motion: str) -> None:
    """They have ids from the first frame on; later things get theirs in their second frame."""
    pytest.importorskip("lap")
    pytest.importorskip("ultralytics")
    from benchmarks.tracking import UltralyticsBotSort

    frame = next(iter(read_sequence(simulate(1, 1))))
    box, later = (100.0, 100.0, 200.0, 200.0), (300.0, 100.0, 400.0, 200.0)
    peer = UltralyticsBotSort(motion)
    ids = []
    for boxes in ([box], [later, box], [later, box], []):
        seen = Detections(
            ("chair",) * len(boxes),
            np.full(len(boxes), 0.9, np.float32),
            np.array(boxes, np.float32).reshape(-1, 4),
            (None,) * len(boxes),
        )
        ids.append(peer.update(seen, frame).tolist())
    assert ids == [[1], [-1, 1], [2, 1], []]
