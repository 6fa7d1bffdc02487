"""Dynamic stitching against the paper's pseudo-code, and for layouts that it does not know."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenemind.config.vlm_grounder import VlmGrounderConfig
from scenemind.reasoning.vlm_grounder.stitching import Layout, SheetPlan, layouts_of, plan_sheets
from tests.unit.reasoning.vlm_grounder.stitching.algorithm_1 import Stitched, dynamic_stitching

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
def test_what_cannot_be_planned_is_refused(
    limit: int, layouts: tuple[Layout, ...], complaint: str
) -> None:
    with pytest.raises(ValueError, match=complaint):
        plan_sheets(10, limit, layouts)
