"""The confidence of a box: its evidence, the calibration, and the map's box beside it."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from math import log10
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from scenemind.geometry import Box3D, PinholeCamera, Pose
from scenemind.memory import KeyFrame, MapObject, MemorySnapshot
from scenemind.memory.types import Stay
from scenemind.perception.backends.depth_segmenter import DepthSegmenter
from scenemind.perception.types import BoxMask
from scenemind.reasoning.query import MEASURED, SAME_AS
from scenemind.reasoning.vlm_grounder.box_quality import (
    EVIDENCE_OF,
    EVIDENCE_RANGES,
    MASKS_BY_MODEL,
    BoxKind,
    BoxOdds,
    Calibration,
    LogisticModel,
    MapMatch,
    calibration,
    find_match,
    of_mapped,
    of_measured,
    outline_agrees,
)
from scenemind.reasoning.vlm_grounder.grounded import (
    BEST_VIEW,
    MEASURED_FROM,
    Grounded,
    as_mapped,
    as_measured,
    confidences,
    sentence_on,
)
from scenemind.reasoning.vlm_grounder.projection.pictures import find_bounds_px
from scenemind.reasoning.vlm_grounder.targets import Measured, MeasuredView, Target
from tests.unit.reasoning.scene import ROOM, looking, snapshot_of
from tests.unit.reasoning.vlm_grounder.film import CAMERA

KINDS = get_args(BoxKind)


@st.composite
def evidences(draw: st.DrawFn) -> dict[str, float]:
    """Also beyond what was ever measured."""
    ranges = EVIDENCE_RANGES.items()
    return {name: draw(st.floats(low - 1.0, high + 1.0)) for name, (low, high) in ranges}


@given(evidences(), st.sampled_from(KINDS), st.data())
def test_more_evidence_never_speaks_against_a_box(
    evidence: dict[str, float], kind: BoxKind, data: st.DataObject
) -> None:
    name = data.draw(st.sampled_from([n for n in EVIDENCE_OF[kind] if n != MASKS_BY_MODEL]))
    more = {**evidence, name: evidence[name] + data.draw(st.floats(0.0, 3.0))}
    before = calibration().probability(kind, evidence)
    assert 0.0 < before < 1.0
    assert calibration().probability(kind, more) >= before


@pytest.mark.parametrize("kind", KINDS)
def test_some_evidence_matters(kind: BoxKind) -> None:
    worst = {name: low for name, (low, _) in EVIDENCE_RANGES.items()}
    best = {name: high for name, (_, high) in EVIDENCE_RANGES.items()}
    said = [calibration().probability(kind, evidence) for evidence in (worst, best)]
    assert said[0] < 0.2
    assert said[1] > 0.8
    assert calibration().models[kind].weights.keys() <= set(EVIDENCE_OF[kind])


def test_a_logistic_model_in_closed_form() -> None:
    model = LogisticModel(intercept=-1.0, weights={"map_agrees": 2.0})
    assert model.probability({"map_agrees": 0.5}) == 0.5
    assert model.probability({"map_agrees": 1.0}) == pytest.approx(0.7310586)
    assert model.probability({"map_agrees": 9.0}) == model.probability({"map_agrees": 1.0})


def test_logits_of_any_size_have_a_probability() -> None:
    for intercept in (-1e6, 1e6):
        assert 0.0 < LogisticModel(intercept=intercept, weights={}).probability({}) < 1.0


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"weights": {"luck": 1.0}}, "there is no evidence 'luck'"),
        ({"weights": {"looks": -1.0}}, "more evidence would speak against"),
        ({"bias": 1.0}, "bias"),
    ],
)
def test_a_model_that_cannot_be_is_refused(change: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ValidationError, match=complaint):
        LogisticModel.model_validate({"intercept": 0.0, "weights": {}, **change})


@given(evidences(), st.sampled_from(KINDS))
def test_what_is_close_is_near(evidence: dict[str, float], kind: BoxKind) -> None:
    odds = BoxOdds.of(kind, evidence)
    assert 0.0 < odds.close <= odds.near < 1.0


def test_a_calibration_has_all_kinds() -> None:
    tree = calibration().model_dump()
    del tree["models"]["mapped"]
    with pytest.raises(ValidationError, match="models"):
        Calibration.model_validate(tree)


def test_weight_of_the_segmenter_may_be_negative() -> None:
    model = LogisticModel(intercept=0.0, weights={MASKS_BY_MODEL: -1.0})
    assert model.probability({MASKS_BY_MODEL: 1.0}) < 0.5


BOX = Box3D((1.0, 2.0, 0.5), (0.8, 0.4, 1.0))
SMALL_CAMERA = PinholeCamera(100, 50, 80.0, 80.0, 49.5, 24.5)


def view(shown_m: float, chamfer_m: float, pixels: int = 50) -> MeasuredView:
    """Evidence of the lower part of the box, up to a height."""
    low, high = BOX.bounds()
    corners = np.array([low, (*high[:2], low[2] + shown_m)], np.float32)
    mask = BoxMask(0, 0, np.ones((1, pixels), np.bool_))
    frame = KeyFrame(1, 1, 0, SMALL_CAMERA, Pose.identity(), b"")
    return MeasuredView(frame, (0.0, 0.0, 50.0, 1.0), mask, corners, chamfer_m)


def measured_from(*views: MeasuredView, masks: str = "sam") -> Measured:
    return Measured(BOX, views[0].points, views, masks)


def mapped(box: Box3D, looks: int = 10) -> MapObject:
    return MapObject(
        object_id=3,
        label="chair",
        perceived_label="chair",
        attributes={},
        confidence=0.9,
        box=box,
        points=np.zeros((0, 3), np.float32),
        first_seen_ns=0,
        last_seen_ns=1,
        observation_count=looks,
        track_ids=(),
    )


def test_views_that_show_all_or_a_part() -> None:
    three = measured_from(view(0.5, 0.0), view(1.0, 0.02), view(0.25, 0.06))
    found = of_measured(three, None)
    assert found["fullest_view"] == pytest.approx(1.0, abs=1e-5)
    assert found["usual_view"] == pytest.approx(0.5, abs=1e-5)
    assert found["views_agree"] == pytest.approx(1.0 - 0.04 / 0.1)
    assert found["thickness"] == pytest.approx(log10(0.4))
    assert found["picture_share"] == pytest.approx(log10(50 / 5000))
    assert found.keys() == set(EVIDENCE_OF["measured"])


def test_one_view_agrees_with_none() -> None:
    assert of_measured(measured_from(view(1.0, 0.0)), None)["views_agree"] == 0.0


@pytest.mark.parametrize(("masks", "by_model"), [("sam", 1.0), (DepthSegmenter.name, 0.0)])
def test_source_of_the_masks_counts(masks: str, by_model: float) -> None:
    assert (
        of_measured(measured_from(view(1.0, 0.0), masks=masks), None)["masks_by_model"] == by_model
    )


def test_evidence_of_the_map() -> None:
    thing = mapped(replace(BOX, size=(0.4, 0.4, 1.0)), looks=100)
    match = MapMatch(thing, "same", 0.5, 1.0)
    three = measured_from(view(0.5, 0.0), view(1.0, 0.02))
    of_box, of_map = of_measured(three, match), of_mapped(thing, three, match)
    assert of_box["map_agrees"] == of_map["map_agrees"] == 0.5
    assert of_map["looks"] == 2.0
    assert of_box.keys() >= set(EVIDENCE_OF["measured_and_mapped"])
    assert of_map.keys() == set(EVIDENCE_RANGES)
    assert of_map.keys() >= set(EVIDENCE_OF["mapped_and_measured"])
    assert of_mapped(thing, None, None).keys() == set(EVIDENCE_OF["mapped"])


def test_a_thing_without_extent_is_still_something() -> None:
    flat = mapped(Box3D((0.0, 0.0, 0.0), (1.0, 1.0, 0.0)), looks=0)
    found = of_mapped(flat, None, None)
    assert np.isfinite(list(found.values())).all()


SNAPSHOT = snapshot_of(ROOM)
TABLE, CUP, CHAIR = 1, 2, 4
BOX_PX = (10.0, 10.0, 50.0, 50.0)


CHAIR_BOX = SNAPSHOT.objects[CHAIR].box
POSE = looking(np.add(CHAIR_BOX.center, (0.0, -3.0, 0.5)), CHAIR_BOX.center)


def frame(number: int = 7) -> KeyFrame:
    return KeyFrame(number, 1000 * number, 0, CAMERA, POSE, b"")


def target(object_id: int | None = None) -> Target:
    return Target(frame(), BOX_PX, object_id, 0.8)


def measured(box: Box3D, views: int = 5, seen_as: Box3D | None = None) -> Measured:
    """A box filled with points.

    Args:
        seen_as: what the box in the image is around; None: the measured box.
    """
    low, high = box.bounds()
    points = np.random.default_rng(0).uniform(low, high, (5000, 3)).astype(np.float32)
    mask = BoxMask(0, 0, np.ones((1, 1), bool))
    box_px = find_bounds_px(seen_as or box, CAMERA, POSE) or BOX_PX
    seen = [
        MeasuredView(frame(7 + n), box_px, mask, points, 0.02 if n else 0.0) for n in range(views)
    ]
    return Measured(box, points, tuple(seen), "sam", ("seen in views",))


def moved(box: Box3D, by_m: Sequence[float], times: float = 1.0) -> Box3D:
    center = np.add(box.center, by_m)
    return Box3D(tuple(center.tolist()), tuple(times * side for side in box.size))


def with_object(
    object_id: int, snapshot: MemorySnapshot = SNAPSHOT, **more: object
) -> MemorySnapshot:
    objects = {**snapshot.objects, object_id: replace(snapshot.objects[object_id], **more)}
    return replace(snapshot, objects=objects)


def ground(
    box: Box3D, object_id: int | None = None, snapshot: MemorySnapshot = SNAPSHOT, views: int = 5
) -> Grounded:
    return as_measured(target(object_id), measured(box, views), snapshot, "mug")


def test_an_object_at_the_measured_place_explains_it_whoever_was_detected() -> None:
    for object_id in (CHAIR, None, 99):
        match = find_match(target(object_id), measured(moved(CHAIR_BOX, (0.05, 0, 0))), SNAPSHOT)
        assert match is not None
        assert (match.thing.object_id, match.bond) == (CHAIR, "same")
        assert match.iou > 0.7


def test_a_piece_matches_the_detected_object_and_no_other() -> None:
    """A cup stands within reach of the table, and is no piece of it."""
    corner = Box3D((0.5, 0.2, 0.7), (0.3, 0.3, 0.1))
    piece = find_match(target(TABLE), measured(corner), SNAPSHOT)
    assert piece is not None
    assert piece.thing.object_id == TABLE
    assert find_match(target(), measured(corner), SNAPSHOT) is None


def test_thing_unknown_to_the_map_has_its_measured_box() -> None:
    found = ground(Box3D((3.0, -3.0, 0.2), (0.1, 0.1, 0.1)))
    (thing,) = found.objects
    assert (thing.object_id, thing.label) == (MEASURED, "mug")
    assert thing.attributes == {MEASURED_FROM: "5 key frames", BEST_VIEW: "7"}
    assert (thing.first_seen_ns, thing.last_seen_ns) == (7000, 11000)
    assert found.key_frames()[0].boxes_px == {MEASURED: BOX_PX}
    assert sentence_on(found.objects) == "That is a mug at x 3.00, y -3.00, z 0.20 m."


def test_the_likelier_box_comes_first() -> None:
    """Views that agree by a model's masks make a good box; one view by depth, whose mask is more
    than the thing, makes a worse one than a map that has looked often."""
    snapshot = with_object(CHAIR, observation_count=60)
    good = as_measured(target(CHAIR), measured(CHAIR_BOX), snapshot, "mug")
    larger = measured(moved(CHAIR_BOX, (0, 0, 0), 1.3), views=1, seen_as=CHAIR_BOX)
    larger = replace(larger, masks=DepthSegmenter.name)
    bad = as_measured(target(CHAIR), larger, snapshot, "mug")
    for found, first, said in ((good, MEASURED, "measured"), (bad, CHAIR, "map")):
        other = {MEASURED: CHAIR, CHAIR: MEASURED}[first]
        assert [thing.object_id for thing in found.objects] == [first, other]
        assert 1.0 > found.box_right[0].close > found.box_right[1].close > 0.0
        assert f"the {said} box comes first" in found.steps[-1]
    assert good.box_right[0].close > bad.box_right[1].close


def test_whichever_comes_first_both_are_of_one_thing() -> None:
    found = ground(CHAIR_BOX, CHAIR)
    (box,) = (thing for thing in found.objects if thing.object_id == MEASURED)
    assert (box.label, box.attributes[SAME_AS]) == ("chair", str(CHAIR))
    assert found.measured is not None
    assert found.key_frames()[0].boxes_px == {CHAIR: found.measured.views[0].box_px}
    assert "chair" in sentence_on(found.objects)
    assert " and " not in sentence_on(found.objects)


def test_moved_object_has_the_box_of_the_map() -> None:
    snapshot = with_object(CHAIR, here_since_ns=8000)
    found = ground(moved(CHAIR_BOX, (3.0, 0, 0)), CHAIR, snapshot)
    assert [thing.object_id for thing in found.objects] == [CHAIR]
    assert "elsewhere since" in found.steps[-1]


def test_a_removed_object_is_reported_with_low_confidence() -> None:
    chair = SNAPSHOT.objects[CHAIR]
    gone = replace(chair, stays=(Stay(CHAIR_BOX, 0, 7000, 9000),))
    objects = {i: thing for i, thing in SNAPSHOT.objects.items() if i != CHAIR}
    found = ground(CHAIR_BOX, None, replace(SNAPSHOT, objects=objects, gone={CHAIR: gone}))
    assert [thing.object_id for thing in found.objects] == [MEASURED]
    assert '"chair" 4 is gone since' in found.steps[-1]
    assert max(confidences(found, 0, 1, "words")) < 0.4


def test_thing_that_cannot_be_measured_has_the_box_of_the_map() -> None:
    found = as_mapped(target(CHAIR), SNAPSHOT.objects[CHAIR], "no depth")
    assert [thing.object_id for thing in found.objects] == [CHAIR]
    assert found.steps == ('the box is the map\'s, of "chair" 4: no depth',)
    assert found.key_frames()[0].boxes_px == {CHAIR: BOX_PX}


def test_one_thing_seen_twice_is_one() -> None:
    one, again = ground(CHAIR_BOX, CHAIR), ground(moved(CHAIR_BOX, (0.1, 0, 0)), CHAIR)
    other = ground(SNAPSHOT.objects[5].box, 5)
    assert one.is_same_as(again)
    assert not one.is_same_as(other)
    unknown = ground(Box3D((3.0, -3.0, 0.2), (0.1, 0.1, 0.1)))
    assert unknown.is_same_as(unknown)
    assert not unknown.is_same_as(one)


def test_the_box_whose_outline_fits_the_image_comes_first() -> None:
    """However sure its views are: they may all hold what stands behind it."""
    snapshot = with_object(CHAIR, observation_count=10)
    leaking = moved(CHAIR_BOX, (0.2, 0.0, 0.0), 1.6)
    found = as_measured(target(CHAIR), measured(leaking, seen_as=CHAIR_BOX), snapshot, "mug")
    assert [thing.object_id for thing in found.objects] == [CHAIR, MEASURED]
    sure = confidences(found, 0, 1, "words")
    assert sure[0] == pytest.approx(0.87 * found.box_right[0].near)
    assert sure[1] < 0.87 * found.box_right[1].near


def test_an_undetected_target_is_the_object_with_its_outline() -> None:
    """Points of what it stands at came into its masks."""
    drawn = replace(target(), is_drawn=True)
    around = moved(CHAIR_BOX, (0.4, 0.0, 0.0), 2.0)
    match = find_match(drawn, measured(around, seen_as=CHAIR_BOX), SNAPSHOT)
    assert match is not None
    assert match.thing.object_id == CHAIR
    denied = replace(drawn, not_objects=frozenset([CHAIR]))
    other = find_match(denied, measured(CHAIR_BOX), SNAPSHOT)
    assert other is None or other.thing.object_id != CHAIR


def test_a_box_far_off_has_no_outline() -> None:
    behind = moved(CHAIR_BOX, (0.0, -9.0, 0.0))
    assert outline_agrees(behind, measured(CHAIR_BOX)) == 0.0
    assert outline_agrees(CHAIR_BOX, measured(CHAIR_BOX)) == pytest.approx(1.0)


def test_confidence_is_of_the_thing_and_of_its_box() -> None:
    good = ground(CHAIR_BOX, CHAIR)
    sure = confidences(good, 0, 1, "words")
    assert sure == pytest.approx([0.87 * right.near for right in good.box_right])
    assert len(sure) == len(good.objects) == 2
    guessed = [min(0.5, 0.57 * 0.7 * right.near) for right in good.box_right]
    assert confidences(good, 0, 1, "") == pytest.approx(guessed)
    assert confidences(good, 2, 5, "model") == pytest.approx(
        [0.85**2 * confidence for confidence in guessed]
    )


def test_no_confidence_above_a_half_where_it_may_be_another() -> None:
    good = ground(CHAIR_BOX, CHAIR)
    assert max(confidences(good, 0, 1, "words")) > 0.5
    unasked = replace(good, target=replace(good.target, is_asked=False))
    assert max(confidences(unasked, 0, 1, "words")) <= 0.5
    assert max(confidences(ground(CHAIR_BOX, CHAIR, views=1), 0, 1, "words")) <= 0.5
    assert max(confidences(good, 0, 1, "model")) <= 0.5
    assert (
        max(confidences(as_mapped(good.target, SNAPSHOT.objects[CHAIR], "-"), 0, 1, "words")) <= 0.5
    )


def test_confidence_falls_with_evidence_against_an_answer() -> None:
    good = ground(CHAIR_BOX, CHAIR)
    falling = [
        confidences(good, 0, 1, "words"),
        confidences(good, 1, 1, "words"),
        confidences(good, 1, 0, "words"),  # maybe more things to mix it up with
        confidences(good, 1, 4, ""),
        confidences(good, 3, 4, ""),
        confidences(ground(CHAIR_BOX, CHAIR, views=1), 3, 4, ""),
    ]
    assert all(max(a) > max(b) > 0.0 for a, b in itertools.pairwise(falling))


def test_points_are_a_sample() -> None:
    (thing, *_) = (t for t in ground(CHAIR_BOX, CHAIR).objects if t.object_id == MEASURED)
    assert isinstance(thing, MapObject)
    assert 1000 < len(thing.points) <= 2000
    assert not thing.points.flags.writeable


def test_a_box_that_a_few_points_have_blown_up_gives_way_to_the_map() -> None:
    chair = SNAPSHOT.objects[CHAIR].box
    low, high = chair.bounds()
    rng = np.random.default_rng(0)
    floor = rng.uniform((-3, -2, 0), (0, 2, 0.02), (600, 3))
    points = np.concatenate((rng.uniform(low, high, (3000, 3)), floor)).astype(np.float32)
    corner, end = points.min(axis=0), points.max(axis=0)
    box = Box3D(tuple(((corner + end) / 2).tolist()), tuple((end - corner).tolist()))
    blown_up = replace(measured(box), points=points)
    found = as_measured(target(CHAIR), blown_up, SNAPSHOT, "chair")
    assert [thing.object_id for thing in found.objects] == [CHAIR]
    assert "is left out" in found.steps[-1]


def test_a_larger_box_full_of_points_stays_beside_the_map_s() -> None:
    larger = moved(SNAPSHOT.objects[CHAIR].box, (0, 0, 0), times=1.5)
    found = ground(larger, CHAIR)
    assert sorted(thing.object_id for thing in found.objects) == [MEASURED, CHAIR]
