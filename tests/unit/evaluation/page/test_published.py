"""Every published number, against the text of the paper that it is said to be in."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from scenemind.evaluation.page.published import PublishedTable, all_published, published_of

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


def test_a_benchmark_has_its_papers_tables() -> None:
    assert [table.table for table in published_of("scanrefer")] == ["Table 1", "Table 8", "Table 7"]
    assert published_of("simulation") == ()
    assert published_of("nr3d")[0].columns()[0] == ("all", "accuracy")
