"""What frames tell of the map's completeness. In the room there are chairs 4 and 5, cups 2, 10."""

from __future__ import annotations

import pytest

from scenemind.memory.tree.tree_json import estimate_tokens
from scenemind.reasoning.frame_choice import Wanted
from scenemind.reasoning.programs.map_evidence import MapEvidence
from tests.unit.reasoning.scene import ROOM, snapshot_of
from tests.unit.reasoning.stored_room import Detected, index_of

LEFT, RIGHT, MIDDLE = (0, 0, 90, 90), (400, 0, 490, 90), (200, 0, 290, 90)
ON_LEFT: Detected = ("chair", 4, LEFT)
ON_RIGHT: Detected = ("chair", 5, RIGHT)


def evidence_of(*frames: list[Detected], score: float = 0.8) -> MapEvidence:
    return MapEvidence(snapshot_of(ROOM), index_of(frames, score=score))


def test_one_picture_with_all_that_is_mapped_confirms_it() -> None:
    kind = evidence_of([ON_LEFT], [ON_LEFT, ON_RIGHT]).of(["chair"])
    assert (kind.mapped, kind.in_one_frame, kind.unmapped, kind.merged_ids) == (2, 2, 0, ())
    assert kind.is_confirmed


def test_things_that_were_never_seen_together_are_not_confirmed() -> None:
    kind = evidence_of([ON_LEFT], [ON_RIGHT]).of(["chair"])
    assert not kind.is_confirmed
    assert not kind.speaks_for_more


def test_a_detection_without_an_object_speaks_for_more() -> None:
    kind = evidence_of([ON_LEFT, ON_RIGHT, ("chair", 0, MIDDLE)]).of(["chair"])
    assert (kind.in_one_frame, kind.unmapped) == (3, 1)
    assert kind.speaks_for_more
    assert kind.describe() == (
        'the map has 2 "chair", one picture up to 3; 1 detections are of no mapped object'
    )


def test_a_second_box_around_one_thing_is_no_other_thing() -> None:
    kind = evidence_of([ON_LEFT, ON_RIGHT, ("chair", 0, (5, 5, 80, 80))]).of(["chair"])
    assert kind.is_confirmed


def test_an_object_that_is_two_things_in_two_pictures_is_perhaps_several() -> None:
    twice: list[Detected] = [ON_LEFT, ("chair", 4, RIGHT)]
    assert evidence_of(twice).of(["chair"]).merged_ids == ()
    found = evidence_of(twice, twice)
    assert found.of(["chair"]).merged_ids == (4,)
    assert "may be several things: 4" in found.describe()


def test_what_detectors_call_a_mapped_thing_does_not_matter() -> None:
    found = evidence_of([("bench", 4, LEFT), ON_RIGHT])
    assert found.of(["chair"]).in_one_frame == 2
    assert found.of(["bench"]).in_one_frame == 0


def test_unsure_detections_do_not_count() -> None:
    assert evidence_of([ON_LEFT, ("chair", 0, MIDDLE)], score=0.1).of(["chair"]).in_one_frame == 0


def test_what_nobody_saw_is_not_confirmed() -> None:
    assert not evidence_of([ON_LEFT]).of(["unicorn"]).is_confirmed


def test_the_places_of_a_category_are_those_of_its_objects() -> None:
    places = evidence_of([ON_LEFT]).places_of("chair")
    assert [place.split(" at ")[0] for place in places] == ["4", "5"]
    x, y, _ = snapshot_of(ROOM).objects[4].box.center
    assert places[0].startswith(f"4 at {x:.1f},{y:.1f} (")
    assert evidence_of([ON_LEFT]).places_of("unicorn") == []


def test_the_report_says_what_is_not_mapped() -> None:
    stools: list[Detected] = [("stool", 0, LEFT), ("stool", 0, RIGHT), ON_LEFT, ON_RIGHT]
    text = evidence_of(stools, [("chair", 4, LEFT)]).describe()
    assert text == (
        "The map is made from pictures (2 are stored) and incomplete: 60% of the detections in them"
        ' became objects. Detections of no object: 2 "stool".'
    )


def test_the_report_is_short_whatever_is_there() -> None:
    loose: list[Detected] = [(f"very strange thing {i}", 0, LEFT) for i in range(100)]
    text = evidence_of(loose, loose).describe()
    assert "very strange thing" in text
    assert estimate_tokens(text) <= 140


@pytest.mark.parametrize("call", ["describe", "of"])
def test_without_frames_nothing_is_said(call: str) -> None:
    none = evidence_of()
    assert not none.has_frames
    assert none.describe() == "" if call == "describe" else none.of(["chair"]).in_one_frame == 0


def test_a_category_is_spelt_out_as_its_objects_and_the_labels_of_detections() -> None:
    found = evidence_of([("chair", 4, LEFT), ("couch", 5, RIGHT), ("stool", 0, LEFT)])
    assert found.spelt_out(Wanted((2, "chair"))) == Wanted((2, 4, 5, "chair"))
