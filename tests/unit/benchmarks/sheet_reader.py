"""A stand-in for a vision model: it reads ids and colours from the pixels of a request alone. The
pictures have one dull colour, on which blocks stand out."""

from __future__ import annotations

import base64
import json

import cv2
import numpy as np

from benchmarks.retrieval_trials import COLORS
from benchmarks.stitching import read_ids
from tests.chat_exchange import Request

DULL = (110, 140, 120)  # BGR
_NEAR = 60.0  # in colour: that of a block
LAYOUTS = ((2, 2), (2, 4), (8, 2))


def dull_picture(width: int = 640, height: int = 480) -> bytes:
    return cv2.imencode(".jpg", np.full((height, width, 3), DULL, np.uint8))[1].tobytes()


def jpegs_of(request: Request) -> list[bytes]:
    return [base64.b64decode(url.partition(",")[2]) for url in request.pictures]


def read_pairs(request: Request) -> list[dict[str, str]]:
    """Every id on every sheet, with the colour of its block."""
    return [pair for jpeg in jpegs_of(request) for pair in _read_sheet(jpeg)]


def honest(request: Request) -> str:
    return json.dumps({"photographs": read_pairs(request)})


def liar(request: Request) -> str:
    """The true ids, each with the colour of the next one."""
    names = list(COLORS)
    pairs = read_pairs(request)
    for pair in pairs:
        pair["color"] = names[(names.index(pair["color"]) + 1) % len(names)]
    return json.dumps({"photographs": pairs})


def _read_sheet(jpeg: bytes) -> list[dict[str, str]]:
    image = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR)
    rows, columns = _layout_of(image)
    ids = read_ids(jpeg, rows, columns, digits=5)
    parts = [c for row in np.split(image, rows) for c in np.split(row, columns, axis=1)]
    return [{"id": i, "color": _block_color(part)} for i, part in zip(ids, parts, strict=True)]


def _layout_of(image: np.ndarray) -> tuple[int, int]:
    """The layout, from the shape of a sheet of 4:3 pictures."""
    shape = image.shape[1] / image.shape[0]
    return min(LAYOUTS, key=lambda layout: abs(shape - 4 / 3 * layout[1] / layout[0]))


def _block_color(cell: np.ndarray) -> str:
    """The most frequent colour but that of the id, of every fourth pixel in both directions."""
    seen = cell[::4, ::4].astype(float)
    height, width = seen.shape[:2]
    seen[: height // 4, : width * 45 // 100] = DULL
    counts = {
        name: int((np.linalg.norm(seen - bgr, axis=2) < _NEAR).sum())
        for name, bgr in COLORS.items()
    }
    return max(counts, key=lambda name: counts[name])
