"""Pictures drawn on sheets, with their ids."""

from __future__ import annotations

import logging
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import chain

import cv2
import numpy as np
from numpy.typing import NDArray

from scenemind.reasoning.vlm_grounder.stitching.cells import GREY, cell_size, draw_cell
from scenemind.reasoning.vlm_grounder.stitching.jpeg_size import find_jpeg_size
from scenemind.reasoning.vlm_grounder.stitching.layouts import SheetPlan

_log = logging.getLogger(__name__)

_JPEG_QUALITY = 85


def draw_sheets(
    jpegs: Sequence[bytes], ids: Sequence[str], plans: Sequence[SheetPlan], longest_px: int
) -> tuple[bytes, ...]:
    """Sheets as JPEG files, each with its pictures row by row, all cells of a sheet of one size,
    and the id of each picture in its top-left corner (VLM-Grounder, section 3.2). On all cores.

    Cells have the shape of the sheet's commonest picture, and others stand in them whole, with grey
    beside them; what is no JPEG file, or a damaged one, is a grey cell that says so. Rows and
    columns that would stay empty are not drawn, and give the others room.

    Args:
        ids: of each picture.
        plans: from `plan_sheets` for so many pictures.
        longest_px: no side of a sheet is longer; nor is any picture enlarged but to fit its cell.

    Raises:
        ValueError: more ids than pictures, or fewer; or a plan for other pictures.
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
        """The id where the picture is damaged, else nothing."""
        return "" if draw_cell(self.image, self.jpeg, self.size_px, self.name) else self.name


@dataclass(frozen=True, slots=True, eq=False)
class _Sheet:
    image: NDArray[np.uint8]
    cells: tuple[_Cell, ...]


def _blank(jpegs: Sequence[bytes], ids: Sequence[str], plan: SheetPlan, longest_px: int) -> _Sheet:
    numbers = range(plan.first, plan.first + plan.count)
    sizes = [find_jpeg_size(jpegs[number]) for number in numbers]
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
