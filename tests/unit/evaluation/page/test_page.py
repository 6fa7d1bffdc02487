"""The page of a small evaluation: what it says, and that nothing in it can act."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import cv2
import numpy as np
import pytest

from scenemind.config import RelationConfig
from scenemind.evaluation.datasets import Question, ReferringExpression, ScanPose
from scenemind.evaluation.errors import EvaluationError
from scenemind.evaluation.objects_memory import ObjectsMemory
from scenemind.evaluation.page import write_report
from scenemind.evaluation.page.cases import worst_cases
from scenemind.evaluation.page.comparison import comparisons
from scenemind.evaluation.page.published import published_of
from scenemind.evaluation.page.scene_drawing import Marked, draw_scene
from scenemind.evaluation.predictions import AnswerPrediction, GroundingPrediction, Prediction
from scenemind.evaluation.result import Evaluation, Group, Score, ScoredRow
from scenemind.evaluation.scenes import Scenes
from scenemind.exchange import ObjectRow, scene_of_rows
from scenemind.geometry import Box3D
from scenemind.memory import MapObject, MemorySnapshot
from tests.unit.evaluation import made

HOSTILE = '<script>alert("x")</script>'
SCENES = ("scene0001_00", "scene0002_00")


def room() -> MemorySnapshot:
    rows = [
        ObjectRow(id=1, label="chair", center=(0, 1, 0.4), size=(0.5, 0.5, 0.8)),
        ObjectRow(id=2, label=HOSTILE, center=(2, 1, 0.4), size=(0.5, 0.5, 0.8)),
    ]
    return scene_of_rows(rows, RelationConfig())


class Room:
    """Source and truth at once: the same room for each scene."""

    name = "ground-truth objects"
    has_true_ids = True

    def check(self, scene_id: str) -> None: ...

    def opened(self, scene_id: str) -> AbstractContextManager[ObjectsMemory]:
        assert scene_id in SCENES
        return nullcontext(ObjectsMemory(room()))

    def get_objects(self, scene_id: str) -> Mapping[int, MapObject]:
        assert scene_id in SCENES
        return room().objects


def phrase(number: int, found: int, confidence: float, scene: int = 0) -> GroundingPrediction:
    box = room().objects[found].yaw_box
    row = ReferringExpression(f"row-{number}", SCENES[scene], f"{HOSTILE} chair {number}", 1)
    return GroundingPrediction(row, (found,), (box,), 1, 0.02, confidence, steps=HOSTILE)


PREDICTIONS: list[Prediction] = [
    phrase(0, 1, 0.9),
    phrase(1, 2, 0.5),
    phrase(2, 2, 0.8),
    phrase(3, 2, 0.7),
    phrase(4, 2, 0.6, scene=1),
]


def evaluation(predictions: list[Prediction], benchmark: str = "nr3d") -> Evaluation:
    """The object 1 is right; the last row is not scored."""
    rows = tuple(
        ScoredRow(
            one.row.row_id,
            one.row.scene_id,
            {"accuracy": None if k == len(predictions) - 1 else float(one.object_ids[:1] == (1,))},
            ("easy",),
            one.failure,
            one.seconds,
        )
        for k, one in enumerate(predictions)
    )
    score = Score(25.0, 4, 10.0, 60.0)
    return Evaluation(
        benchmark,
        "symbolic",
        "ground-truth objects",
        rows,
        {"accuracy": score, "acc_25": Score(None, 0)},
        {"easy": Group(5, {"accuracy": score, "acc_25": Score(None, 0)})},
        {"any object of the right class": {"accuracy": Score(50.0, 4, 40.0, 60.0)}},
        {"not_found": 2},
    )


class Tags(HTMLParser):
    """All tags, and where they would fetch something from."""

    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.sources: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.add(tag)
        self.sources += [value or "" for name, value in attrs if name in ("src", "href", "data")]

    def handle_data(self, data: str) -> None:
        self.text += f"{data} "


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Tags:
    folder = tmp_path_factory.mktemp("report")
    settings = {"policy": HOSTILE}
    path = write_report(folder, evaluation(PREDICTIONS), PREDICTIONS, Room(), Room(), settings)
    tags = Tags()
    tags.feed(path.read_text(encoding="utf-8"))
    return tags


def test_text_from_data_is_shown_and_never_run(page: Tags) -> None:
    assert "script" not in page.names
    assert page.text.count(HOSTILE) > 5


def test_nothing_is_fetched_from_elsewhere(page: Tags) -> None:
    assert all(source.startswith(("data:", "#")) for source in page.sources)
    assert "url(" not in page.text
    assert "@import" not in page.text


def test_input_intervals_and_failures_are_named(page: Tags) -> None:
    text = " ".join(page.text.split())
    assert "Input: ground-truth objects" in text
    assert "ORACLE" in text
    assert "25.0 (10.0 to 60.0)" in text
    assert "not scored" in text
    assert "not found 2 40.0 %" in text


def test_the_surest_wrong_rows_come_first_and_no_scene_fills_the_page() -> None:
    cases = worst_cases(evaluation(PREDICTIONS), PREDICTIONS, 10)
    assert [case.prediction.row.row_id for case in cases] == ["row-2", "row-3"]
    assert worst_cases(evaluation(PREDICTIONS[:1] * 2), PREDICTIONS[:1], 10) == []


def test_this_run_stands_above_the_published_numbers() -> None:
    (table,) = comparisons(evaluation(PREDICTIONS), published_of("nr3d"))
    assert table.heads[:2] == (("", "accuracy"), ("easy", "accuracy"))
    first, *others = table.lines
    assert (first.name, first.is_this) == ("symbolic", True)
    assert [cell.percent for cell in first.cells] == ["25.0", "25.0", "", "", ""]
    assert first.cells[0].detail == "10.0 to 60.0, n 4"
    assert not any(line.is_this for line in others)
    assert {line.name: line.cells[0].percent for line in others}["VLM-Grounder"] == "48"


def test_answers_have_a_page_also_where_no_scene_can_be_had(tmp_path: Path) -> None:
    row = Question("q-1", SCENES[0], f"What is {HOSTILE}?", ("a chair", "the chair"))
    said: list[Prediction] = [AnswerPrediction(row, "desk", 0.1, "It is a desk."), PREDICTIONS[0]]
    text = write_report(tmp_path, evaluation(said, "sqa3d"), said).read_text(encoding="utf-8")
    assert "a chair / the chair" in text
    assert "It is a desk." in text
    assert HOSTILE not in text


@pytest.mark.parametrize("has_alignment", [True, False])
def test_who_asks_stands_on_the_drawing_where_poses_can_be_turned(
    tmp_path: Path, has_alignment: bool
) -> None:
    alignment = {} if has_alignment else {"axis_alignment": None}
    truth = Scenes(made.write_objects(tmp_path, made.SCENE, **alignment))
    pose = ScanPose((0.5, 1.0, 0.0), (0.0, 0.0, 0.0, 1.0))
    row = Question("q-1", made.SCENE, "What is it?", ("a bed",), "I face the desk.", pose)
    said: list[Prediction] = [AnswerPrediction(row, "desk", 0.1), PREDICTIONS[0]]
    page = write_report(tmp_path / "out", evaluation(said, "sqa3d"), said, truth=truth)
    assert ("who asks, and where they look</title>" in page.read_text("utf-8")) == has_alignment


class NowhereElse:
    """A truth that has other scenes only."""

    def get_objects(self, scene_id: str) -> Mapping[int, MapObject]:
        raise EvaluationError(f"no scene {scene_id}")


def test_a_scene_that_the_truth_lacks_is_drawn_as_it_was_mapped(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    row = Question("q-1", SCENES[0], "What is it?", ("a chair",))
    said: list[Prediction] = [AnswerPrediction(row, "desk", 0.1, object_ids=(2,)), PREDICTIONS[0]]
    page = write_report(tmp_path, evaluation(said, "scanqa"), said, Room(), NowhereElse())
    text = page.read_text(encoding="utf-8")
    assert 'polygon class="found"' in text
    assert 'polygon class="true"' not in text
    assert "q-1 is drawn without true objects" in caplog.text


def test_the_photograph_that_a_question_is_about_is_shown(tmp_path: Path) -> None:
    image = np.full((60, 80, 3), 200, np.uint8)
    (tmp_path / "kitchen.png").write_bytes(cv2.imencode(".png", image)[1].tobytes())
    said: list[Prediction] = [
        AnswerPrediction(Question(name, name, "how many?", ("2",), image=name), "3", 0.1)
        for name in ("kitchen.png", "../kitchen.png", "lost.png", "unscored.png")
    ]
    page = write_report(tmp_path / "out", evaluation(said, "omni3d"), said, images=tmp_path)
    tags = Tags()
    tags.feed(page.read_text(encoding="utf-8"))
    (source,) = tags.sources
    jpeg = base64.b64decode(source.removeprefix("data:image/jpeg;base64,"))
    assert cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR).shape == (60, 80, 3)


def test_a_drawing_is_well_formed_and_shows_what_is_marked() -> None:
    box = Box3D((0.0, 1.0, 0.4), (0.5, 0.5, 0.8))
    drawing = draw_scene(room().objects, [Marked("true", HOSTILE, box)])
    root = ElementTree.fromstring(drawing)
    kinds = [shape.attrib["class"] for shape in root.iter() if shape.tag.endswith("polygon")]
    assert kinds == ["object", "object", "true"]
