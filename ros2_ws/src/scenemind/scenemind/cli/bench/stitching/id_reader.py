"""Ids read back from a sheet, by digits that are drawn here and not by the font that wrote them."""

from __future__ import annotations

from typing import Any, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

_DIGITS = """
..###..  ....#..  ..###..  ..###..  .....#.  .######  ..####.  #######  ..###..  ..###..  #######
.#...#.  ...##..  .#...#.  .#...#.  ....##.  .#.....  .#.....  ......#  .#...#.  .#...#.  .....#.
#.....#  ..#.#..  #.....#  ......#  ...#.#.  .#.....  #......  .....#.  #.....#  #.....#  .....#.
#.....#  ....#..  ......#  ......#  ..#..#.  .#.....  #......  .....#.  #.....#  #.....#  ....#..
#.....#  ....#..  ......#  .....#.  ..#..#.  .#####.  #.####.  ....#..  .#...#.  #.....#  ...##..
#.....#  ....#..  .....#.  ..###..  .#...#.  ......#  ##....#  ....#..  ..###..  #....##  .....#.
#.....#  ....#..  ....#..  .....#.  #....#.  ......#  #.....#  ...#...  .#...#.  .####.#  ......#
#.....#  ....#..  ...#...  ......#  #######  ......#  #.....#  ...#...  #.....#  ......#  ......#
#.....#  ....#..  ..#....  ......#  .....#.  ......#  #.....#  ..#....  #.....#  ......#  #.....#
.#...#.  ....#..  .#.....  #....#.  .....#.  #....#.  .#...#.  ..#....  .#...#.  .....#.  #....#.
..###..  ....#..  #######  .####..  .....#.  .####..  ..###..  .#.....  ..###..  .####..  .####..
"""
_NAMES = "01234567893"  # fonts have two kinds of threes
_HEIGHT = 33  # at which digits are compared
_WIDTH, _SHIFT = 33, 6  # room for a digit, and for it to be moved to either side
_BLUR = 1.5
_RED = 60  # a larger lead of red over green is ink
_CORNER_SHARE = (0.5, 0.9)  # of a cell's height and width that its id may take
_UNEVEN = 0.2  # of the height of a digit: differences among those of an id


class _Ink(NamedTuple):
    """A connected part of what is red, with the box around it."""

    x: int
    y: int
    width: int
    height: int


def read_ids(jpeg: bytes, rows: int, columns: int, digits: int) -> list[str]:
    """What stands in the top-left corners of the cells, row by row.

    Args:
        digits: of each id; fewer where no more can be found.
    """
    sheet = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR)
    height, width = sheet.shape[0] // rows, sheet.shape[1] // columns
    corners = [(y * height, x * width) for y in range(rows) for x in range(columns)]
    return [_read(sheet[y : y + height, x : x + width], digits) for y, x in corners]


def _read(cell: NDArray[np.uint8], digits: int) -> str:
    height, width = (round(n * s) for n, s in zip(cell.shape[:2], _CORNER_SHARE, strict=True))
    corner = cell[:height, :width]
    red = cv2.subtract(corner[..., 2], corner[..., 1])
    count, _, boxes, _ = cv2.connectedComponentsWithStats((red > _RED).astype(np.uint8))
    parts = [_Ink(*box) for box in boxes[1:count, :4].tolist() if min(box[:2]) > 0]
    return "".join(
        _digit(red[y : y + h, x : x + w]) for x, y, w, h in _beside_each_other(parts)[:digits]
    )


def _beside_each_other(parts: list[_Ink]) -> list[_Ink]:
    """Those as high as the one nearest to the corner, and level with it, left to right. All of
    them stand off the edges of the cell, as its red things need not."""
    if not parts:
        return []
    first = min(parts, key=lambda part: part.x + part.y)
    most = 1 + _UNEVEN * first.height
    level = (
        part
        for part in parts
        if abs(part.y - first.y) <= most and abs(part.height - first.height) <= most
    )
    return sorted(level)


def _digit(ink: NDArray[np.uint8]) -> str:
    seen = _centered(ink, _WIDTH + 2 * _SHIFT)
    fits = [cv2.matchTemplate(seen, known, cv2.TM_CCOEFF_NORMED).max() for known in _KNOWN]
    return _NAMES[int(np.argmax(fits))]


def _centered(ink: NDArray[Any], room_px: int) -> NDArray[np.float32]:
    """At the height of comparison, in the middle of so wide a room."""
    width = min(_WIDTH, max(1, round(ink.shape[1] * _HEIGHT / ink.shape[0])))
    shape = np.zeros((_HEIGHT, room_px), np.float32)
    left = (room_px - width) // 2
    shape[:, left : left + width] = cv2.resize(ink.astype(np.float32), (width, _HEIGHT))
    return cv2.GaussianBlur(shape, (0, 0), _BLUR)


def _known() -> list[NDArray[np.float32]]:
    rows = [line.split() for line in _DIGITS.strip().splitlines()]
    bitmaps = [
        np.array([[mark == "#" for mark in row[d]] for row in rows]) for d in range(len(_NAMES))
    ]
    large = [np.kron(bitmap, np.ones((3, 3))) for bitmap in bitmaps]
    return [_centered(bitmap, _WIDTH) for bitmap in large]


_KNOWN = _known()
