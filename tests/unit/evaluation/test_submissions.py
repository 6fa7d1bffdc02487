"""Files for the benchmarks' own evaluations."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from scenemind.evaluation import EvaluationError
from scenemind.evaluation.benchmark import BENCHMARKS
from scenemind.evaluation.datasets import Question, ReferringExpression
from scenemind.evaluation.predictions import AnswerPrediction, GroundingPrediction
from scenemind.evaluation.rooms import TrueRooms, simulation_benchmark
from scenemind.evaluation.submissions import SUBMISSIONS, write_submission
from scenemind.geometry import Box3D
from tests.unit.evaluation import made

BOX = Box3D((1.0, 2.0, 0.5), (0.4, 0.6, 1.0))
EXPRESSION = ReferringExpression("scene0011_00-7-2", "scene0011_00", "the chair", 7)
FOUND = GroundingPrediction(EXPRESSION, (9,), (BOX,), 1, 0.0)
NOTHING = GroundingPrediction(EXPRESSION, (), (), 0, 0.0, failure="not_found")


def test_every_benchmark_has_one() -> None:
    assert SUBMISSIONS.keys() == BENCHMARKS.keys()


def test_scanrefer_gets_corners() -> None:
    rows = json.loads(SUBMISSIONS["scanrefer"].text([FOUND, NOTHING]))
    named = {"scene_id": "scene0011_00", "object_id": "7", "ann_id": "2"}
    assert all(named.items() <= row.items() for row in rows)
    corners = np.array(rows[0]["bbox"])
    assert corners.shape == (8, 3)
    np.testing.assert_allclose(corners.min(axis=0), (0.8, 1.7, 0.0))
    np.testing.assert_allclose(corners.max(axis=0), (1.2, 2.3, 1.0))
    assert not np.any(rows[1]["bbox"])


@pytest.mark.parametrize(("is_unique", "expected"), [(True, 0), (False, 1)])
def test_scanrefer_counts_a_unique_object_as_0(is_unique: bool, expected: int) -> None:
    row = replace(EXPRESSION, is_unique=is_unique)
    (written,) = json.loads(SUBMISSIONS["scanrefer"].text([replace(FOUND, row=row)]))
    assert written["unique_multiple"] == expected


def test_scanrefer_rows_of_zsvg3d_have_no_annotation_to_name() -> None:
    row = ReferringExpression("scene0011_00-7-2", "scene0011_00", "x", 7, program="BOX0=LOC()")
    assert SUBMISSIONS["scanrefer"].text([GroundingPrediction(row, (), (), 0, 0.0)]) == "[]"


@pytest.mark.parametrize("name", ["nr3d", "sr3d"])
def test_referit3d_gets_ids(name: str) -> None:
    lines = list(csv.DictReader(io.StringIO(SUBMISSIONS[name].text([FOUND, NOTHING]))))
    assert [line["predicted_id"] for line in lines] == ["9", "-1"]
    assert lines[0]["row"] == EXPRESSION.row_id


def test_scanqa() -> None:
    row = Question("val-1", "scene0011_00", "What is there?", ())
    found = AnswerPrediction(row, "desk", 0.0, object_ids=(3,), boxes=(BOX,))
    said, nothing = json.loads(
        SUBMISSIONS["scanqa"].text([found, AnswerPrediction(row, "no", 0.0)])
    )
    assert said["question_id"] == "val-1"
    assert said["scene_id"] == "scene0011_00"
    assert said["answer_top10"] == ["desk"]
    np.testing.assert_allclose(np.max(said["bbox"], axis=0), (1.2, 2.3, 1.0))
    assert np.array(nothing["bbox"]).shape == (8, 3)


def test_sqa3d_gets_the_pose_as_the_annotation_writes_it(tmp_path: Path) -> None:
    """Its script finds the question by the text of this dictionary: 0 must not become 0.0."""
    (row,) = made.read("sqa3d", made.write_sqa3d(tmp_path))
    assert isinstance(row, Question)
    (said,) = json.loads(SUBMISSIONS["sqa3d"].text([AnswerPrediction(row, "two", 0.0)]))
    assert str(said["agent_rot"]) == str({"_x": 0, "_y": 0, "_z": 0, "_w": 1})
    assert str(said["agent_pos"]) == str({"x": 0.5, "y": 1, "z": 0})
    assert (said["situation"], said["answer"]) == ("I am facing the desk.", "two")


def test_poses_of_the_real_annotations_are_written_as_they_stand(shared_data: Path) -> None:
    folder = shared_data / "annotations" / "sqa3d"
    rows = made.read("sqa3d", folder)
    said = json.loads(
        SUBMISSIONS["sqa3d"].text(
            [AnswerPrediction(row, "", 0.0) for row in rows if isinstance(row, Question)]
        )
    )
    (path,) = folder.glob("*annotations*")
    true = {one["question_id"]: one for one in json.loads(path.read_text())["annotations"]}
    same = [
        str(one["agent_rot"]) == str(true[one["question_id"]]["rotation"])
        and str(one["agent_pos"]) == str(true[one["question_id"]]["position"])
        for one in said
    ]
    assert all(same)


def test_openeqa_gets_null_for_no_answer() -> None:
    row = Question("uuid", "hm3d-v0/000", "What is there?", ())
    said = json.loads(
        SUBMISSIONS["openeqa"].text(
            [AnswerPrediction(row, "a bed", 0.0), AnswerPrediction(row, "", 0.0)]
        )
    )
    assert said == [
        {"question_id": "uuid", "answer": "a bed"},
        {"question_id": "uuid", "answer": None},
    ]


def test_omni3d_names_the_picture() -> None:
    row = Question("3-1", "room.png", "How wide is the desk?", (), image="room.png")
    (said,) = json.loads(SUBMISSIONS["omni3d"].text([AnswerPrediction(row, "1.2", 0.0)]))
    assert said == {
        "row": "3-1",
        "image_filename": "room.png",
        "question": "How wide is the desk?",
        "answer": "1.2",
    }


def test_text_of_any_kind_stays_within_its_place(tmp_path: Path) -> None:
    row = Question("q", "scene", '"}] \ud800\n', ())
    path = write_submission(
        BENCHMARKS["omni3d"], [AnswerPrediction(row, "\u2028</script>", 0.0)], tmp_path
    )
    assert path is not None
    (said,) = json.loads(path.read_text())
    assert (said["question"], said["answer"]) == (row.question, "\u2028</script>")


def test_names_of_any_script_are_written(tmp_path: Path) -> None:
    row = ReferringExpression("scene-\u6905-1", "sc\u00e8ne", "the chair", 7)
    found = GroundingPrediction(row, (9,), (BOX,), 1, 0.0)
    path = write_submission(BENCHMARKS["nr3d"], [found], tmp_path)
    assert path is not None
    (line,) = csv.DictReader(io.StringIO(path.read_text(encoding="utf-8")))
    assert (line["row"], line["scan_id"]) == (row.row_id, row.scene_id)


def test_answers_are_submitted_as_the_benchmark_spells_them(tmp_path: Path) -> None:
    row = Question("val-1", "scene0011_00", "How many chairs are there?", ())
    found = AnswerPrediction(row, "two at the desk", 0.0)
    path = write_submission(BENCHMARKS["scanqa"], [found], tmp_path)
    assert path is not None
    (said,) = json.loads(path.read_text())
    assert said["answer_top10"] == ["2 at desk"]


def test_a_benchmark_that_takes_none(tmp_path: Path) -> None:
    simulation = simulation_benchmark(["sim:1"], TrueRooms())
    assert write_submission(simulation, [], tmp_path) is None
    with pytest.raises(EvaluationError, match="cannot be written"):
        write_submission(BENCHMARKS["openeqa"], [], tmp_path / "nowhere")
