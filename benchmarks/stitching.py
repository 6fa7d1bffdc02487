"""Time to put pictures on sheets, and legibility of their ids."""

from __future__ import annotations

import time
from collections.abc import Sequence
from statistics import median
from typing import Any, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from scenemind.bench.machine import machine, versions
from scenemind.config.reasoning import VlmGrounderConfig
from scenemind.reasoning.vlm_grounder.measured_layouts import layouts_of
from scenemind.reasoning.vlm_grounder.stitching import Layout, SheetPlan, draw_sheets, plan_sheets
from scenemind.simulation import Sensors, simulate

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
_NAMES = "01234567893"  # fonts have two shapes of 3
_HEIGHT = 33  # height for comparing digits
_WIDTH, _SHIFT = 33, 6  # width for a digit, and margin to shift it to either side
_BLUR = 1.5
_RED = 60  # ink: pixels whose red exceeds green by more than this
_CORNER_SHARE = (0.5, 0.9)  # share of a cell's height and width for its id
_UNEVEN = 0.2  # share of a digit's height: differences among those of an id


class _Ink(NamedTuple):
    """A connected red region, with its bounding box."""

    x: int
    y: int
    width: int
    height: int


def read_ids(jpeg: bytes, rows: int, columns: int, digits: int) -> list[str]:
    """Ids in the top-left corners of the cells, row by row.

    Args:
        digits: per id; fewer if no more are found.
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
    """Digits of the height and level of the one nearest to the corner, left to right. Digits do not
    touch the edges of the cell, unlike other red regions."""
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
    """Glyph scaled to the height of comparison, in the middle of a canvas of that width."""
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
_PICTURES = 84
_SIZES_PX = ((640, 480), (1296, 968))
_VIEWS = 12  # different ones; no decoder has them in a cache
_ID_DIGITS = 5
_JPEG_QUALITY = 95
_ROUNDS = 15


def bench_stitching(rounds: int = _ROUNDS) -> dict[str, Any]:
    """Seconds are medians, from JPEG files to JPEG sheets, for 84 views of a simulated room.

    - `s_84_640x480`, `s_84_1296x968`: from planning to the last sheet, on all cores;
    - `sheets`: number of sheets of each layout;
    - `ids_read_640x480`, ...: share of ids read back from the sheets, and from full sheets of every
      layout, by `id_reader`.
    """
    config = VlmGrounderConfig()
    layouts = layouts_of(config)
    plans = plan_sheets(_PICTURES, config.sheets, layouts)
    seconds, read = {}, {}
    for width, height in _SIZES_PX:
        jpegs = _pictures(width, height)
        times = [_seconds(jpegs, layouts, config) for _ in range(rounds)]
        seconds[f"s_84_{width}x{height}"] = median(times)
        seconds[f"s_84_{width}x{height}_max"] = max(times)
        full = [SheetPlan(layout, 0, layout.cells) for layout in layouts]
        read[f"ids_read_{width}x{height}"] = _share_read(jpegs, (*plans, *full), config.longest_px)
    return {
        **seconds,
        "sheets": _by_layout(plans),
        **read,
        "machine": machine(),
        "versions": versions(),
    }


def _seconds(jpegs: Sequence[bytes], layouts: Sequence[Layout], config: VlmGrounderConfig) -> float:
    started = time.perf_counter()
    plans = plan_sheets(len(jpegs), config.sheets, layouts)
    draw_sheets(jpegs, _ids(len(jpegs)), plans, config.longest_px)
    return time.perf_counter() - started


def _pictures(width: int, height: int) -> list[bytes]:
    views = [
        cv2.imencode(".jpg", frame.color[..., ::-1], (cv2.IMWRITE_JPEG_QUALITY, _JPEG_QUALITY))[1]
        for frame in simulate(1, _VIEWS, Sensors(width, height))
    ]
    return [views[number % _VIEWS].tobytes() for number in range(_PICTURES)]


def _ids(count: int) -> list[str]:
    """Numbers as in frame ids, with every digit at every place but the first."""
    return [f"{number * 7919 % 10_000:0{_ID_DIGITS}d}" for number in range(count)]


def _share_read(jpegs: Sequence[bytes], plans: Sequence[SheetPlan], longest_px: int) -> float:
    ids = _ids(len(jpegs))
    right = total = 0
    for plan, sheet in zip(plans, draw_sheets(jpegs, ids, plans, longest_px), strict=True):
        rows = -(-plan.count // plan.layout.columns)
        seen = read_ids(sheet, rows, plan.layout.columns, _ID_DIGITS)
        wanted = ids[plan.first : plan.first + plan.count]
        right += sum(a == b for a, b in zip(seen, wanted, strict=False))
        total += plan.count
    return right / total


def _by_layout(plans: Sequence[SheetPlan]) -> dict[str, int]:
    layouts: list[Layout] = [plan.layout for plan in plans]
    return {str(layout): layouts.count(layout) for layout in dict.fromkeys(layouts)}
