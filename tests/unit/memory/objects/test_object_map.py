"""The object map: fusion, ids, merges and splits."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scenemind.config import ObjectMapConfig
from scenemind.geometry import Box3D, iou_3d
from scenemind.memory import MapObject
from scenemind.memory.objects import object_map as module
from scenemind.memory.objects.duplicates import SPLIT_AFTER
from scenemind.memory.objects.object_map import ObjectMap, ObjectMapUpdate
from scenemind.perception.types import Observation
from tests.unit.memory.things import empty_frame, observe

BOX = Box3D((2.0, 0.0, 0.5), (0.4, 0.4, 1.0))


FRAME_NS = 33_000_000


def make_map(**settings: float) -> ObjectMap:
    return ObjectMap(ObjectMapConfig(**settings))


def watch(object_map: ObjectMap, frames: list[list[Observation]]) -> list[ObjectMapUpdate]:
    return [object_map.update(frame, empty_frame(i * FRAME_NS)) for i, frame in enumerate(frames)]


def only(object_map: ObjectMap) -> MapObject:
    (value,) = object_map.objects().values()
    return value


def test_an_object_is_shown_once_confirmed_and_has_the_box_of_its_points() -> None:
    object_map = make_map(confirm_observations=3)
    frames = [[observe((1, 2, 0.5), (0.4, 0.6, 1.0), track_id=7, seed=i)] for i in range(3)]
    watch(object_map, frames[:2])
    assert not object_map.objects()
    watch(object_map, frames[2:])
    chair = only(object_map)
    assert (chair.object_id, chair.label, chair.observation_count) == (1, "chair", 3)
    assert chair.track_ids == (7,)
    assert iou_3d(chair.box, Box3D((1, 2, 0.5), (0.4, 0.6, 1.0))) > 0.95
    assert (chair.attributes["color"], chair.attributes["size"]) == ("red", "large")


def test_the_stamps_are_those_of_the_first_and_last_view() -> None:
    object_map = make_map()
    for stamp in (100, 200, 300):
        object_map.update([observe((0, 0, 0))], empty_frame(stamp))
    assert (only(object_map).first_seen_ns, only(object_map).last_seen_ns) == (100, 300)


def test_two_chairs_are_two_objects() -> None:
    object_map = make_map()
    watch(object_map, [[observe((0, 0, 0)), observe((0.7, 0, 0))]] * 4)
    assert len(object_map.objects()) == 2


def test_a_new_track_at_the_same_place_feeds_the_same_object() -> None:
    object_map = make_map()
    watch(object_map, [[observe((0, 0, 0), track_id=track)] for track in (1, 1, 1, 9, 9)])
    assert only(object_map).track_ids == (1, 9)


@pytest.mark.parametrize(("shake_rad", "count"), [(0.0, 2), (0.01, 1)])
def test_what_a_shaken_pose_shows_beside_a_flat_thing_is_that_thing(
    shake_rad: float, count: int
) -> None:
    """From 3 m, the pose of the last views is off by two standard deviations, and the track new."""
    object_map = make_map()
    for number in range(12):
        off_m = 0.0 if number < 8 else 0.06
        book = observe((3.0, 0.0, 0.7 + off_m), (0.1, 0.15, 0.03), "book", track_id=number // 8)
        frame = empty_frame(number * FRAME_NS, (0.0, 0.0, 1.2), number)
        object_map.update([book], frame, shake_rad=shake_rad)
    assert len(object_map.objects()) == count


def test_of_two_things_within_the_shake_of_poses_each_is_its_own() -> None:
    object_map = make_map()
    for number in range(6):
        books = [observe((3.0, y, 0.7), (0.2, 0.2, 0.04), "book") for y in (0.0, 0.25)]
        frame = empty_frame(number * FRAME_NS, (0.0, 0.0, 1.2), number)
        object_map.update(books, frame, shake_rad=0.01)
    assert len(object_map.objects()) == 2


def test_a_track_that_jumps_elsewhere_does_not_drag_its_object_along() -> None:
    object_map = make_map()
    watch(object_map, [[observe((0, 0, 0), track_id=1)]] * 3)
    watch(object_map, [[observe((3, 0, 0), track_id=1)]] * 3)
    boxes = [thing.box for thing in object_map.objects().values()]
    assert [round(box.center[0], 1) for box in boxes] == [0.0, 3.0]


def test_the_vote_decides_the_label_and_a_confused_detector_makes_no_second_object() -> None:
    object_map = make_map()
    labels = ["chair", "couch", "chair", "chair", "couch", "chair"]
    watch(object_map, [[observe((0, 0, 0), label=label)] for label in labels])
    assert only(object_map).label == "chair"


def test_a_double_detection_with_another_label_makes_no_second_object() -> None:
    object_map = make_map()
    double = [observe((0, 0, 0), score=0.9), observe((0.02, 0, 0), label="couch", score=0.6)]
    updates = watch(object_map, [double] * 4)
    assert only(object_map).label == "chair"
    assert all(len(update.changed) == 1 for update in updates)


def test_a_part_seen_beside_the_whole_by_another_track_makes_no_second_object() -> None:
    object_map = make_map()
    whole = observe((0, 0, 0), (1.0, 1.0, 1.0), score=0.9, track_id=1)
    part = observe((0, 0, 0.2), (0.6, 0.6, 0.6), score=0.5, track_id=2)
    updates = watch(object_map, [[whole, part]] * 4)
    assert only(object_map).track_ids == (1, 2)
    assert updates[-1].object_of_tracklet == {1: 1, 2: 1}


def test_a_cup_within_the_box_of_a_table_stays_a_cup() -> None:
    object_map = make_map()
    table = observe((0, 0, 0.4), (1.5, 0.8, 0.8), label="table", score=0.9, count=400)
    cup = observe((0.3, 0.1, 0.75), (0.08, 0.08, 0.1), label="cup", score=0.5)
    watch(object_map, [[table, cup]] * 20)
    assert sorted(o.label for o in object_map.objects().values()) == ["cup", "table"]


def test_books_on_a_desk_that_was_taken_for_a_book_are_books() -> None:
    object_map = make_map()
    desk = observe((0, 0, 0.7), (1.6, 0.9, 0.1), label="book", track_id=1)
    books = [
        observe((x, 0.1, 0.78), (0.25, 0.18, 0.05), label="book", track_id=track, seed=track)
        for x, track in ((-0.4, 2), (0.3, 3))
    ]
    watch(object_map, [[desk]] * 3 + [books] * 5)
    found = [thing.box for thing in object_map.objects().values()]
    for book in books:
        assert max(iou_3d(book.box, box) for box in found) > 0.7


def test_a_cut_view_of_a_large_thing_is_no_second_one() -> None:
    object_map = make_map()
    whole = observe((0, 0, 0.7), (1.6, 0.9, 0.1), label="book", track_id=1)
    part = observe((0.3, 0, 0.7), (0.25, 0.2, 0.1), label="book", track_id=2)
    watch(object_map, [[whole]] * 3 + [[replace(part, truncated=True)]] * 3)
    assert len(object_map.objects()) == 1


def test_halves_that_turn_out_to_be_one_couch_are_merged_into_the_oldest() -> None:
    object_map = make_map()
    left = observe((-0.7, 0, 0.4), (0.6, 0.8, 0.8), label="couch", track_id=1, truncated=True)
    right = observe((0.7, 0, 0.4), (0.6, 0.8, 0.8), label="couch", track_id=2, truncated=True)
    whole = observe((0, 0, 0.4), (2.0, 0.8, 0.8), label="couch", track_id=3, count=600)
    watch(object_map, [[left]] * 12 + [[right]] * 12)
    assert list(object_map.objects()) == [1, 2]
    updates = watch(object_map, [[whole]] * 3)
    couch = only(object_map)
    assert couch.object_id == 1
    assert couch.box.size[0] == pytest.approx(2.0, abs=0.05)
    assert set(couch.track_ids) == {1, 2, 3}
    assert {2: 1} in [dict(update.merged) for update in updates]
    assert couch.observation_count == 27


def test_parts_that_the_border_cuts_confirm_an_object_late() -> None:
    leg = observe((0.0, 0, 0.15), (0.05, 0.05, 0.3), truncated=True)
    object_map = make_map(confirm_observations=3)
    watch(object_map, [[leg]] * 11)
    assert not object_map.objects()
    watch(object_map, [[leg]])
    assert only(object_map).observation_count == 12


def test_a_chair_whose_tracklet_goes_on_as_the_table_beside_it_is_not_the_table() -> None:
    object_map = make_map()
    chair = observe((0.9, 0, 0.2), (0.2, 0.2, 0.4), track_id=1)
    table = observe((0, 0, 0.4), (2.0, 1.0, 0.8), label="dining table", track_id=1)
    watch(object_map, [[chair]] * 3 + [[table]] * 6)
    labels = sorted(thing.label for thing in object_map.objects().values())
    assert labels == ["chair", "dining table"]


def test_objects_of_other_labels_with_the_same_surface_are_merged() -> None:
    object_map = make_map()

    def couch(seed: int) -> Observation:
        return observe((0, 0, 0.4), (1.0, 0.9, 0.8), "couch", 1, 0.9, seed, count=800)

    def chair(seed: int, width: float) -> Observation:
        center = (0, width / 2 - 0.45, 0.4)
        return observe(center, (1.0, width, 0.8), "chair", 2, 0.5, seed, count=600)

    watch(object_map, [[couch(i)] for i in range(7)])
    # Seen with a third of the width it is something else; then it turns out to be the whole.
    watch(object_map, [[chair(i, width=0.3)] for i in range(3)])
    assert [o.label for o in object_map.objects().values()] == ["couch", "chair"]
    watch(object_map, [[couch(i), chair(i, width=0.88)] for i in range(10, 30)])
    assert only(object_map).label == "couch"
    assert only(object_map).track_ids == (1, 2)


def test_the_leg_of_a_chair_seen_alone_is_no_second_chair_but_a_sliver_of_one_may_grow() -> None:
    chair = observe((0, 0, 0.45), (0.5, 0.5, 0.9), track_id=1)
    leg = observe((0.28, 0.22, 0.1), (0.05, 0.05, 0.2), track_id=2, truncated=True)
    object_map = make_map()
    watch(object_map, [[chair]] * 5 + [[leg]] * 12)
    assert only(object_map).track_ids == (1, 2)

    object_map = make_map()
    slivers = [
        observe((0.28 + w / 2, 0, 0.45), (w, 0.5, 0.9), track_id=2) for w in (0.02, 0.2, 0.5)
    ]
    watch(object_map, [[chair]] * 5 + [[sliver] for sliver in slivers])
    assert len(object_map.objects()) == 2


def test_a_chairs_back_and_legs_are_one_chair_but_two_backs_in_a_row_are_two() -> None:
    back = observe((0.0, 0.2, 0.75), (0.45, 0.05, 0.3), track_id=1)
    legs = observe((0.0, -0.06, 0.2), (0.45, 0.4, 0.4), track_id=2)
    object_map = make_map()
    for view in [back] * 4 + [legs] * 4:
        object_map.update([view], empty_frame(), floor_z=0.0)
    assert only(object_map).box.size == pytest.approx((0.45, 0.485, 0.9), abs=0.02)

    beside = observe((0.48, 0.2, 0.75), (0.45, 0.05, 0.3), track_id=3)
    object_map = make_map()
    for view in [back] * 4 + [beside] * 4:
        object_map.update([view], empty_frame(), floor_z=0.0)
    assert len(object_map.objects()) == 2


def left_out(object_map: ObjectMap, stamp_ns: int, **also: object) -> set[int]:
    """Ids of objects that are removed in a second of frames without observations."""
    frames = (empty_frame(stamp_ns + number * 33_000_000) for number in range(31))
    return {i for frame in frames for i in object_map.update([], frame, **also).removed}


@pytest.mark.parametrize(
    ("seen_ns", "later_ns"), [(0, 10_000_000_000), (10_000_000_000, 0)], ids=["later", "anew"]
)
def test_a_ghost_is_forgotten_and_a_confirmed_object_is_not(seen_ns: int, later_ns: int) -> None:
    """Also when the clock begins anew, as in a recording that is played again."""
    object_map = make_map(forget_tentative_s=1.0)
    watch(object_map, [[observe((0, 0, 0))]] * 3)
    ghost = object_map.update([observe((5, 0, 0))], empty_frame(seen_ns))
    assert left_out(object_map, later_ns) == ghost.changed
    assert list(object_map.objects()) == [1]


def test_what_few_frames_saw_is_not_forgotten_however_slow_they_come() -> None:
    """A recording of one frame in ten seconds."""
    object_map = make_map()
    for number in range(7):
        seen = [observe((5, 0, 0))] * (number % 3 == 0)
        assert not object_map.update(seen, empty_frame(number * 10_000_000_000)).removed
    assert len(object_map.objects()) == 1


def test_corrected_objects_are_not_forgotten() -> None:
    object_map = make_map(forget_tentative_s=1.0)
    update = object_map.update([observe((5, 0, 0))], empty_frame(0))
    edited_ids = frozenset(update.changed)
    late = 10_000_000_000
    assert not left_out(object_map, late, edited_ids=edited_ids)
    assert left_out(object_map, late) == update.changed


def test_ids_that_were_given_away_or_corrected_are_not_used_again() -> None:
    object_map = make_map()
    assert object_map.ids.take() == 1
    object_map.ids.skip(7)
    object_map.ids.skip(3)
    assert object_map.update([observe((0, 0, 0))], empty_frame(0)).changed == {8}


def test_confidence_grows_with_evidence_and_falls_with_disagreement() -> None:
    sure, split = make_map(), make_map()
    growing = []
    for i in range(10):
        sure.update([observe((0, 0, 0), track_id=1)], empty_frame(i))
        split.update([observe((0, 0, 0), track_id=1, label=["box", "bag"][i % 2])], empty_frame(i))
        growing += [o.confidence for o in sure.objects().values()]
    assert growing == sorted(growing)
    assert only(split).confidence == pytest.approx(growing[-1] * np.sqrt(0.5), rel=0.2)


def test_snapshots_do_not_change_afterwards() -> None:
    object_map = make_map()
    watch(object_map, [[observe((0, 0, 0), seed=i)] for i in range(3)])
    before = object_map.objects()
    points = before[1].points.copy()
    watch(object_map, [[observe((0.05, 0, 0), seed=i)] for i in range(10)])
    np.testing.assert_array_equal(before[1].points, points)
    assert before[1].observation_count == 3
    assert not before[1].points.flags.writeable


def test_map_goes_on_unchanged_after_a_restart() -> None:
    def frame(i: int) -> list[Observation]:
        chair = observe((0, 0, 0), track_id=1, seed=i)
        cup = observe((2, 0, 0), (0.1, 0.1, 0.1), label="cup", seed=i)
        return [chair, cup] if i < 6 else [chair]

    lasting, stored = make_map(), make_map()
    for i in range(4):
        lasting.update(frame(i), empty_frame(i))
        stored.update(frame(i), empty_frame(i))
    restarted = make_map()
    restarted.restore(stored.export([1, 2, 99]))
    for i in range(4, 9):
        assert lasting.update(frame(i), empty_frame(i)) == restarted.update(
            frame(i), empty_frame(i)
        )
    for a, b in zip(lasting.objects().values(), restarted.objects().values(), strict=True):
        assert (a.object_id, a.label, a.box, a.track_ids) == (
            b.object_id,
            b.label,
            b.box,
            b.track_ids,
        )
        assert a.confidence == b.confidence
        np.testing.assert_allclose(a.points, b.points, atol=1e-6)


def test_chairs_reach_the_floor_once_it_is_found_and_after_a_restart() -> None:
    """Back rests over a table; nothing is observed in the frame that finds the floor."""
    objects = ObjectMap(ObjectMapConfig())
    for number in range(3):
        seen = observe((0, 0, 0.75), (0.45, 0.05, 0.2), "chair", track_id=1, seed=number)
        objects.update([seen], empty_frame(number))
    (chair,) = objects.objects().values()
    assert chair.box.bottom_z == pytest.approx(0.65, abs=0.01)

    update = objects.update([], empty_frame(4), floor_z=0.0)

    assert update.changed == {chair.object_id}
    (chair,) = objects.objects().values()
    assert (chair.box.bottom_z, chair.yaw_box.bottom_z) == (0.0, 0.0)
    again = ObjectMap(ObjectMapConfig())
    again.restore(objects.export([chair.object_id]), floor_z=0.0)
    assert again.objects()[chair.object_id].box == chair.box


def test_things_are_set_on_the_floor_in_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a building of 20,000 objects no frame waits for all of them."""
    monkeypatch.setattr(module, "_SETTLED_AT_ONCE", 2)
    objects = ObjectMap(ObjectMapConfig())
    backs = [
        observe((2.0 * i, 0, 0.75), (0.45, 0.05, 0.2), "chair", track_id=i, seed=i)
        for i in range(3)
    ]
    watch(objects, [backs] * 3)
    changed = [objects.update([], empty_frame(n), floor_z=0.0).changed for n in (4, 5, 6)]
    assert list(map(len, changed)) == [2, 1, 0]
    assert changed[0] | changed[1] == objects.objects().keys()
    assert {thing.box.bottom_z for thing in objects.objects().values()} == {0.0}


def test_a_thing_without_depth_is_where_pictures_place_it() -> None:
    """Each view has a slab of floor for points, and the box from the picture."""
    objects = ObjectMap(ObjectMapConfig())
    place = Box3D((0.1, 0.2, 0.42), (0.6, 0.6, 0.84))
    for number in range(3):
        slab = observe((0.3, 0.3, 0.03), (1.4, 1.2, 0.06), "chair", track_id=1, seed=number)
        objects.update([replace(slab, box=place, from_picture=True)], empty_frame(number))

    (chair,) = objects.objects().values()
    assert iou_3d(chair.box, place) > 0.95
    assert chair.yaw_box == chair.box
    again = ObjectMap(ObjectMapConfig())
    again.restore(objects.export([chair.object_id]))
    assert again.objects()[chair.object_id].box == chair.box


def test_a_whole_chair_whose_tracklet_goes_on_as_a_table_is_not_the_table() -> None:
    """About as large, but apart; a view that was cut or hidden might be of the same thing."""
    objects = ObjectMap(ObjectMapConfig())
    chair = observe((0, 0, 0.42), (0.7, 0.7, 0.84), "chair", track_id=1)
    table = observe((0.6, 0, 0.37), (1.0, 1.0, 0.74), "dining table", track_id=1)
    for number in range(3):
        objects.update([replace(chair, from_picture=True)], empty_frame(number))
    for number in range(3, 6):
        objects.update([table], empty_frame(number))

    assert [thing.label for thing in objects.objects().values()] == ["chair", "dining table"]


def test_a_tracklet_that_goes_along_a_row_of_chairs_makes_no_chair_of_two() -> None:
    """Pictures tell where each one stands; of chairs with depth a view may show a part only."""
    objects = ObjectMap(ObjectMapConfig())
    for place in range(3):
        for number in range(4):
            chair = observe((0.5 * place, 0, 0.42), (0.6, 0.6, 0.84), track_id=1, seed=number)
            objects.update([replace(chair, from_picture=True)], empty_frame(4 * place + number))

    centers = [chair.box.center[0] for chair in objects.objects().values()]
    assert centers == pytest.approx([0.0, 0.5, 1.0], abs=0.01)


def test_ids_are_never_used_again() -> None:
    object_map = make_map(forget_tentative_s=1.0)
    first = object_map.update([observe((0, 0, 0))], empty_frame(0)).changed
    assert left_out(object_map, 5_000_000_000) == first
    assert object_map.update([observe((0, 0, 0))], empty_frame(6_000_000_000)).changed.isdisjoint(
        first
    )


places = st.tuples(*[st.integers(-8, 8).map(lambda i: i * 0.25)] * 3)
views = st.builds(
    observe,
    places,
    st.sampled_from([(0.5, 0.5, 0.5), (0.2, 0.1, 0.1), (1.5, 0.8, 0.02)]),
    label=st.sampled_from(["chair", "couch", "cup"]),
    track_id=st.integers(-1, 5),
    score=st.sampled_from([0.3, 0.6, 0.9]),
    truncated=st.booleans(),
    count=st.just(20),
)
recordings = st.lists(st.lists(views, max_size=6), min_size=1, max_size=6)


@settings(deadline=None, max_examples=40)
@given(recordings, st.randoms(use_true_random=False))
def test_the_order_of_observations_within_a_frame_does_not_matter(
    frames: list[list[Observation]], random: object
) -> None:
    one, other = make_map(confirm_observations=1), make_map(confirm_observations=1)
    for i, frame in enumerate(frames):
        shuffled = list(frame)
        random.shuffle(shuffled)  # type: ignore[attr-defined]
        assert one.update(frame, empty_frame(i)) == other.update(shuffled, empty_frame(i))
    for a, b in zip(one.objects().values(), other.objects().values(), strict=True):
        assert (a.object_id, a.label, a.box, a.confidence) == (
            b.object_id,
            b.label,
            b.box,
            b.confidence,
        )


@settings(deadline=None, max_examples=40)
@given(recordings)
def test_invariants_of_any_recording(frames: list[list[Observation]]) -> None:
    object_map = make_map(confirm_observations=1)
    known: set[int] = set()
    for i, frame in enumerate(frames):
        update = object_map.update(frame, empty_frame(i))
        created = (update.changed | update.removed) - known
        assert len(update.changed) <= len(frame)
        assert len(created) <= len(frame)
        assert all(kept < gone for gone, kept in update.merged.items())
        assert set(update.merged) <= update.removed
        assert update.changed.isdisjoint(update.removed)
        known = (known | update.changed) - update.removed
        objects = object_map.objects()
        assert list(objects) == sorted(objects.keys() & known)
        assert set(update.object_of_tracklet.values()) <= known
        for thing in objects.values():
            assert thing.box.contains(thing.points.astype(np.float64), margin_m=1e-6).all()
            assert 0.0 <= thing.confidence <= 1.0
            assert len(thing.points) > 0


def test_depth_that_falls_through_an_object_makes_no_second_one() -> None:
    """The line of sight to the lifted points leads through a chair that nothing else shows."""
    object_map, robot = make_map(), (-3.0, 0.0, 0.0)
    for i in range(4):
        object_map.update([observe((0, 0, 0))], empty_frame(i, robot))
    for i in range(4, 9):
        object_map.update([observe((2.0, 0.1, 0))], empty_frame(i, robot))
    assert only(object_map).box.center == pytest.approx((0, 0, 0), abs=0.01)


def test_a_chair_behind_a_chair_is_a_second_one_where_both_are_seen() -> None:
    object_map, robot = make_map(), (-3.0, 0.0, 0.0)
    for i in range(6):
        object_map.update([observe((0, 0, 0)), observe((2.0, 0.1, 0))], empty_frame(i, robot))
    assert len(object_map.objects()) == 2


def test_similar_labels_at_one_place_feed_one_object() -> None:
    def similarity(a: str, b: str) -> float:
        return 0.9 if {a, b} == {"sofa", "couch"} else float(a == b)

    frames = [[observe((0, 0, 0), label="couch")]] * 4 + [[observe((0.25, 0, 0), label="sofa")]] * 4
    knowing, plain = make_map(), make_map()
    for i, frame in enumerate(frames):
        knowing.update(frame, empty_frame(i), label_similarity=similarity)
        plain.update(frame, empty_frame(i))
    assert len(knowing.objects()) == 1
    assert len(plain.objects()) == 2


def test_of_two_equal_places_the_colour_decides() -> None:
    object_map = make_map()
    red, green = (200.0, 30.0, 30.0), (30.0, 180.0, 40.0)
    both = [observe((0, 0, 0), rgb=red), observe((0.6, 0, 0), rgb=green)]
    watch(object_map, [both] * 4)
    between = observe((0.3, 0, 0), (0.4, 0.5, 0.5), rgb=green, track_id=7)
    assert object_map.update([between], empty_frame(9)).object_of_tracklet == {7: 2}


def test_a_robot_that_stands_still_does_not_outvote_one_that_looks_around() -> None:
    object_map = make_map()
    for i in range(60):
        object_map.update([observe((0, 0, 0), label="box")], empty_frame(i, (3, 0, 0)))
    around = [(3 * np.cos(a), 3 * np.sin(a), 0) for a in np.linspace(0.5, 5.5, 12)]
    for i, place in enumerate(around, start=60):
        object_map.update([observe((0, 0, 0), label="bag")], empty_frame(i, place))
    assert only(object_map).label == "bag"


def left(seed: int, track_id: int = 1) -> Observation:
    return observe((0, 0, 0), (0.6, 0.5, 0.5), track_id=track_id, seed=seed, score=0.9)


def right(seed: int, track_id: int = 2) -> Observation:
    return observe((0.75, 0, 0), (0.5, 0.5, 0.5), track_id=track_id, seed=seed, score=0.8)


def both_as_one(seed: int) -> Observation:
    parts = left(seed), right(seed)
    points = np.concatenate([part.points for part in parts])
    box = Box3D.from_bounds(points.min(axis=0), points.max(axis=0))
    return replace(parts[0], points=points, box=box)


def watch_for_split(object_map: ObjectMap, frames: list[list[Observation]], start: int) -> None:
    for number, frame in enumerate(frames, start=start):
        object_map.update(frame, empty_frame(number))


def merged_map() -> ObjectMap:
    object_map = ObjectMap(ObjectMapConfig())
    watch_for_split(object_map, [[both_as_one(i)] for i in range(12)], 0)
    return object_map


def test_two_things_that_are_seen_apart_again_and_again_are_two_objects() -> None:
    object_map = merged_map()
    watch_for_split(object_map, [[left(i), right(i)] for i in range(SPLIT_AFTER + 8)], 100)
    objects = object_map.objects()
    assert len(objects) == 2
    first, second = objects.values()
    # The older id stays with the larger part.
    assert first.object_id == 1
    assert first.box.center[0] == pytest.approx(0.0, abs=0.06)
    assert second.box.center[0] == pytest.approx(0.75, abs=0.06)
    assert second.label == "chair"
    assert second.track_ids
    assert not set(first.track_ids) & set(second.track_ids)


def test_the_parts_stay_two_objects() -> None:
    object_map = merged_map()
    watch_for_split(object_map, [[left(i), right(i)] for i in range(60)], 100)
    ids = list(object_map.objects())
    watch_for_split(object_map, [[left(i), right(i)] for i in range(60)], 200)
    assert list(object_map.objects()) == ids
    assert len(ids) == 2


def test_one_thing_that_falls_apart_now_and_then_stays_one() -> None:
    object_map = merged_map()
    for start in range(100, 800, 4):
        frames = [[both_as_one(start)], [left(start), right(start)], [both_as_one(start + 1)]]
        watch_for_split(object_map, frames, start)
    assert list(object_map.objects()) == [1]


def test_split_objects_survive_a_restart() -> None:
    object_map = merged_map()
    watch_for_split(object_map, [[left(i), right(i)] for i in range(SPLIT_AFTER + 8)], 100)
    restarted = ObjectMap(ObjectMapConfig())
    restarted.restore(object_map.export(object_map.objects()))
    for a, b in zip(object_map.objects().values(), restarted.objects().values(), strict=True):
        assert a.object_id == b.object_id
        np.testing.assert_allclose(a.box.center, b.box.center, atol=0.02)
