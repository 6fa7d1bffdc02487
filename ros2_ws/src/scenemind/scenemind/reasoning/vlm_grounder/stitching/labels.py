"""Words on pictures: ids in their corners."""

from __future__ import annotations

from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

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
