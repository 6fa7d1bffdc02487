"""Layouts of sheets: by setting, and as measured for a model."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenemind.config import ConfigError
from scenemind.config.reasoning import VlmGrounderConfig
from scenemind.reasoning.vlm_grounder.measured_layouts import (
    LayoutScore,
    MeasuredLayouts,
    best_layouts,
    layouts_of,
)
from scenemind.reasoning.vlm_grounder.stitching import Layout, SheetPlan, plan_sheets
from tests.unit.reasoning.vlm_grounder.algorithm_1 import Stitched, dynamic_stitching

PAPERS = tuple(Layout(*pair) for pair in ((4, 1), (2, 4), (8, 2), (9, 3)))
growing = st.lists(st.integers(1, 60), min_size=1, max_size=6, unique=True).map(
    lambda sizes: [Layout(size, 1) for size in sorted(sizes)]
)


def pictures(plan: SheetPlan) -> range:
    return range(plan.first, plan.first + plan.count)


def stitched(count: int, limit: int) -> list[Stitched]:
    return [(tuple(p.layout), list(pictures(p))) for p in plan_sheets(count, limit, PAPERS)]


@pytest.mark.parametrize("limit", range(1, 11))
def test_it_is_the_papers_algorithm(limit: int) -> None:
    for count in range(401):
        assert stitched(count, limit) == dynamic_stitching(list(range(count)), limit), count


def test_examples_that_the_paper_works_out() -> None:
    """40 pictures in section 3.2, 84 in supplement A."""
    assert [p.layout for p in plan_sheets(40, 6, PAPERS)] == [*PAPERS[:1] * 2, *PAPERS[1:2] * 4]
    plans = plan_sheets(84, 6, PAPERS)
    assert [p.layout for p in plans] == [PAPERS[0], *PAPERS[2:3] * 5]
    assert [p.count for p in plans] == [4, 16, 16, 16, 16, 16]


def test_beyond_the_limit_the_largest_come_first_and_one_sheet_takes_the_rest() -> None:
    plans = plan_sheets(27 * 6 + 27 + 5, 6, PAPERS)
    assert [p.layout for p in plans] == [*PAPERS[3:] * 7, PAPERS[1]]
    assert plans[-1].count == 5


def test_its_layouts_are_the_usual_ones() -> None:
    assert layouts_of(VlmGrounderConfig()) == PAPERS


@given(st.integers(0, 400), st.integers(1, 10), growing)
def test_any_layouts_hold_every_picture_once_and_in_order(
    count: int, limit: int, layouts: list[Layout]
) -> None:
    plans = plan_sheets(count, limit, layouts)
    assert [number for plan in plans for number in pictures(plan)] == list(range(count))
    assert all(1 <= plan.count <= plan.layout.cells for plan in plans)


@given(st.integers(1, 400), st.integers(1, 10), growing)
def test_within_the_limit_if_it_can_be_and_no_larger_than_needed(
    count: int, limit: int, layouts: list[Layout]
) -> None:
    plans = plan_sheets(count, limit, layouts)
    largest = layouts[-1].cells
    if count > largest * limit:
        assert len(plans) == -(-count // largest)
        return
    assert len(plans) <= limit
    used = [plan.layout.cells for plan in plans]
    assert used == sorted(used)
    enough = next(layout.cells for layout in layouts if layout.cells * limit >= count)
    assert max(used) == enough
    for plan in plans:  # only the largest may have room left
        assert plan.count == plan.layout.cells or plan.layout.cells == enough
    assert sum(plan.count < plan.layout.cells for plan in plans) <= 1


@pytest.mark.parametrize(
    ("limit", "layouts", "complaint"),
    [
        (0, PAPERS, "at least one sheet, got 0"),
        (6, (), "got none"),
        (6, PAPERS[::-1], "must grow, got 9x3, 8x2"),
        (6, (Layout(2, 4), Layout(4, 2)), "must grow"),
        (6, (Layout(0, 4),), "must grow"),
    ],
)
def test_layouts_without_a_plan_are_refused(
    limit: int, layouts: tuple[Layout, ...], complaint: str
) -> None:
    with pytest.raises(ValueError, match=complaint):
        plan_sheets(10, limit, layouts)


def score(rows: int, columns: int, recalled: int, failed: int = 0, sheets: int = 1) -> LayoutScore:
    """The layouts of 100 pictures in ten requests."""
    failures = {"too_late": failed} if failed else {}
    return LayoutScore(
        rows=rows,
        columns=columns,
        sheets=sheets,
        requests=10,
        failed=failures,
        pictures=100,
        recalled=recalled,
    )


def written(folder: Path, scores: list[LayoutScore], *, is_whole: bool = True) -> VlmGrounderConfig:
    file = MeasuredLayouts(
        model="seer",
        longest_px=2048,
        picture_px=(640, 480),
        seed=0,
        is_whole=is_whole,
        scores=scores,
    )
    path = folder / "layouts.json"
    path.write_text(file.model_dump_json())
    return VlmGrounderConfig(layouts_file=str(path))


def test_those_with_little_loss_by_growing_size(tmp_path: Path) -> None:
    scores = [score(9, 3, 96), score(4, 1, 100), score(5, 5, 90), score(2, 4, 98)]
    assert layouts_of(written(tmp_path, scores)) == (Layout(4, 1), Layout(2, 4), Layout(9, 3))


def test_loss_is_over_all_lengths() -> None:
    scores = [score(4, 1, 100), score(8, 2, 100), score(8, 2, 80, sheets=6)]
    assert best_layouts(scores) == (Layout(4, 1),)


def test_of_one_size_the_better_stays() -> None:
    assert best_layouts([score(2, 4, 97), score(4, 2, 98), score(8, 1, 98)]) == (Layout(4, 2),)


def test_layout_that_mostly_failed_is_not_used() -> None:
    scores = [score(4, 1, 95), score(2, 4, 100, failed=6), score(8, 2, 94, failed=5)]
    assert best_layouts(scores) == (Layout(4, 1), Layout(8, 2))


def test_a_model_that_reads_nothing_well_still_has_its_best() -> None:
    assert best_layouts([score(4, 1, 20), score(2, 4, 3)]) == (Layout(4, 1),)


@pytest.mark.parametrize("failed", [0, 10], ids=["blind", "no answers"])
def test_where_nothing_was_read_the_file_is_refused(tmp_path: Path, failed: int) -> None:
    with pytest.raises(ConfigError, match=r"layouts\.json: of no layout anything was read"):
        layouts_of(written(tmp_path, [score(4, 1, 0, failed=failed)]))


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "model: Field required"),
        ("{", "is not YAML"),
        ('{"version": 2}', "version"),
        ('{"model": "seer", "scores": []}', "scores"),
        ('{"scores": [{"colums": 3}]}', r"there is no setting scores\.0\.colums"),
    ],
)
def test_a_damaged_file_is_refused(tmp_path: Path, text: str, complaint: str) -> None:
    path = tmp_path / "layouts.json"
    path.write_text(text)
    with pytest.raises(ConfigError, match=complaint):
        layouts_of(VlmGrounderConfig(layouts_file=str(path)))


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no configuration at"):
        layouts_of(VlmGrounderConfig(layouts_file=str(tmp_path / "none.json")))


def test_a_file_of_another_model_is_refused(tmp_path: Path) -> None:
    config = written(tmp_path, [score(4, 1, 95)])
    assert layouts_of(config, "seer") == layouts_of(config) == (Layout(4, 1),)
    with pytest.raises(ConfigError, match=r"measured with 'seer', and the vision model is 'other'"):
        layouts_of(config, "other")


def test_a_file_of_an_interrupted_measurement_is_refused(tmp_path: Path) -> None:
    config = written(tmp_path, [score(4, 1, 95)], is_whole=False)
    with pytest.raises(ConfigError, match=r"layouts\.json: the measurement was ended before"):
        layouts_of(config, "seer")


def test_more_was_recalled_than_shown() -> None:
    with pytest.raises(ValueError, match="more was recalled"):
        score(4, 1, 101)


def test_layouts_that_are_set_are_sorted() -> None:
    config = VlmGrounderConfig(layouts=[(3, 3), (1, 1), (5, 2)])
    assert layouts_of(config) == (Layout(1, 1), Layout(3, 3), Layout(5, 2))


@pytest.mark.parametrize("layouts", [[], [(0, 4)], [(2, 4), (4, 2)]])
def test_impossible_layouts_are_refused(layouts: list[tuple[int, int]]) -> None:
    with pytest.raises(ConfigError, match=r"vlm_grounder\.layouts: "):
        layouts_of(VlmGrounderConfig(layouts=layouts))
