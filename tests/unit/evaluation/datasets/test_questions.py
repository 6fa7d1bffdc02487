"""Files of questions: ScanQA, SQA3D with its poses, OpenEQA, Omni3D-Bench."""

from __future__ import annotations

import logging
import re
from pathlib import Path

import numpy as np
import pytest

from scenemind.evaluation import EvaluationError
from scenemind.evaluation.datasets import (
    Question,
    ScanPose,
    read_omni3d,
    read_openeqa,
    read_scanqa,
    read_sqa3d,
    row_groups,
)
from scenemind.evaluation.datasets.questions import EYE_HEIGHT_M, question_type, world_T_head
from scenemind.evaluation.scenes import Scenes
from scenemind.geometry import Box3D, Pose
from scenemind.language.vocabulary import Vocabulary
from tests.unit.evaluation import made


def test_a_question_of_scanqa(tmp_path: Path) -> None:
    (row,) = read_scanqa(made.write_scanqa(tmp_path))
    assert (row.row_id, row.scene_id) == ("val-scene0001-0", made.SCENE)
    assert row.answers == ("at the desk", "next to the desk")
    assert row.target_ids == (1,)
    assert row.category == "place"


def test_test_splits_have_no_answers(tmp_path: Path) -> None:
    row = {"question_id": "test-1", "scene_id": made.SCENE, "question": "What is on the desk?"}
    made.write_json(tmp_path, "ScanQA_v1.0_test_wo_obj.json", [row])
    (read,) = read_scanqa(tmp_path)
    assert (read.answers, read.target_ids) == ((), ())


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("Where is the chair?", "place"),
        ("How many chairs are there?", "number"),
        ("What is the color of the bed?", "color"),
        ("What shape is the desk?", "object nature"),
        ("What kind of bed is it?", "object nature"),
        ("What is beside the bed?", "object"),
        ("Is there a bed?", "other"),
    ],
)
def test_types(question: str, kind: str) -> None:
    assert question_type(question) == kind


def test_a_missing_file_of_scanqa(tmp_path: Path) -> None:
    with pytest.raises(EvaluationError, match=r"ATR-DBI/ScanQA.*CC BY-NC-SA.*--data"):
        list(read_scanqa(tmp_path))


def test_the_real_file_of_scanqa(shared_data: Path) -> None:
    rows = list(read_scanqa(shared_data / "annotations" / "scanqa"))
    assert len(rows) == len({row.row_id for row in rows}) == 1643
    assert all(len(row.answers) >= 2 for row in rows)


def test_a_question_of_sqa3d(tmp_path: Path) -> None:
    (row,) = read_sqa3d(made.write_sqa3d(tmp_path))
    assert row.question == "How many chairs are there?"
    assert row.answers == ("two",)
    assert row.pose == ScanPose((0.5, 1.0, 0.0), (0.0, 0.0, 0.0, 1.0))


def test_a_question_without_an_answer(tmp_path: Path) -> None:
    made.write_sqa3d(tmp_path)
    made.write_json(tmp_path, "v1_sqa_annotations_test.json", {"annotations": []})
    with pytest.raises(
        EvaluationError,
        match=r"no answer to 1 of 1 questions, the first is 220602000001.*one split",
    ):
        list(read_sqa3d(tmp_path))


def test_answers_that_are_missing(tmp_path: Path) -> None:
    made.write_sqa3d(tmp_path)
    (tmp_path / "v1_sqa_annotations_test.json").unlink()
    with pytest.raises(EvaluationError, match=r"no answers to .*github\.com/SilongYong/SQA3D"):
        list(read_sqa3d(tmp_path))


def test_a_turn_of_zeros(tmp_path: Path) -> None:
    made.write_sqa3d(tmp_path)
    annotations = tmp_path / "v1_sqa_annotations_test.json"
    annotations.write_text(annotations.read_text().replace('"_w": 1', '"_w": 0'))
    with pytest.raises(EvaluationError, match=r"row 1: rotation: .*zeros is no rotation"):
        list(read_sqa3d(tmp_path))


def test_another_file_than_sqa3d(tmp_path: Path) -> None:
    made.write_sqa3d(tmp_path)
    made.write_json(tmp_path, "v1_questions_test.json", [])
    with pytest.raises(EvaluationError, match="has no 'questions'"):
        list(read_sqa3d(tmp_path))


def test_the_real_files(shared_data: Path) -> None:
    rows = list(read_sqa3d(shared_data / "annotations" / "sqa3d"))
    assert len(rows) == len({row.row_id for row in rows}) == 1329
    assert all(row.answers for row in rows)


FACING = re.compile(r"\bfacing (?:the|a|an) (\w+)")


def test_unturned_agents_look_along_minus_x_from_the_middle() -> None:
    boxes = [Box3D((3.0, 1.0, 0.5), (2.0, 2.0, 1.0)), Box3D((5.0, 5.0, 1.0), (2.0, 2.0, 1.0))]
    pose = ScanPose((0.5, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0))
    head = world_T_head(pose, Pose.identity(), boxes)
    # The boxes span 2..6 and 0..6: their middle is (4, 3).
    np.testing.assert_allclose(head.translation, (4.5, 3.0, EYE_HEIGHT_M))
    np.testing.assert_allclose(head.rotation[:, 0], (-1.0, 0.0, 0.0), atol=1e-12)
    np.testing.assert_allclose(head.rotation[:, 2], (0.0, 0.0, 1.0), atol=1e-12)


def test_the_axis_alignment_turns_place_and_heading_and_shifts_neither() -> None:
    quarter = Pose.from_quaternion((7.0, -9.0, 1.0), (0.0, 0.0, np.sqrt(0.5), np.sqrt(0.5)))
    pose = ScanPose((0.5, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0))
    head = world_T_head(pose, quarter, [Box3D((0.0, 0.0, 1.0), (4.0, 4.0, 2.0))])
    np.testing.assert_allclose(head.translation[:2], (0.0, 0.5), atol=1e-12)
    np.testing.assert_allclose(head.rotation[:, 0], (0.0, -1.0, 0.0), atol=1e-12)


def test_heading_of_agents_that_face_a_thing(shared_data: Path) -> None:
    """The heading in situations with "facing the X" in scenes with a single X."""
    annotations = shared_data / "annotations"
    scenes = Scenes(annotations / "scannet_objects.json.gz")
    rows = {row.situation: row for row in read_sqa3d(annotations / "sqa3d")}
    found = [cosine for row in rows.values() if (cosine := _find_cosine(row, scenes)) is not None]
    assert len(found) > 30
    assert np.mean(found) > 0.85
    assert np.median(found) > 0.95


def _find_cosine(row: Question, scenes: Scenes) -> float | None:
    """Cosine of the angle from the heading to the thing faced; None unless it is a single thing."""
    said = FACING.search(row.situation.lower())
    if said is None:
        return None
    objects = scenes.get_snapshot(row.scene_id).objects
    matches = Vocabulary.load().match(said[1], {thing.label for thing in objects.values()})
    labels = {match.label for match in matches if match.sure}
    things = [thing for thing in objects.values() if thing.label in labels]
    if len(things) != 1:
        return None
    head = scenes.get_viewpoint(row.scene_id, row.pose)
    offset = np.asarray(things[0].box.center[:2]) - head.translation[:2]
    return float(offset @ head.rotation[:2, 0] / np.linalg.norm(offset))


@pytest.mark.parametrize("yaw", [0.0, 0.7, -2.0])
def test_agents_stand_upright(yaw: float) -> None:
    pose = ScanPose((0.0, 0.0, 0.0), (0.0, 0.0, float(np.sin(yaw / 2)), float(np.cos(yaw / 2))))
    head = world_T_head(pose, Pose.identity(), [Box3D((0.0, 0.0, 0.0), (1.0, 1.0, 1.0))])
    np.testing.assert_allclose(head.rotation[:, 2], (0.0, 0.0, 1.0), atol=1e-12)
    np.testing.assert_allclose(head.rotation[:2, 0], (-np.cos(yaw), -np.sin(yaw)), atol=1e-12)


def test_a_question_of_openeqa(tmp_path: Path) -> None:
    (row,) = read_openeqa(made.write_openeqa(tmp_path))
    assert row.scene_id == "hm3d-v0/000-made"
    assert row.answers == ("By the desk", "in front of the desk")
    assert row_groups(row) == ("object localization",)


def test_a_missing_file_of_openeqa(tmp_path: Path) -> None:
    with pytest.raises(EvaluationError, match=r"facebookresearch/open-eqa.*--data"):
        list(read_openeqa(tmp_path))


def test_the_real_file_of_openeqa(shared_data: Path) -> None:
    rows = list(read_openeqa(shared_data / "annotations" / "openeqa"))
    assert len(rows) == len({row.row_id for row in rows}) == 702
    assert len({row.category for row in rows}) == 7
    assert sum(len(row.answers) > 1 for row in rows) == 115


@pytest.mark.parametrize(
    ("answer_type", "answer", "kind"),
    [
        ("int", 3, "count"),
        ("float", 1.25, "numeric (other)"),
        ("str", "yes", "yes/no"),
        ("str", "chair", "multiple choice"),
    ],
)
def test_kinds_of_answers(tmp_path: Path, answer_type: str, answer: str | float, kind: str) -> None:
    (row,) = read_omni3d(made.write_omni3d(tmp_path, (answer_type, answer)))
    assert row.category == kind
    assert row.answers == (str(answer),)
    assert (row.image, row.scene_id) == ("00001.jpg", "00001.jpg")


@pytest.mark.parametrize("answer", ["two", "2 m", "nan"])
def test_invalid_number_is_an_error_before_any_question(tmp_path: Path, answer: str) -> None:
    data = made.write_omni3d(tmp_path, ("int", 3), ("float", answer))
    with pytest.raises(EvaluationError, match=f"row 2: .*{answer!r} is not a number"):
        list(read_omni3d(data))


def test_repeated_question_counts_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    data = made.write_omni3d(tmp_path, ("int", 3), ("int", 3))
    with caplog.at_level(logging.WARNING):
        assert len(list(read_omni3d(data))) == 1
    assert "asks 1 questions twice" in caplog.text


def test_a_missing_file_of_omni3d(tmp_path: Path) -> None:
    with pytest.raises(EvaluationError, match=r"dmarsili/Omni3D-Bench .CC BY-NC 4\.0.*--data"):
        list(read_omni3d(tmp_path))


def test_another_file_than_omni3d(tmp_path: Path) -> None:
    with pytest.raises(EvaluationError, match="has no 'questions'"):
        list(read_omni3d(made.write_json(tmp_path, "annotations.json", [])))
