"""The contents of a sheet: every picture in its place, whole, with a legible id."""

from __future__ import annotations

import logging
from functools import cache

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.stitching import read_ids
from scenemind.config import VlmGrounderConfig
from scenemind.frames.images import find_file_size
from scenemind.reasoning.vlm_grounder.stitching import (
    Layout,
    SheetPlan,
    draw_sheets,
    plan_sheets,
)

LONGEST_PX = 2048
LAYOUTS = tuple(Layout(*pair) for pair in ((4, 1), (2, 4), (8, 2), (9, 3)))
GREY = 128
RED = (30, 30, 220)  # BGR
WHITE = (255, 255, 255)


def jpeg_of(bgr: np.ndarray) -> bytes:
    return cv2.imencode(".jpg", bgr, (cv2.IMWRITE_JPEG_QUALITY, 95))[1].tobytes()


def plain(color: tuple[int, int, int], width: int = 640, height: int = 480) -> bytes:
    return jpeg_of(np.full((height, width, 3), color, np.uint8))


@cache
def scene(seed: int, width: int, height: int) -> bytes:
    """Blotches of all colours."""
    coarse = np.random.default_rng(seed).integers(0, 256, (6, 8, 3), np.uint8)
    return jpeg_of(cv2.resize(coarse, (width, height), interpolation=cv2.INTER_CUBIC))


def decoded(jpeg: bytes) -> np.ndarray:
    return cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR)


def drawn(pictures: list[bytes], layout: Layout, longest_px: int = LONGEST_PX) -> np.ndarray:
    ids = [f"{number:05d}" for number in range(len(pictures))]
    (sheet,) = draw_sheets(pictures, ids, [SheetPlan(layout, 0, len(pictures))], longest_px)
    return decoded(sheet)


def cells(sheet: np.ndarray, rows: int, columns: int) -> list[np.ndarray]:
    return [part for row in np.split(sheet, rows) for part in np.split(row, columns, axis=1)]


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
@pytest.mark.parametrize("size", [(640, 480), (1296, 968)], ids=str)
@pytest.mark.parametrize("background", ["blotches", RED, WHITE], ids=str)
def test_every_id_is_read(
    layout: Layout, size: tuple[int, int], background: str | tuple[int, int, int]
) -> None:
    """On the sheet as it is sent; the reader has digits of its own."""
    ids = [f"{i:05d}" for i in np.random.default_rng(layout).integers(0, 100_000, layout.cells)]
    if isinstance(background, str):
        pictures = [scene(number, *size) for number in range(layout.cells)]
    else:
        pictures = [plain(background, *size)] * layout.cells
    (sheet,) = draw_sheets(pictures, ids, [SheetPlan(layout, 0, layout.cells)], LONGEST_PX)
    assert read_ids(sheet, *layout, digits=5) == ids


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
def test_every_picture_is_in_its_cell(layout: Layout) -> None:
    colors = np.random.default_rng(1).integers(0, 256, (layout.cells, 3)).tolist()
    sheet = drawn([plain(color) for color in colors], layout)
    assert max(sheet.shape) <= LONGEST_PX
    for cell, color in zip(cells(sheet, *layout), colors, strict=True):
        height, width = cell.shape[:2]
        assert width / height == pytest.approx(4 / 3, rel=0.02)
        inside = cell[height // 3 : -8, width // 3 : -8]
        assert np.abs(inside.mean((0, 1)) - color).max() < 4


def test_sheets_are_as_large_as_is_allowed_but_nothing_is_enlarged() -> None:
    assert max(drawn([plain(RED)] * 16, LAYOUTS[2]).shape) == LONGEST_PX
    assert drawn([plain(RED)] * 16, LAYOUTS[2], 1024).shape == (1024, 340, 3)
    assert drawn([plain(RED)] * 4, LAYOUTS[0]).shape == (1920, 640, 3)


def test_rows_and_columns_without_pictures_are_not_drawn() -> None:
    assert drawn([plain(RED)] * 3, Layout(9, 3), 960).shape == (240, 960, 3)
    assert drawn([plain(RED)] * 2, Layout(2, 4)).shape == (480, 1280, 3)
    sheet = drawn([plain(RED)] * 3, Layout(2, 2))
    assert np.abs(cells(sheet, 2, 2)[3].astype(int) - GREY)[8:, 8:].max() < 4


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
def test_a_picture_that_is_decoded_small_is_the_same(layout: Layout) -> None:
    picture = scene(7, 1296, 968)
    last = cells(drawn([picture] * layout.cells, layout), *layout)[-1]
    exact = cv2.resize(decoded(picture), last.shape[1::-1], interpolation=cv2.INTER_AREA)
    below = slice(last.shape[0] // 3, None)
    assert np.abs(last[below].astype(int) - exact[below]).mean() < 3


def test_pictures_of_other_shapes_stand_whole_between_grey() -> None:
    tall = plain((200, 40, 40), 300, 600)
    sheet = drawn([plain(RED), plain(RED), plain(RED), tall], Layout(2, 2))
    cell = cells(sheet, 2, 2)[3]
    blue = (cell[cell.shape[0] // 2 :, :, 0] > 150).any(0)
    assert blue.sum() == pytest.approx(cell.shape[0] / 2, abs=3)
    assert np.flatnonzero(blue).mean() == pytest.approx(cell.shape[1] / 2, abs=3)
    assert np.abs(cell[-20:, 16:32].astype(int) - GREY).max() < 8


@pytest.mark.parametrize(
    "damaged",
    [
        b"",
        b"no picture",
        plain(RED)[:300],
        plain(RED).replace(b"\x08\x01\xe0\x02\x80", b"\x08\xff\xff\xff\xff"),
    ],
    ids=["empty", "text", "cut", "65535x65535"],
)
def test_a_damaged_picture_is_a_grey_cell_that_says_so(
    damaged: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        sheet = drawn([plain(RED), damaged, plain(RED), plain(RED)], Layout(2, 2))
    first, second, *_ = cells(sheet, 2, 2)
    assert np.abs(first[-40:].astype(int) - RED).mean() < 4
    assert np.abs(second[-40:].astype(int) - GREY).mean() < 4
    assert (second[second.shape[0] // 2 - 10 :][:20].min(2) < 60).any()  # the note
    assert read_ids(jpeg_of(sheet), 2, 2, 5) == ["00000", "00001", "00002", "00003"]
    assert [record.getMessage() for record in caplog.records] == [
        "1 of 4 pictures are damaged: 00001"
    ]


def test_sheets_of_nothing_but_damage_are_drawn() -> None:
    assert drawn([b""] * 4, Layout(2, 2)).shape == (960, 1280, 3)


def test_a_picture_larger_than_jpeg_allows_is_refused() -> None:
    """A side of 65,500 pixels; a sheet of that area would take 12 GB."""
    assert VlmGrounderConfig(longest_px=16_384).longest_px == 16_384
    with pytest.raises(ValueError, match="longest_px"):
        VlmGrounderConfig(longest_px=100_000)


def test_no_pictures_are_no_sheets() -> None:
    assert draw_sheets([], [], plan_sheets(0, 6, LAYOUTS), LONGEST_PX) == ()


def test_contradicting_arguments_are_refused() -> None:
    with pytest.raises(ValueError, match="1 pictures, 2 ids"):
        draw_sheets([plain(RED)], ["1", "2"], [], LONGEST_PX)
    with pytest.raises(ValueError, match="do not fit"):
        draw_sheets([plain(RED)], ["1"], [SheetPlan(Layout(4, 1), 0, 2)], LONGEST_PX)


@given(st.integers(1, 300), st.integers(1, 300), st.booleans())
def test_the_size_of_a_picture_is_in_its_header(
    width: int, height: int, is_progressive: bool
) -> None:
    options = (cv2.IMWRITE_JPEG_PROGRESSIVE, int(is_progressive))
    jpeg = cv2.imencode(".jpg", np.zeros((height, width), np.uint8), options)[1].tobytes()
    assert find_file_size(jpeg) == (width, height)


@settings(max_examples=300)
@given(st.binary(max_size=60), st.integers(0, 400))
def test_no_header_is_too_damaged(garbage: bytes, kept: int) -> None:
    assert find_file_size(b"\xff\xd8" + garbage) is None or len(garbage) >= 9
    find_file_size(plain(RED)[:kept] + garbage)
