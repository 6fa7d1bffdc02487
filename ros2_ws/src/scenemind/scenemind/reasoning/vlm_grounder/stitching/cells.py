"""One picture in its cell of a sheet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import cv2
import numpy as np
from numpy.typing import NDArray

from scenemind.reasoning.vlm_grounder.stitching.labels import draw_id, draw_note

GREY = 128
"""Of what no picture covers."""

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
    """Width and height of a cell: the commonest picture, whole, and no larger than it is.

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
    """Whether the picture could be drawn; else a note stands in its place.

    Args:
        cell: (H, W, 3) uint8, BGR, grey; drawn on.
        size_px: of the picture, width and height; None: it is none.
        name: its id, for the corner.
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
    """(h, w, 3) uint8, BGR, decoded no larger than it takes; None: it is damaged."""
    spare = max(size_px[0] / wanted_px[0], size_px[1] / wanted_px[1])
    factor = next((factor for factor in _REDUCED if factor <= spare), 1)
    try:
        return cv2.imdecode(np.frombuffer(jpeg, np.uint8), _REDUCED[factor])
    except cv2.error:  # such as sizes that no picture has
        return None


def _place(picture: NDArray[np.uint8], cell: NDArray[np.uint8]) -> None:
    """As large as fits, in the middle."""
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
