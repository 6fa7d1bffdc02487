"""`scenemind bench stitching`: many pictures on few sheets."""

from __future__ import annotations

import time
from collections.abc import Sequence
from statistics import median
from typing import Any

import cv2

from scenemind.cli.bench.machine import machine, versions
from scenemind.cli.bench.stitching.id_reader import read_ids
from scenemind.config.vlm_grounder import VlmGrounderConfig
from scenemind.reasoning.vlm_grounder.stitching import (
    Layout,
    SheetPlan,
    draw_sheets,
    layouts_of,
    plan_sheets,
)
from scenemind.simulation import simulate

_PICTURES = 84
_SIZES_PX = ((640, 480), (1296, 968))
_VIEWS = 12  # different ones; no decoder remembers what it has decoded
_DIGITS = 5
_JPEG_QUALITY = 95
_ROUNDS = 15


def bench_stitching(rounds: int = _ROUNDS) -> dict[str, Any]:
    """Seconds are medians, of JPEG files to sheets as JPEG files, of 84 views of a simulated room.

    - `s_84_640x480`, `s_84_1296x968`: from planning to the last sheet, on all cores;
    - `sheets`: how many of each layout;
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
        for frame in simulate(1, _VIEWS, width, height)
    ]
    return [views[number % _VIEWS].tobytes() for number in range(_PICTURES)]


def _ids(count: int) -> list[str]:
    """Numbers as frames have them, with every digit at every place but the first."""
    return [f"{number * 7919 % 10_000:0{_DIGITS}d}" for number in range(count)]


def _share_read(jpegs: Sequence[bytes], plans: Sequence[SheetPlan], longest_px: int) -> float:
    ids = _ids(len(jpegs))
    right = total = 0
    for plan, sheet in zip(plans, draw_sheets(jpegs, ids, plans, longest_px), strict=True):
        rows = -(-plan.count // plan.layout.columns)
        seen = read_ids(sheet, rows, plan.layout.columns, _DIGITS)
        wanted = ids[plan.first : plan.first + plan.count]
        right += sum(a == b for a, b in zip(seen, wanted, strict=False))
        total += plan.count
    return right / total


def _by_layout(plans: Sequence[SheetPlan]) -> dict[str, int]:
    layouts: list[Layout] = [plan.layout for plan in plans]
    return {str(layout): layouts.count(layout) for layout in dict.fromkeys(layouts)}
