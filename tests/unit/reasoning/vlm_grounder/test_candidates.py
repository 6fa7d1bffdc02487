"""Which detections may be meant."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from scenemind.geometry import Pose
from scenemind.memory import FrameIndex, KeyFrame, MapObject
from scenemind.reasoning.vlm_grounder.candidates import (
    Candidates,
    all_candidates,
    candidates_of_class,
    seen_candidates,
)
from scenemind.reasoning.vlm_grounder.fallback_detection import SeenBox
from tests.unit.reasoning.scene import thing

from .film import CAMERA, Seen, Shot, index_of

FILM = index_of(
    [
        Shot(0.0, (Seen("chair", 1), Seen("stool", 2), Seen("chair", 3, 0.1))),
        Shot(1.0, (Seen("sofa", 1), Seen("chair", 4), Seen("chair", 0, 0.4))),
        Shot(2.0, (Seen("tv", 5),)),
    ]
)


def found(candidates: Candidates) -> list[tuple[int, int]]:
    return list(zip(candidates.rows.tolist(), candidates.object_ids.tolist(), strict=True))


def of_class(index: FrameIndex, objects: list[MapObject]) -> list[tuple[int, int]]:
    by_id = {o.object_id: o for o in objects}
    return found(candidates_of_class(index, {"chair"}, by_id, 0.2))


def chair(object_id: int, label: str = "chair") -> MapObject:
    return thing(object_id, label, (0, 0, 0.5), (0.5, 0.5, 1.0))


def test_what_the_detector_called_so_counts_where_it_was_sure() -> None:
    assert of_class(FILM, []) == [(0, 1), (1, 4), (1, 0)]


def test_what_the_map_calls_so_counts_whatever_the_detector_said_that_time() -> None:
    assert of_class(FILM, [chair(1)]) == [(0, 1), (1, 1), (1, 4), (1, 0)]


def test_the_name_that_a_person_gave_counts_alone() -> None:
    stool = replace(chair(2), perceived_label="stool")  # renamed: a chair
    armchair = replace(chair(4, "throne"), perceived_label="chair")
    assert of_class(FILM, [stool, armchair]) == [(0, 1), (0, 2), (1, 0)]


def test_all_that_is_sure_may_be_meant_where_no_class_is_known() -> None:
    assert found(all_candidates(FILM, 0.2)) == [(0, 1), (0, 2), (1, 1), (1, 4), (1, 0), (2, 5)]


def test_what_a_detector_saw_stands_at_its_frames() -> None:
    boxes = [
        SeenBox(30, (1, 2, 3, 4), 0.5),
        SeenBox(10, (5, 6, 7, 8), 0.4),
        SeenBox(11, (0,) * 4, 1),
    ]
    candidates = seen_candidates(FILM, boxes)
    assert found(candidates) == [(0, 0), (2, 0)]
    assert candidates.boxes_px.tolist() == [[5, 6, 7, 8], [1, 2, 3, 4]]


def at(x_px: float, **more: object) -> Seen:
    return Seen("chair", x_px=x_px, **more)  # type: ignore[arg-type]


def test_targets_of_a_frame_go_from_left_to_right_each_object_once() -> None:
    seen = (at(90.0, object_id=2), at(20.0), at(50.0, object_id=1, score=0.5))
    film = index_of([Shot(0.0, (at(5.0),)), Shot(1.0, (*seen, at(120.0, object_id=1)))])
    frame = KeyFrame(20, 0, 0, CAMERA, Pose.identity(), b"")
    targets = all_candidates(film, 0.2).targets(1, frame)
    assert [target.object_id for target in targets] == [None, 2, 1]
    assert [target.box_px[0] for target in targets] == [0.0, 70.0, 100.0]
    assert targets[2].score == pytest.approx(0.9)
    assert all(target.frame is frame for target in targets)


def test_very_many_candidates_of_a_frame_are_the_surest() -> None:
    scores = np.random.default_rng(1).permutation(np.linspace(0.3, 0.9, 100))
    seen = tuple(at(float(n), score=float(score)) for n, score in enumerate(scores))
    film = index_of([Shot(0.0, seen)])
    frame = KeyFrame(10, 0, 0, CAMERA, Pose.identity(), b"")
    targets = all_candidates(film, 0.2).targets(0, frame)
    assert min(target.score for target in targets) >= np.sort(scores)[-40] - 1e-6
