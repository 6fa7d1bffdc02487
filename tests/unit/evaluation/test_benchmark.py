"""The choice of rows, and evaluations of predictions."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scenemind.evaluation import EvaluationError
from scenemind.evaluation.benchmark import check_truth, evaluate, get_benchmark, select_rows
from scenemind.evaluation.datasets import (
    Question,
    ReferringExpression,
    Row,
    read_nr3d,
    read_scanrefer,
    row_groups,
)
from scenemind.evaluation.datasets.referring_expressions import LABEL_TABLE
from scenemind.evaluation.predictions import AnswerPrediction, GroundingPrediction
from scenemind.evaluation.result import Evaluation
from scenemind.evaluation.scenes import Named, Scenes
from scenemind.evaluation.scorers import Uniqueness
from scenemind.geometry import Box3D
from scenemind.models import Usage
from tests.unit.evaluation import made

ROWS: list[Row] = [
    ReferringExpression(f"{k}", made.SCENE, "the bed", 4, k % 2 == 0, k % 3 == 0) for k in range(60)
]


def ids(rows: list[Row]) -> list[int]:
    return [int(row.row_id) for row in rows]


def test_a_limit_draws_the_same_rows_in_order() -> None:
    drawn = ids(select_rows(ROWS, row_groups, limit=10))
    assert drawn == ids(select_rows(ROWS, row_groups, limit=10)) == sorted(drawn)
    assert len(drawn) == 10
    assert drawn != ids(select_rows(ROWS, row_groups, limit=10, seed=1))
    assert select_rows(ROWS, row_groups) == select_rows(ROWS, row_groups, limit=100) == ROWS


def test_groups_are_of_all_that_are_named() -> None:
    easy = ids(select_rows(ROWS, row_groups, ["easy"]))
    assert easy == list(range(0, 60, 2))
    both = ids(select_rows(ROWS, row_groups, ["easy", "view_dependent"]))
    assert both == list(range(0, 60, 6))
    assert set(ids(select_rows(ROWS, row_groups, ["easy"], limit=5))) < set(easy)


def test_no_rows() -> None:
    with pytest.raises(EvaluationError, match="no rows"):
        select_rows([], row_groups)
    with pytest.raises(EvaluationError, match=r"group 'unique'; the groups of its file: easy,"):
        select_rows(ROWS, row_groups, ["unique"])
    with pytest.raises(EvaluationError, match="no row is in all of the groups easy, hard"):
        select_rows(ROWS, row_groups, ["easy", "hard"])


def test_every_row_has_an_id_of_its_own() -> None:
    with pytest.raises(EvaluationError, match=r"2 of 62 rows have the id .* the first is '7'"):
        select_rows([*ROWS, ROWS[7], ROWS[9]], row_groups)


def test_rows_that_ask_the_same_twice_are_counted_and_named(scenes: Scenes) -> None:
    """A file that was put together of parts may hold rows twice, under ids of their own."""
    found = [grounded(name, target, target) for name, target in zip("abc", (1, 2, 1), strict=True)]
    nr3d = get_benchmark("nr3d")
    notes = evaluate(nr3d, "symbolic", TRUE_OBJECTS, found, scenes).notes
    assert any("1 of 3 rows ask what an earlier row asks, the first is 'c'" in n for n in notes)
    assert len(evaluate(nr3d, "symbolic", TRUE_OBJECTS, found[:2], scenes).notes) < len(notes)


def test_requirements_of_rows_are_checked_before_the_run(tmp_path: Path) -> None:
    truth = Scenes(made.write_objects(tmp_path, axis_alignment=None))
    check_truth(ROWS, truth, with_poses=True)
    missing = ReferringExpression("x", made.SCENE, "the lamp", 77)
    with pytest.raises(EvaluationError, match="scene0001_00 has no object 77"):
        check_truth([missing], truth, with_poses=False)
    posed = made.read("sqa3d", made.write_sqa3d(tmp_path))
    check_truth(posed, truth, with_poses=False)
    with pytest.raises(EvaluationError, match="no axis_alignment"):
        check_truth(posed, truth, with_poses=True)
    check_truth([Question("q", "elsewhere", "?", ())], truth, with_poses=True)


TRUE_OBJECTS = Named("ground-truth objects", has_true_ids=True)
MAPPED = Named("mapped memories")


@pytest.fixture
def scenes(tmp_path: Path) -> Scenes:
    return Scenes(made.write_objects(tmp_path))


def grounded(
    row_id: str, target: int, found: int | None, shift_m: float = 0.0, tied: int = 1
) -> GroundingPrediction:
    """A prediction of one of the made room's objects, its box moved along x."""
    row = ReferringExpression(row_id, made.SCENE, "a thing", target)
    if found is None:
        return GroundingPrediction(row, (), (), 0, 0.5, failure="not_found")
    (x, y, z), size = made.OBJECTS[found]["center"], made.OBJECTS[found]["size"]
    return GroundingPrediction(row, (found,), (Box3D((x + shift_m, y, z), tuple(size)),), tied, 0.5)


def answered(
    row_id: str, kind: str, truth: str, answer: str, failure: str = ""
) -> AnswerPrediction:
    row = Question(row_id, made.SCENE, f"{row_id}?", (truth,) if truth else (), category=kind)
    return AnswerPrediction(row, answer, 0.5, failure=failure, usage=Usage(1, 10))


def percents(evaluation: Evaluation) -> dict[str, float | None]:
    return {name: score.percent for name, score in evaluation.scores.items()}


def test_groundings_on_true_objects(scenes: Scenes) -> None:
    found = [grounded("a", 1, 1), grounded("b", 1, 2, tied=2), grounded("c", 3, None)]
    evaluation = evaluate(get_benchmark("nr3d"), "symbolic", TRUE_OBJECTS, found, scenes)
    assert evaluation.primary == "accuracy"
    assert percents(evaluation) == pytest.approx(
        dict.fromkeys(("accuracy", "acc_25", "acc_50", "iou"), 100 / 3)
    )
    assert {name: group.n for name, group in evaluation.breakdown.items()} == {
        "multiple": 2,
        "tied": 1,
        "unique": 1,
    }
    # Two of the rows are about one of two chairs, one about the only desk.
    (baseline,) = evaluation.baselines.values()
    assert baseline["accuracy"].percent == pytest.approx((50 + 50 + 100) / 3)
    assert evaluation.failures == {"not_found": 1}
    times = (evaluation.seconds, evaluation.median_ms, evaluation.slowest_ms)
    assert times == (1.5, 500.0, 500.0)


def test_groundings_of_a_map_go_by_boxes_alone(scenes: Scenes) -> None:
    """Ids are the map's own: 1 for the true desk. Chairs are 0.5 m wide: the IoU of one moved by
    0.25 m is a third."""
    desk = grounded("a", 3, 3)
    found = [replace(desk, object_ids=(1,)), grounded("b", 1, 1, shift_m=0.25)]
    evaluation = evaluate(get_benchmark("nr3d"), "symbolic", MAPPED, found, scenes)
    assert percents(evaluation) == pytest.approx(
        {"acc_25": 100.0, "acc_50": 50.0, "iou": (100 + 100 / 3) / 2}
    )
    assert evaluation.primary == "acc_25"
    assert evaluation.source == "mapped memories"


def test_a_measured_box_counts_by_itself_though_its_object_is_right(scenes: Scenes) -> None:
    found = [grounded("a", 1, 1, shift_m=0.25)]
    evaluation = evaluate(get_benchmark("scanrefer"), "vlm_grounder", TRUE_OBJECTS, found, scenes)
    assert percents(evaluation) == pytest.approx(
        {"acc_25": 100.0, "accuracy": 100.0, "acc_50": 0.0, "iou": 100 / 3}
    )


def test_without_the_truth_boxes_have_no_score() -> None:
    found = [grounded("a", 1, 1), grounded("b", 1, 2)]
    evaluation = evaluate(get_benchmark("scanrefer"), "symbolic", TRUE_OBJECTS, found, None)
    assert percents(evaluation) == {"accuracy": 50.0}
    assert "--objects FILE" in evaluation.notes[0]
    mapped = evaluate(get_benchmark("scanrefer"), "symbolic", MAPPED, found, None)
    assert (mapped.scores, mapped.primary, mapped.reliability) == ({}, None, None)


@pytest.mark.parametrize(
    ("name", "metrics"),
    [
        ("openeqa", {"exact_match", "soft_match", "sense_match"}),
        ("sqa3d", {"exact_match", "refined_match", "soft_match", "sense_match"}),
    ],
)
def test_what_was_not_computed_is_nowhere_in_the_result(name: str, metrics: set[str]) -> None:
    """Nobody has judged, and a missing answer alone is no LLM-Match of 0."""
    found = [answered("1", "k", "lamp", "lamp"), answered("2", "other", "", "")]
    result = evaluate(get_benchmark(name), "memtree", MAPPED, found, None).as_json()
    assert result["scores"].keys() == result["scored"].keys() == metrics
    assert "exact_match" not in result["breakdown"]["other"], "its only row has no true answer"
    assert "null" not in json.dumps(result)
    assert "NaN" not in json.dumps(result)


def test_answers_are_scored_in_the_benchmarks_own_spelling() -> None:
    """ScanQA's answers have figures and no articles, SQA3D's have words."""
    said = {"scanqa": "Two chairs at the desk", "sqa3d": "2 chairs at the desk"}
    truth = {"scanqa": "2 chairs at desk", "sqa3d": "two chairs at desk"}
    for name in said:
        found = [answered("1", "how", truth[name], said[name])]
        evaluation = evaluate(get_benchmark(name), "symbolic", MAPPED, found, None)
        assert evaluation.scores["exact_match"].percent == 100.0
    other = [answered("1", "how", "two", "2")]
    openeqa = evaluate(get_benchmark("openeqa"), "symbolic", MAPPED, other, None)
    assert openeqa.scores["exact_match"].percent == 0.0, "its answers have both"


def test_confidences_are_compared_with_right_answers() -> None:
    """Failures, unscored rows and rows without a confidence count in no bin."""
    right, wrong = (answered("1", "is", "yes", said) for said in ("yes", "no"))
    found = [
        *(named(right, name, 0.9) for name in "abc"),
        *(named(wrong, name, 0.95) for name in "de"),
        named(wrong, "f", 0.3),
        named(right, "g", None),
        replace(named(right, "h", 0.9), failure="not_found"),
        named(answered("1", "is", "", "yes"), "i", 0.9),
    ]
    evaluation = evaluate(
        get_benchmark("sqa3d"), "symbolic", MAPPED, found, None, policy="balanced"
    )
    result = evaluation.as_json()
    assert (result["policy"], result["reliability"]["n"]) == ("balanced", 6)
    assert result["reliability"]["right_by"] == "sense_match"
    assert [(one["n"], one["right"]) for one in result["reliability"]["bins"]] == [(1, 0), (5, 60)]
    # One answer is 30 % off; five are 92 % sure on average, and 60 % of them are right.
    assert result["reliability"]["calibration_error"] == pytest.approx((30 + 5 * 32) / 6, abs=0.01)
    assert result["reliability"]["sure"] == {"n": 5, "right": 60.0}


def named(prediction: AnswerPrediction, row_id: str, confidence: float | None) -> AnswerPrediction:
    return replace(prediction, row=replace(prediction.row, row_id=row_id), confidence=confidence)


def test_unique_goes_by_scannets_classes_where_their_table_is(
    tmp_path: Path, scenes: Scenes
) -> None:
    """With it the bed is a chair, for once: then there are three."""
    found = [grounded("a", 4, 4)]
    bare = evaluate(get_benchmark("nr3d"), "symbolic", TRUE_OBJECTS, found, scenes)
    (tmp_path / LABEL_TABLE).write_text("raw_category\tnyu40class\nchair\tchair\nbed\tchair\n")
    classed = evaluate(get_benchmark("nr3d"), "symbolic", TRUE_OBJECTS, found, scenes)
    assert (*bare.breakdown, *classed.breakdown) == ("unique", "multiple")
    assert "by the labels themselves" in bare.notes[0]
    assert "18 classes" in classed.notes[0]


def test_unique_is_by_the_definition_of_vlm_grounder(shared_data: Path) -> None:
    """Its rows state it; without them it follows from the objects and the label table."""
    folder = shared_data / "annotations"
    rows = [row for read in (read_scanrefer, read_nr3d) for row in read(folder / "vlm-grounder")]
    assert len(rows) == 194
    uniqueness = Uniqueness(Scenes(folder / "scannet_objects.json.gz"))
    found = [uniqueness.is_unique(row.scene_id, row.target_id) for row in rows]
    assert found == [row.is_unique for row in rows]


def test_answers_by_words() -> None:
    found = [
        answered("1", "is", "yes", "yes"),
        answered("2", "is", "no", "yes"),
        answered("3", "is", "yes", "no"),
        answered("4", "what", "sofa", "couch"),
        answered("5", "what", "lamp", "", "not_understood"),
    ]
    evaluation = evaluate(get_benchmark("sqa3d"), "symbolic", TRUE_OBJECTS, found, None)
    assert (evaluation.primary, evaluation.n) == ("exact_match", 5)
    assert evaluation.scores["sense_match"].percent == pytest.approx(40.0)
    assert evaluation.scores["exact_match"].percent == pytest.approx(20.0)
    assert evaluation.breakdown["is"].scores["sense_match"].percent == pytest.approx(100 / 3)
    # "yes" for the kind "is", and one of the two answers for the kind "what".
    (commonest,) = evaluation.baselines.values()
    assert commonest["exact_match"].percent == pytest.approx(60.0)
    assert evaluation.failures == {"not_understood": 1}
    assert evaluation.usage == Usage(5, 50)


def test_questions_without_a_true_answer_stay_unscored() -> None:
    found = [answered("1", "what", "", "a lamp"), answered("2", "what", "lamp", "lamp")]
    evaluation = evaluate(get_benchmark("scanqa"), "symbolic", TRUE_OBJECTS, found, None)
    assert (evaluation.scores["exact_match"].percent, evaluation.scores["exact_match"].n) == (
        100,
        1,
    )
    assert evaluation.rows[0].scores["exact_match"] is None


def test_the_best_of_several_truths_counts() -> None:
    row = Question("1", made.SCENE, "?", ("dark grey", "brown"))
    found = [AnswerPrediction(row, "brown", 0.0)]
    evaluation = evaluate(get_benchmark("scanqa"), "symbolic", TRUE_OBJECTS, found, None)
    assert evaluation.scores["exact_match"].percent == 100.0


def test_judged_answers() -> None:
    """Marks of 5 and 2 are 100 and 25 percent. A missing answer is wrong; an unjudged one is not
    scored."""
    found = [answered(str(k), "k", "a lamp", "a light") for k in range(3)]
    found.append(answered("3", "k", "a lamp", ""))
    marks = {"0": 5.0, "1": 2.0}
    evaluation = evaluate(get_benchmark("openeqa"), "memtree", MAPPED, found, None, marks)
    score = evaluation.scores["llm_match"]
    assert (evaluation.primary, score.n) == ("llm_match", 3)
    assert score.percent == pytest.approx((100 + 25 + 0) / 3)
    others = evaluate(get_benchmark("sqa3d"), "memtree", MAPPED, found, None, marks)
    assert others.scores["llm_match"] == score


def test_omni3d_by_types() -> None:
    found = [
        answered("1", "count", "3", "three"),
        answered("2", "numeric (other)", "2.0", "2.24"),
        answered("3", "yes/no", "yes", "no"),
    ]
    evaluation = evaluate(get_benchmark("omni3d"), "vadar", Named("photographs"), found, None)
    assert evaluation.scores["vadar_score"].percent == pytest.approx((100 + 80 + 0) / 3)
    assert evaluation.breakdown["numeric (other)"].scores["vadar_score"].percent == pytest.approx(
        80
    )


def test_a_result_for_programs(scenes: Scenes) -> None:
    found = [grounded("a", 1, 1), grounded("b", 1, None)]
    evaluation = evaluate(get_benchmark("nr3d"), "symbolic", TRUE_OBJECTS, found, scenes)
    result = json.loads(json.dumps(evaluation.as_json()))
    assert (result["n"], result["scores"]["accuracy"], result["scored"]["accuracy"]) == (2, 50.0, 2)
    assert (result["scenes"], result["interval_95"]) == (1, {})
    assert "one scene" in result["no_interval"]["accuracy"]
    assert "a scene is the unit" in result["intervals"]
    assert (result["breakdown"]["multiple"]["n"], result["breakdown"]["multiple"]["iou"]) == (2, 50)
    assert result["baselines"]["any object of the right class"]["accuracy"] == 50.0


def test_nothing_to_evaluate() -> None:
    with pytest.raises(EvaluationError, match="no predictions"):
        evaluate(get_benchmark("nr3d"), "symbolic", TRUE_OBJECTS, [], None)


def test_a_target_that_is_not_there(scenes: Scenes) -> None:
    with pytest.raises(EvaluationError, match="scene0001_00 has no object 77"):
        evaluate(get_benchmark("nr3d"), "symbolic", TRUE_OBJECTS, [grounded("a", 77, None)], scenes)


ANSWERS = st.lists(
    st.tuples(
        st.sampled_from(["is", "what"]),
        st.sampled_from(["", "yes", "no", "a lamp", "2"]),
        st.sampled_from(["", "yes", "no", "lamp", "two"]),
    ),
    min_size=1,
    max_size=12,
)


@settings(deadline=None, max_examples=20)
@given(ANSWERS, st.randoms())
def test_the_order_of_predictions_is_irrelevant(
    rows: list[tuple[str, str, str]], chance: random.Random
) -> None:
    found = [answered(str(k), *row) for k, row in enumerate(rows)]
    sqa3d = get_benchmark("sqa3d")
    one = evaluate(sqa3d, "m", MAPPED, found, None)
    other = evaluate(sqa3d, "m", MAPPED, chance.sample(found, len(found)), None)
    assert one.as_json() == other.as_json()


@settings(deadline=None, max_examples=20)
@given(ANSWERS)
def test_rows_that_nobody_can_score_change_no_score(rows: list[tuple[str, str, str]]) -> None:
    found = [answered(str(k), *row) for k, row in enumerate(rows)]
    more = [answered(f"more {k}", "is", "", "yes") for k in range(3)]
    sqa3d = get_benchmark("sqa3d")
    few, many = (evaluate(sqa3d, "m", MAPPED, of, None) for of in (found, found + more))
    assert percents(few) == pytest.approx(percents(many), nan_ok=True)
    assert {name: score.n for name, score in few.scores.items()} == {
        name: score.n for name, score in many.scores.items()
    }
