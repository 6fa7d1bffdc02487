"""Dynamic stitching (VLM-Grounder, section 3.2 and Algorithm 1): many pictures on few sheets."""

from __future__ import annotations

import logging
import os
from collections import Counter
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, pairwise
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from scenemind.frames.images import find_file_size


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
    """The content of one sheet.

    Attributes:
        first: number of its first picture, from 0.
        count: number of its pictures, at least 1, at most `layout.cells`.
    """

    layout: Layout
    first: int
    count: int


def plan_sheets(count: int, most_sheets: int, layouts: Sequence[Layout]) -> tuple[SheetPlan, ...]:
    """Every picture once, in order, on as few pictures a sheet as the limit allows (VLM-Grounder,
    section 3.2 and Algorithm 1, there for four layouts).

    Sheets come by growing layout, and only one of the largest has room left. Where even sheets of
    the largest layout are too many, all pictures go on such sheets, over the limit, and the
    remaining ones on one sheet of the smallest layout that holds them.

    Args:
        count: number of pictures; 0 gives no sheet.
        most_sheets: the limit L.
        layouts: of growing `cells`.

    Raises:
        ValueError: a limit below 1, no layout, or layouts that do not grow.
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
    """The number of sheets of each layout: from the largest layout down, as few as leave no more
    pictures than the next smaller one holds."""
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


_log = logging.getLogger(__name__)
_JPEG_QUALITY = 85


def draw_sheets(
    jpegs: Sequence[bytes], ids: Sequence[str], plans: Sequence[SheetPlan], longest_px: int
) -> tuple[bytes, ...]:
    """Sheets as JPEG files, drawn on all cores: pictures row by row in cells of one size, each with
    its ID in the top-left corner (VLM-Grounder, section 3.2).

    Cells have the shape of the sheet's most common picture size; other pictures are fitted in, with
    grey borders. A damaged picture is a grey cell with a note. Empty rows and columns are not
    drawn.

    Args:
        ids: of the pictures.
        plans: from `plan_sheets` for so many pictures.
        longest_px: longest side of a sheet; pictures are not enlarged beyond their cell.

    Raises:
        ValueError: numbers of ids, pictures and planned pictures differ.
    """
    if len(ids) != len(jpegs) or any(plan.first + plan.count > len(jpegs) for plan in plans):
        raise ValueError(f"{len(jpegs)} pictures, {len(ids)} ids and the plans do not fit")
    sheets = [_blank(jpegs, ids, plan, longest_px) for plan in plans]
    with ThreadPoolExecutor(len(os.sched_getaffinity(0)), "stitching") as pool:
        damaged = [name for name in pool.map(_Cell.draw, chain(*(s.cells for s in sheets))) if name]
        drawn = tuple(pool.map(_encoded, (sheet.image for sheet in sheets)))
    if damaged:
        _log.warning(
            "%d of %d pictures are damaged: %s", len(damaged), len(jpegs), ", ".join(damaged)
        )
    return drawn


@dataclass(frozen=True, slots=True, eq=False)
class _Cell:
    """A picture and its place.

    Attributes:
        image: (H, W, 3) uint8, BGR: a part of its sheet's.
        size_px: of the picture, width and height; None: it is none.
    """

    image: NDArray[np.uint8]
    jpeg: bytes
    size_px: tuple[int, int] | None
    name: str

    def draw(self) -> str:
        """Draw the picture; its id if it is damaged, else an empty text."""
        return "" if draw_cell(self.image, self.jpeg, self.size_px, self.name) else self.name


@dataclass(frozen=True, slots=True, eq=False)
class _Sheet:
    image: NDArray[np.uint8]
    cells: tuple[_Cell, ...]


def _blank(jpegs: Sequence[bytes], ids: Sequence[str], plan: SheetPlan, longest_px: int) -> _Sheet:
    numbers = range(plan.first, plan.first + plan.count)
    sizes = [find_file_size(jpegs[number]) for number in numbers]
    columns = min(plan.layout.columns, plan.count)
    rows = -(-plan.count // columns)
    width, height = cell_size(sizes, (rows, columns), longest_px)
    image = np.full((rows * height, columns * width, 3), GREY, np.uint8)
    cells = []
    for place, (number, size) in enumerate(zip(numbers, sizes, strict=True)):
        top, left = place // columns * height, place % columns * width
        part = image[top : top + height, left : left + width]
        cells.append(_Cell(part, jpegs[number], size, ids[number]))
    return _Sheet(image, tuple(cells))


def _encoded(image: NDArray[np.uint8]) -> bytes:
    _, data = cv2.imencode(".jpg", image, (cv2.IMWRITE_JPEG_QUALITY, _JPEG_QUALITY))
    return data.tobytes()


GREY = 128
"""Value of pixels outside the pictures."""
_FONT_SHARE, _LEAST_FONT_PX = 0.1, 16  # of a cell's height; digits of 12 px
_USUAL_SIZE = (640, 480)
_REDUCED = {
    8: cv2.IMREAD_REDUCED_COLOR_8,
    4: cv2.IMREAD_REDUCED_COLOR_4,
    2: cv2.IMREAD_REDUCED_COLOR_2,
    1: cv2.IMREAD_COLOR,
}


def cell_size(
    sizes_px: Iterable[tuple[int, int] | None], grid: tuple[int, int], longest_px: int
) -> tuple[int, int]:
    """Width and height of a cell: the most common picture size, scaled down to the sheet.

    Args:
        sizes_px: width and height of each picture; None: unknown.
        grid: rows and columns.
        longest_px: of the whole sheet.
    """
    known = Counter(filter(None, sizes_px))
    width, height = known.most_common(1)[0][0] if known else _USUAL_SIZE
    rows, columns = grid
    scale = min(1.0, longest_px / (rows * height), longest_px / (columns * width))
    return max(1, int(width * scale)), max(1, int(height * scale))


def draw_cell(
    cell: NDArray[np.uint8], jpeg: bytes, size_px: tuple[int, int] | None, name: str
) -> bool:
    """Draw a picture, or a note in its place; whether the picture was drawn.

    Args:
        cell: (H, W, 3) uint8, BGR, grey; drawn on.
        size_px: width and height of the picture; None: it is damaged.
        name: its ID, for the corner.
    """
    height, width = cell.shape[:2]
    font_px = max(_LEAST_FONT_PX, round(_FONT_SHARE * height))
    picture = None if size_px is None else _find_picture(jpeg, size_px, (width, height))
    if picture is None:
        draw_note(cell, "damaged picture", font_px)
    else:
        _place(picture, cell)
    draw_id(cell, name, font_px)
    return picture is not None


def _find_picture(
    jpeg: bytes, size_px: tuple[int, int], wanted_px: tuple[int, int]
) -> NDArray[np.uint8] | None:
    """The picture (h, w, 3) uint8, BGR, decoded no larger than needed; None where it is damaged."""
    spare = max(size_px[0] / wanted_px[0], size_px[1] / wanted_px[1])
    factor = next((factor for factor in _REDUCED if factor <= spare), 1)
    try:
        return cv2.imdecode(np.frombuffer(jpeg, np.uint8), _REDUCED[factor])
    except cv2.error:  # such as sizes that no picture has
        return None


def _place(picture: NDArray[np.uint8], cell: NDArray[np.uint8]) -> None:
    """Draw a picture in the middle of a cell, as large as fits."""
    height, width = picture.shape[:2]
    scale = min(cell.shape[0] / height, cell.shape[1] / width)
    size = max(1, round(width * scale)), max(1, round(height * scale))
    top, left = (cell.shape[0] - size[1]) // 2, (cell.shape[1] - size[0]) // 2
    # Above a half every pixel counts in both, and linear is eight times as fast.
    how = cv2.INTER_LINEAR if scale >= 0.5 else cv2.INTER_AREA
    inside = cell[top : top + size[1], left : left + size[0]]
    if size == (width, height):
        inside[:] = picture
    else:
        inside[:] = cv2.resize(picture, size, interpolation=how)


_RED, _BLACK = (0, 0, 255), (0, 0, 0)
_WHITE = 255
# Of the size of the font: a digit's height; white around the text, between letters, for a blank.
_DIGIT_SHARE, _MARGIN_SHARE, _GAP_SHARE, _BLANK_SHARE = 0.77, 0.25, 0.12, 0.3


def draw_id(cell: NDArray[np.uint8], text: str, font_px: int) -> None:
    """Red in the top-left corner (VLM-Grounder, section 3.1), on white: red alone is lost on red
    things, and JPEG keeps light and dark better than colours.

    Args:
        cell: (H, W, 3) uint8, BGR.
        font_px: size of the font; smaller where the text would be wider than the cell.
    """
    patch = _fitting(_patch(text, font_px, _RED), cell)
    cell[: patch.shape[0], : patch.shape[1]] = patch


def draw_note(cell: NDArray[np.uint8], text: str, font_px: int) -> None:
    """Black on white in the middle; else as `draw_id`."""
    patch = _fitting(_patch(text, font_px, _BLACK), cell)
    top, left = (np.subtract(cell.shape[:2], patch.shape[:2]) // 2).tolist()
    cell[top : top + patch.shape[0], left : left + patch.shape[1]] = patch


def _fitting(patch: NDArray[np.uint8], cell: NDArray[np.uint8]) -> NDArray[np.uint8]:
    share = min(cell.shape[0] / patch.shape[0], cell.shape[1] / patch.shape[1])
    if share >= 1.0:
        return patch
    size = max(1, int(patch.shape[1] * share)), max(1, int(patch.shape[0] * share))
    return cv2.resize(patch, size, interpolation=cv2.INTER_AREA)


def _patch(text: str, font_px: int, color: tuple[int, int, int]) -> NDArray[np.uint8]:
    """(h, w, 3) uint8, BGR: the text on white with an even margin."""
    gap = np.full((2 * font_px, max(2, round(_GAP_SHARE * font_px)), 3), _WHITE, np.uint8)
    line = np.hstack([part for letter in text for part in (_letter(letter, font_px, color), gap)])
    left, top, width, height = cv2.boundingRect(_WHITE - line[..., 1])
    ink = line[top : top + height, left : left + width]
    margin = max(2, round(_MARGIN_SHARE * font_px))
    return cv2.copyMakeBorder(ink, *[margin] * 4, cv2.BORDER_CONSTANT, value=[_WHITE] * 3)


@lru_cache(256)
def _letter(letter: str, font_px: int, color: tuple[int, int, int]) -> NDArray[np.uint8]:
    """(2 font_px, w, 3) uint8, BGR, no wider than its ink: letters of small fonts touch."""
    canvas = np.full((2 * font_px, 3 * font_px, 3), _WHITE, np.uint8)
    _write(canvas, letter, (font_px, round(1.5 * font_px)), font_px, color)
    left, _, width, _ = cv2.boundingRect(_WHITE - canvas[..., 1])
    return canvas[:, left : left + (width or round(_BLANK_SHARE * font_px))]


def _write(
    canvas: NDArray[np.uint8],
    text: str,
    at: tuple[int, int],
    font_px: int,
    color: tuple[int, int, int],
) -> None:
    """OpenCV 5 draws real fonts, of which this one has zeros without a stroke through them."""
    if hasattr(cv2, "FontFace"):
        cv2.putText(canvas, text, at, color, cv2.FontFace("uni"), font_px)
        return
    face, thickness = cv2.FONT_HERSHEY_SIMPLEX, max(1, round(font_px / 13))
    scale = cv2.getFontScaleFromHeight(face, round(_DIGIT_SHARE * font_px), thickness)
    cv2.putText(canvas, text, at, face, scale, color, thickness, cv2.LINE_AA)
