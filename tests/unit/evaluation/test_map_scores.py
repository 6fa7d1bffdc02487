"""Scores of made-up maps, against what follows from their boxes on paper."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenemind.evaluation.map_scores import MapScores, Recall, better_iou, score_map
from scenemind.evaluation.map_truth import LabelledObject, MapTruth
from scenemind.geometry import Box3D, PinholeCamera, iou_3d
from scenemind.memory import FrameIndex, MapObject

Triple = tuple[float, float, float]
CUBE = (1.0, 1.0, 1.0)


def thing(name: str, center: Triple, size: Triple = CUBE, **keys: Any) -> dict[str, Any]:
    label = name.split("_")[0]
    return {"id": name, "label": label, "center": center, "size": size, **keys}


def mapped(
    object_id: int, label: str, center: Triple, size: Triple = CUBE, confidence: float = 0.9
) -> MapObject:
    return MapObject(
        object_id=object_id,
        label=label,
        perceived_label=label,
        attributes={},
        confidence=confidence,
        box=Box3D(center, size),
        points=np.zeros((0, 3), np.float32),
        first_seen_ns=0,
        last_seen_ns=0,
        observation_count=1,
        track_ids=(),
    )


def score(things: list[dict[str, Any]], *objects: MapObject, exhaustive: bool = False) -> MapScores:
    truth = MapTruth.model_validate({"objects": things, "exhaustive": exhaustive})
    return score_map(truth, objects)


def verdicts(scores: MapScores) -> list[tuple[str, str | None]]:
    return [(one.verdict, one.thing.id if one.thing else None) for one in scores.mapped]


def test_recall_and_iou_of_shifted_cubes() -> None:
    """Cubes that are shifted by s along one side have an IoU of (1 - s) / (1 + s)."""
    shifts = (0.0, 0.25, 0.5, 0.75, 2.0)  # 1, 0.6, 1/3, 1/7, 0
    things = [thing(f"box_{row}", (0.0, 5.0 * row, 0.5)) for row in range(len(shifts))]
    objects = [mapped(row, "box", (s, 5.0 * row, 0.5)) for row, s in enumerate(shifts)]
    recall = Recall.of(score(things, *objects).counted)
    assert (recall.n, recall.found, dict(recall.at)) == (5, 4, {0.25: 3, 0.5: 2})
    assert recall.mean_iou == pytest.approx((1 + 0.6 + 1 / 3 + 1 / 7) / 4)
    assert recall.mean_iou_of_all == pytest.approx((1 + 0.6 + 1 / 3 + 1 / 7) / 5)


def test_the_better_of_both_kinds_of_boxes_counts() -> None:
    """A square plate on its corner has half the area of the square around it."""
    side = float(np.sqrt(2.0))
    (one,) = score(
        [thing("plate", (0, 0, 0), CUBE, yaw_deg=45.0)], mapped(1, "plate", (0, 0, 0), (side,) * 3)
    ).true
    upright = 1.0 / side  # the map's box is higher
    assert one.aligned_iou == pytest.approx(upright)
    assert one.turned_iou == pytest.approx(0.5 * upright)
    assert one.iou == one.aligned_iou
    assert one.volume_ratio == pytest.approx(side)


def test_a_box_of_no_map_is_compared_alike() -> None:
    side = float(np.sqrt(2.0))
    plate = LabelledObject.model_validate(thing("plate", (0, 0, 0), CUBE, yaw_deg=45.0))
    around, turned = Box3D((0, 0, 0), (side, side, side)), Box3D((0, 0, 0), CUBE, np.pi / 4)
    assert better_iou(plate, around, around) == pytest.approx(1.0 / side)
    assert better_iou(plate, around, turned) == pytest.approx(1.0)


def test_thin_things_are_compared_as_four_centimetres_thick() -> None:
    sheet, found = (0.3, 0.2, 0.001), mapped(1, "sheet", (0, 0, 0.01), (0.3, 0.2, 0.02))
    (one,) = score([thing("sheet", (0, 0, 0), sheet)], found).true
    assert one.iou == pytest.approx(0.03 / 0.05)


places = st.lists(
    st.tuples(*[st.floats(-0.8, 0.8).map(lambda value: round(value, 2))] * 3),
    min_size=1,
    max_size=4,
)


@given(places, places)
def test_no_other_pairing_has_a_larger_sum_of_ious(a: list[Triple], b: list[Triple]) -> None:
    scores = score(
        [thing(f"box_{row}", center) for row, center in enumerate(a)],
        *(mapped(row, "box", center) for row, center in enumerate(b)),
    )
    partners = [one.found.object_id for one in scores.true if one.found]
    assert len(partners) == len(set(partners)), "one-to-one"
    few, many = (a, b) if len(a) <= len(b) else (b, a)
    ious = [[iou_3d(Box3D(x, CUBE), Box3D(y, CUBE)) for y in many] for x in few]
    best = max(
        sum(ious[i][j] for i, j in enumerate(order) if ious[i][j] >= 0.1)
        for order in itertools.permutations(range(len(many)), len(few))
    )
    assert sum(one.iou for one in scores.true) == pytest.approx(best)


def test_accepted_labels() -> None:
    sofa = thing("couch", (0, 0, 0), synonyms=["Sofa"], coco="bench")
    for label in ("couch", "sofa", "bench", "chair"):
        (one,) = score([sofa], mapped(1, label, (0, 0, 0))).true
        assert (one.found is not None) == (label != "chair"), label


def test_rough_things_take_their_match_but_do_not_count() -> None:
    scores = score(
        [thing("chair_a", (0, 0, 0), quality="rough"), thing("chair_b", (0.5, 0, 0))],
        mapped(1, "chair", (0, 0, 0)),
    )
    assert [one.found is not None for one in scores.true] == [True, False]
    assert Recall.of(scores.counted).found == 0


def test_what_stands_in_the_place_of_each_map_object() -> None:
    things = [
        thing("cabinet", (0, 0, 0.5)),
        thing("chair_a", (5, 0, 0.5)),
        thing("chair_b", (9, 0, 0.5)),
        thing("poster", (0, 9, 1), (1.0, 0.02, 2.0)),
        thing("table", (0, -9, 0.4), (2.0, 2.0, 0.8)),
    ]
    objects = [
        mapped(1, "refrigerator", (0.2, 0, 0.5), confidence=0.7),
        mapped(2, "chair", (5, 0, 0.5)),
        mapped(3, "chair", (5.2, 0, 0.2), (0.4, 0.4, 0.4)),
        mapped(4, "chair", (9, 0, 0.9), (0.4, 0.4, 0.2)),
        mapped(5, "person", (0, 9, 1), (0.2, 0.02, 0.5)),
        mapped(6, "person", (0, 9, 0.5), (0.2, 0.02, 0.5), confidence=0.4),
        mapped(7, "bag", (0, -9, 0.2), (0.3, 0.3, 0.4)),
        mapped(8, "lamp", (20, 0, 1)),
    ]
    scores = score(things, *objects)
    assert verdicts(scores) == [
        ("wrong", "cabinet"),
        ("right", "chair_a"),
        ("double", "chair_a"),
        ("part", "chair_b"),
        ("wrong", "poster"),
        ("wrong", "poster"),
        ("unlabelled", None),  # a thing may stand under a table
        ("unlabelled", None),
    ]
    assert [one.found.object_id for one in scores.ghosts] == [1, 5]
    assert [one.found.object_id for one in scores.doubles] == [3]
    assert scores.labels == (5, 3)
    all_known = score(things, *objects, exhaustive=True)
    assert [one.found.object_id for one in all_known.ghosts] == [1, 5, 7, 8]
    assert all_known.labels == (7, 3)


def test_neighbours_in_one_box_are_not_apart() -> None:
    row = [thing(f"chair_{i}", (0.6 * i, 0, 0.5), (0.5, 0.5, 1.0)) for i in range(3)]
    one_box = mapped(1, "chair", (0.3, 0, 0.5), (1.1, 0.5, 1.0))
    own_box = mapped(2, "chair", (1.2, 0, 0.5), (0.5, 0.5, 1.0))
    scores = score(row, one_box, own_box)
    found = {one.thing.id: one.found.object_id for one in scores.true if one.found}
    assert sorted(found.values()) == [1, 2]
    assert [one.thing.id for one in scores.true if one.apart] == ["chair_2"]
    least, middle, largest = scores.volumes["chair"]
    assert (least, largest) == (pytest.approx(1.0), pytest.approx(2.2))
    assert middle == pytest.approx(1.6)


def test_reliability_of_confidence() -> None:
    """Two of four objects that are 0.9 sure are right: a label alone does not do."""
    things = [thing(f"box_{row}", (0.0, 5.0 * row, 0.5)) for row in range(4)]
    objects = [mapped(row, "box", (s, 5.0 * row, 0.5)) for row, s in enumerate((0, 0.5, 0.75, 0.8))]
    far = mapped(9, "box", (50, 0, 0), confidence=0.1)
    reliability = score(things, *objects, far).reliability
    assert reliability is not None
    assert reliability.n == 4, "nothing is known of the far one"
    assert reliability.calibration_error == pytest.approx(40.0)


def frames_of(boxes_px: list[tuple[float, float, float, float]], label: str) -> FrameIndex:
    """Frames of a camera at the origin that looks along x, with a detection each."""
    count = len(boxes_px)
    world_T_camera = np.eye(4)
    world_T_camera[:3, :3] = np.array([(0, 0, 1), (-1, 0, 0), (0, -1, 0)])
    numbers, none = np.arange(count, dtype=np.int32), np.zeros(count, np.int32)
    return FrameIndex(
        frame_numbers=numbers,
        stamps_ns=np.zeros(count, np.int64),
        location_ids=none,
        world_T_camera=np.repeat(world_T_camera[None], count, axis=0),
        camera_indices=none,
        cameras=(PinholeCamera(640, 480, 350.0, 350.0, 320.0, 240.0),),
        detection_frames=numbers,
        detection_labels=none,
        detection_objects=none,
        detection_scores=np.ones(count, np.float32),
        detection_boxes_px=np.array(boxes_px, np.float32),
        labels=(label,),
    )


@pytest.mark.parametrize(("label", "frames"), [("box", 3), ("cup", 0)])
def test_frames_with_a_detection_in_the_place_of_a_thing(label: str, frames: int) -> None:
    """The near side of a cube 4 m ahead is 3.5 m away: 100 px wide around the middle."""
    there, beside = (270.0, 190.0, 370.0, 290.0), (400.0, 190.0, 500.0, 290.0)
    upper_part, little = (270.0, 190.0, 370.0, 215.0), (270.0, 190.0, 300.0, 220.0)
    truth = MapTruth.model_validate({"objects": [thing("box", (4, 0, 0))]})
    index = frames_of([there, beside, there, little, upper_part], label)
    scores = score_map(truth, [], index)
    assert scores.true[0].frames == frames
    assert len(scores.detected) == (frames >= 3)


def test_an_empty_map() -> None:
    scores = score([thing("box", (0, 0, 0))])
    assert scores.reliability is None
    result = scores.as_json()
    assert (result["objects"], result["counted"]["found"], result["detected"]) == (0, 0, None)
