"""The page of an evaluation, with tables of papers."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import cv2
import numpy as np
import pytest

from scenemind.config import RelationConfig
from scenemind.errors import EvaluationError
from scenemind.evaluation.benchmark import get_benchmark
from scenemind.evaluation.datasets import Question, ReferringExpression, ScanPose
from scenemind.evaluation.datasets.questions import CHOICE, COUNT, OTHER_NUMBER, YES_NO
from scenemind.evaluation.metrics.captions import CAPTION_METRICS
from scenemind.evaluation.page import PictureSources, write_report
from scenemind.evaluation.page.page import PublishedTable, all_published, comparisons, published_of
from scenemind.evaluation.page.pictures import Marked, draw_scene, worst_cases
from scenemind.evaluation.predictions import AnswerPrediction, GroundingPrediction, Prediction
from scenemind.evaluation.reliability import Reliability, ReliabilityBin
from scenemind.evaluation.result import Evaluation, Group, Score, ScoredRow, ScoringContext
from scenemind.evaluation.scenes import Named, Scenes
from scenemind.evaluation.sources import ObjectsMemory
from scenemind.exchange import ObjectRow, scene_of_rows
from scenemind.geometry import Box3D
from scenemind.memory import MapObject, MemorySnapshot
from tests.unit.evaluation import made

FILES = {
    "VLM-Grounder": "vlm_grounder.txt",
    "LLM-TPC": "llm_tpc.txt",
    "MemTree3D": "memtree3d.txt",
    "SynergAI": "synergai.txt",
    "VADAR": "vadar.txt",
}
# As the texts write them; "LLM-Grouner" is a slip of the paper's.
WRITTEN = {
    "LLM-Grounder": "LLM-Groun",
    "SynergAI": "Ours",
    "MemTree3D with Qwen3-8B": "Qwen3-8B*",
    "MemTree3D": "w/ MemTree3D",
}


def lines_with_numbers(path: Path) -> list[tuple[str, list[float]]]:
    """Lines of tables and their numbers; those in brackets are references or differences."""
    found = []
    for line in path.read_text(encoding="utf-8").splitlines():
        plain = re.sub(r"\[\d+\]|\([^)]*\)", "", line)
        found.append((line, [float(text) for text in re.findall(r"\d+(?:\.\d+)?", plain)]))
    return found


@pytest.mark.parametrize("table", all_published(), ids=lambda t: f"{t.paper}-{t.table[:9]}")
def test_numbers_are_side_by_side_in_a_line_of_the_paper(
    table: PublishedTable, shared_data: Path
) -> None:
    papers = shared_data.parent / "papers"
    if not papers.is_dir():
        pytest.skip(f"no texts of the papers at {papers}")
    lines = lines_with_numbers(papers / FILES[table.paper])
    for method in table.methods:
        named = next((WRITTEN[name] for name in WRITTEN if method.name.startswith(name)), None)
        start = named or method.name.split(" ")[0]
        wanted = [score for scores in method.scores.values() for score in scores.values()]
        assert any(
            start in line and follow_each_other(wanted, numbers) for line, numbers in lines
        ), f"{method.name}: {wanted}"


def follow_each_other(wanted: list[float], numbers: list[float]) -> bool:
    """Also in the same order: a number in the wrong column would not."""
    starts = range(len(numbers) - len(wanted) + 1)
    return any(numbers[start : start + len(wanted)] == wanted for start in starts)


def test_methods_with_true_boxes_are_marked() -> None:
    """Table 8 gives an upper bound with true boxes (supplement, D.2)."""
    (table,) = (one for one in published_of("scanrefer") if one.table == "Table 8")
    inputs = {method.name: method.input for method in table.methods}
    given = [name for name, text in inputs.items() if "ground-truth boxes" in text]
    assert given == ["ZS3DVG"]


def test_a_benchmark_has_its_papers_tables() -> None:
    assert [table.table for table in published_of("scanrefer")] == ["Table 1", "Table 8", "Table 7"]
    assert published_of("simulation") == ()
    assert published_of("nr3d")[0].columns()[0] == ("all", "accuracy")


@pytest.mark.parametrize("name", sorted({table.benchmark for table in all_published()}))
def test_metrics_are_those_of_the_benchmark(name: str, tmp_path: Path) -> None:
    """By all that a run may be given: true objects, and a judge's marks."""
    benchmark = get_benchmark(name)
    truth = Scenes(made.write_objects(tmp_path))
    said: Prediction = GroundingPrediction(
        ReferringExpression("1", made.SCENE, "a chair", 1), (), (), 0, 0.0
    )
    if benchmark.asks == "answer":
        row = Question("1", made.SCENE, "how many?", ("2",), category="count")
        said = AnswerPrediction(row, "2", 0.0)
    source = Named("ground-truth objects", has_true_ids=True)
    marks = {"1": 5.0} if name == "openeqa" else {}
    scored = benchmark.score([said], ScoringContext(source, truth, marks))
    published = {metric for table in published_of(name) for _, metric in table.columns()}
    assert published <= {*scored.columns, *CAPTION_METRICS}


def test_groups_are_those_of_the_benchmark() -> None:
    episode = Question("1", "hm3d-v0/000-x", "what?", (), category="object recognition")
    assert {"scannet", "hm3d"} == {g for t in published_of("openeqa") for g, _ in t.columns()} - {
        "all"
    }
    assert "hm3d" in get_benchmark("openeqa").groups(episode)
    kinds = {COUNT, OTHER_NUMBER, YES_NO, CHOICE}
    assert {g for t in published_of("omni3d") for g, _ in t.columns()} == {*kinds, "all"}


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
    """The object 1 is right; the last row is not scored, and the row that is tied neither."""
    main = "accuracy" if benchmark == "nr3d" else "exact_match"
    rows = tuple(
        ScoredRow(
            one.row.row_id,
            one.row.scene_id,
            {main: None if k == len(predictions) - 1 else float(one.object_ids[:1] == (1,))},
            ("easy",),
            one.failure,
            one.seconds,
        )
        for k, one in enumerate(predictions)
    )
    score = Score(25.0, 4, (10.0, 60.0))
    return Evaluation(
        benchmark,
        "symbolic",
        "ground-truth objects",
        rows,
        {main: score, "acc_25": Score(20.0, 1)},
        {"easy": Group(5, {main: score}), "tied": Group(1, {})},
        {"any object of the right class": {main: Score(50.0, 4, (40.0, 60.0))}},
        {"not_found": 2},
        policy="balanced",
        reliability=Reliability(main, (ReliabilityBin(0.7, 0.8, 4, 75.0, 25.0),)),
    )


class Tags(HTMLParser):
    """A parser that notes all tags and the addresses that they fetch from."""

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
    path = write_report(
        folder, evaluation(PREDICTIONS), PREDICTIONS, PictureSources(Room(), Room()), settings
    )
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
    assert "over scenes: a scene is the unit" in text
    assert "Scores without an interval: all its rows are of one scene" in text
    assert "not found 2 40.0 %" in text


def test_confidence_stands_beside_the_truth(page: Tags) -> None:
    text = " ".join(page.text.split())
    assert "Confidence, policy balanced" in text
    assert "70% to 80% sure 4 25.0 right, 75.0 sure" in text
    assert "differ by 50.0 percent on average" in text


def test_nothing_unmeasured_is_printed(page: Tags, tmp_path: Path) -> None:
    nothing = replace(
        evaluation(PREDICTIONS), scores={}, breakdown={}, baselines={}, reliability=None
    )
    empty = Tags()
    empty.feed(write_report(tmp_path, nothing, PREDICTIONS).read_text(encoding="utf-8"))
    assert "No row could be scored" in empty.text
    for shown in (page, empty):
        assert not re.search(r"\b(nan|None)\b", shown.text)
        assert not {"-", "\u2013"} & {cell.strip() for cell in shown.text.split("  ")}


def test_the_surest_wrong_rows_come_first_and_no_scene_fills_the_page() -> None:
    cases = worst_cases(evaluation(PREDICTIONS), PREDICTIONS, 10)
    assert [case.prediction.row.row_id for case in cases] == ["row-2", "row-3"]
    assert worst_cases(evaluation(PREDICTIONS[:1] * 2), PREDICTIONS[:1], 10) == []


def test_this_run_stands_above_the_published_numbers() -> None:
    (table,) = comparisons(evaluation(PREDICTIONS), published_of("nr3d"))
    assert table.heads == (("", "accuracy"), ("easy", "accuracy")), "what was scored, and no more"
    first, *others = table.lines
    assert (first.name, first.is_this) == ("symbolic", True)
    assert [cell.percent for cell in first.cells] == ["25.0", "25.0"]
    assert first.cells[0].detail == "10.0 to 60.0, n 4"
    assert not any(line.is_this for line in others)
    assert {line.name: line.cells[0].percent for line in others}["VLM-Grounder"] == "48"


def test_answers_have_a_page_without_any_scene(tmp_path: Path) -> None:
    row = Question("q-1", SCENES[0], f"What is {HOSTILE}?", ("a chair", "the chair"))
    said: list[Prediction] = [AnswerPrediction(row, "desk", 0.1, "It is a desk."), PREDICTIONS[0]]
    text = write_report(tmp_path, evaluation(said, "sqa3d"), said).read_text(encoding="utf-8")
    assert "a chair / the chair" in text
    assert "It is a desk." in text
    assert HOSTILE not in text


@pytest.mark.parametrize("has_alignment", [True, False])
def test_drawing_shows_the_agent_where_poses_can_be_turned(
    tmp_path: Path, has_alignment: bool
) -> None:
    alignment = {} if has_alignment else {"axis_alignment": None}
    truth = Scenes(made.write_objects(tmp_path, made.SCENE, **alignment))
    pose = ScanPose((0.5, 1.0, 0.0), (0.0, 0.0, 0.0, 1.0))
    row = Question("q-1", made.SCENE, "What is it?", ("a bed",), "I face the desk.", pose)
    said: list[Prediction] = [AnswerPrediction(row, "desk", 0.1), PREDICTIONS[0]]
    page = write_report(
        tmp_path / "out", evaluation(said, "sqa3d"), said, PictureSources(truth=truth)
    )
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
    sources = PictureSources(Room(), NowhereElse())
    page = write_report(tmp_path, evaluation(said, "scanqa"), said, sources)
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
    sources = PictureSources(images=tmp_path)
    page = write_report(tmp_path / "out", evaluation(said, "omni3d"), said, sources)
    tags = Tags()
    tags.feed(page.read_text(encoding="utf-8"))
    (source,) = tags.sources
    jpeg = base64.b64decode(source.removeprefix("data:image/jpeg;base64,"))
    assert cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR).shape == (60, 80, 3)


def test_a_drawing_is_well_formed_and_shows_marked_objects() -> None:
    box = Box3D((0.0, 1.0, 0.4), (0.5, 0.5, 0.8))
    drawing = draw_scene(room().objects, [Marked("true", HOSTILE, box)])
    root = ElementTree.fromstring(drawing)
    kinds = [shape.attrib["class"] for shape in root.iter() if shape.tag.endswith("polygon")]
    assert kinds == ["object", "object", "true"]
