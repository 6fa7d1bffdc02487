"""Every published number, against the text of the paper that it is said to be in."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from scenemind.evaluation.benchmark import get_benchmark
from scenemind.evaluation.datasets import Question, ReferringExpression
from scenemind.evaluation.datasets.omni3d import CHOICE, YES_NO
from scenemind.evaluation.metrics.vadar_score import COUNT, OTHER_NUMBER
from scenemind.evaluation.page.published import PublishedTable, all_published, published_of
from scenemind.evaluation.predictions import AnswerPrediction, GroundingPrediction, Prediction
from scenemind.evaluation.scene_source import Named
from scenemind.evaluation.scored import Material

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
    """Tables' lines and the numbers in them; what is in brackets is a reference or a difference."""
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


def test_who_was_given_true_boxes_is_said_to_have_been() -> None:
    """Of Table 8 its text says so (supplement, D.2): an upper bound."""
    (table,) = (one for one in published_of("scanrefer") if one.table == "Table 8")
    inputs = {method.name: method.input for method in table.methods}
    given = [name for name, text in inputs.items() if "ground-truth boxes" in text]
    assert given == ["ZS3DVG"]


def test_a_benchmark_has_its_papers_tables() -> None:
    assert [table.table for table in published_of("scanrefer")] == ["Table 1", "Table 8", "Table 7"]
    assert published_of("simulation") == ()
    assert published_of("nr3d")[0].columns()[0] == ("all", "accuracy")


@pytest.mark.parametrize("name", sorted({table.benchmark for table in all_published()}))
def test_metrics_are_those_of_the_benchmark(name: str) -> None:
    benchmark = get_benchmark(name)
    said: Prediction
    if benchmark.asks == "ground":
        said = GroundingPrediction(ReferringExpression("1", "scene", "a chair", 1), (), (), 0, 0.0)
    else:
        row = Question("1", "scene", "how many?", ("2",), category="count")
        said = AnswerPrediction(row, "2", 0.0)
    scored = benchmark.score([said], Material(Named("ground-truth objects", has_true_ids=True)))
    published = {metric for table in published_of(name) for _, metric in table.columns()}
    assert published <= set(scored.columns)


def test_groups_are_those_of_the_benchmark() -> None:
    episode = Question("1", "hm3d-v0/000-x", "what?", (), category="object recognition")
    assert {"scannet", "hm3d"} == {g for t in published_of("openeqa") for g, _ in t.columns()} - {
        "all"
    }
    assert "hm3d" in get_benchmark("openeqa").groups(episode)
    kinds = {COUNT, OTHER_NUMBER, YES_NO, CHOICE}
    assert {g for t in published_of("omni3d") for g, _ in t.columns()} == {*kinds, "all"}
