"""Which picture goes to which sheet: dynamic stitching."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple


class Layout(NamedTuple):
    """A grid of pictures of the same size, filled row by row."""

    rows: int
    columns: int

    @property
    def cells(self) -> int:
        return self.rows * self.columns

    def __str__(self) -> str:
        return f"{self.rows}x{self.columns}"


@dataclass(frozen=True, slots=True)
class SheetPlan:
    """One sheet.

    Attributes:
        first: number of its first picture, from 0.
        count: of its pictures, which follow each other; at least 1, at most `layout.cells`.
    """

    layout: Layout
    first: int
    count: int


def plan_sheets(count: int, most_sheets: int, layouts: Sequence[Layout]) -> tuple[SheetPlan, ...]:
    """Every picture once, in order, on as few pictures a sheet as the limit allows (VLM-Grounder,
    section 3.2 and Algorithm 1, there for four layouts).

    Sheets come by growing layout, and only one of the largest has room left. Where even sheets of
    the largest layout are too many, all pictures go on such sheets, over the limit, and those left
    over on one sheet of the smallest layout that takes them.

    Args:
        count: of pictures; none need no sheet, of which Algorithm 1 says nothing.
        most_sheets: the limit L.
        layouts: of growing `cells`.

    Raises:
        ValueError: a limit below 1, no layout, or one that is no larger than the one before it.
    """
    if most_sheets < 1:
        raise ValueError(f"pictures need at least one sheet, got {most_sheets}")
    sizes = [0, *(layout.cells for layout in layouts)]
    if not layouts or any(larger <= smaller for smaller, larger in pairwise(sizes)):
        raise ValueError(f"layouts must grow, got {', '.join(map(str, layouts)) or 'none'}")
    largest = layouts[-1]
    if count <= largest.cells * most_sheets:
        return _filled(0, count, _sheets_by_layout(count, most_sheets, layouts), layouts)
    whole = count // largest.cells
    first = whole * largest.cells
    rest = _sheets_by_layout(count - first, 1, layouts)
    return (
        *(SheetPlan(largest, sheet * largest.cells, largest.cells) for sheet in range(whole)),
        *_filled(first, count - first, rest, layouts),
    )


def _sheets_by_layout(count: int, sheets: int, layouts: Sequence[Layout]) -> list[int]:
    """Of each layout, from the largest: as few as leave no more than the next smaller can take."""
    needed = [0] * len(layouts)
    for place in range(len(layouts) - 1, 0, -1):
        smaller, larger = layouts[place - 1].cells, layouts[place].cells
        needed[place] = max(0, -(-(count - smaller * sheets) // (larger - smaller)))
        count = max(0, count - larger * needed[place])
        sheets -= needed[place]
    needed[0] = sheets
    return needed


def _filled(
    first: int, count: int, needed: Sequence[int], layouts: Sequence[Layout]
) -> tuple[SheetPlan, ...]:
    """Sheets one after the other until no picture is left."""
    plans, end = [], first + count
    for layout, sheets in zip(layouts, needed, strict=True):
        for _ in range(sheets):
            if first == end:
                break
            here = min(layout.cells, end - first)
            plans.append(SheetPlan(layout, first, here))
            first += here
    return tuple(plans)
