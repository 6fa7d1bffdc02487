"""Pictures with an id and a block of colour, whose truth is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from scenemind.evaluation.errors import EvaluationError
from scenemind.frames import FrameError
from scenemind.frames.encodings import decode_file

COLORS = {
    "red": (0, 0, 255),
    "green": (0, 160, 0),
    "blue": (255, 0, 0),
    "yellow": (0, 230, 255),
    "white": (255, 255, 255),
    "black": (0, 0, 0),
}
"""The six of the paper (supplement B); BGR."""

MOST_CARDS = 1000
"""Ids are 00000 to 00999."""

LEAST_SIDE_PX = 64
"""Of a picture: its id and its block must have room."""

_BLOCK_SHARE = 1 / 6  # side of a block, of the shorter side of its picture
_EDGE_SHARE, _EDGE = 1 / 12, (128, 128, 128)  # of a block's side: white is seen on white too
_CORNER_SHARE = (0.45, 0.25)  # of width and height: where the id goes
_JPEG_QUALITY = 95


@dataclass(frozen=True, slots=True, eq=False)
class Card:
    """
    Attributes:
        card_id: five digits.
        color: of its block, one of `COLORS`.
        jpeg: JPEG file, without the id.
    """

    card_id: str
    color: str
    jpeg: bytes


def deal_cards(pictures: Sequence[bytes], count: int, rng: np.random.Generator) -> tuple[Card, ...]:
    """Cards of random pictures, of which none comes twice before all have come.

    Args:
        pictures: files that OpenCV reads, see `decode_picture`.
        count: at most `MOST_CARDS`.

    Raises:
        EvaluationError: a picture cannot be used, or so many cards have no ids.
    """
    if count > MOST_CARDS:
        raise EvaluationError(f"{count} pictures in one request: there are {MOST_CARDS} ids")
    rounds = [rng.permutation(len(pictures)) for _ in range(-(-count // len(pictures)))]
    chosen = np.concatenate(rounds)[:count].tolist()
    ids = rng.choice(MOST_CARDS, count, replace=False).tolist()
    colors = rng.choice(list(COLORS), count).tolist()
    return tuple(
        Card(f"{card_id:05d}", color, _with_block(pictures[picture], COLORS[color], rng))
        for picture, card_id, color in zip(chosen, ids, colors, strict=True)
    )


def decode_picture(picture: bytes) -> NDArray[np.uint8]:
    """(H, W, 3) uint8, BGR.

    Raises:
        EvaluationError: it cannot be decoded, or a side is shorter than `LEAST_SIDE_PX`.
    """
    try:
        image = decode_file(picture, cv2.IMREAD_COLOR)
    except FrameError as error:
        raise EvaluationError(f"a picture cannot be used: {error}") from error
    height, width = image.shape[:2]
    if min(height, width) < LEAST_SIDE_PX:
        raise EvaluationError(
            f"a picture of {width}x{height} cannot be used: an id and a block need"
            f" {LEAST_SIDE_PX} pixels"
        )
    return image


def _with_block(picture: bytes, bgr: tuple[int, int, int], rng: np.random.Generator) -> bytes:
    """
    Raises:
        EvaluationError: it cannot be used.
    """
    image = decode_picture(picture)
    _draw_block(image, bgr, rng)
    _, jpeg = cv2.imencode(".jpg", image, (cv2.IMWRITE_JPEG_QUALITY, _JPEG_QUALITY))
    return jpeg.tobytes()


def _draw_block(
    image: NDArray[np.uint8], bgr: tuple[int, int, int], rng: np.random.Generator
) -> None:
    """Anywhere but under the id."""
    height, width = image.shape[:2]
    side = round(_BLOCK_SHARE * min(height, width))
    edge = max(1, round(_EDGE_SHARE * side))
    left = int(rng.integers(0, width - side + 1))
    lowest = round(_CORNER_SHARE[1] * height) if left < _CORNER_SHARE[0] * width else 0
    top = int(rng.integers(lowest, height - side + 1))
    image[top : top + side, left : left + side] = _EDGE
    image[top + edge : top + side - edge, left + edge : left + side - edge] = bgr
