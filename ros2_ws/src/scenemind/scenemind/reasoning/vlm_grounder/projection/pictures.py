"""What was measured, as pictures for people."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from scenemind.geometry import Box3D
from scenemind.memory import KeyFrame
from scenemind.perception.types import BoxMask
from scenemind.reasoning.types import Picture
from scenemind.reasoning.vlm_grounder.projection.cloud_picture import draw_cloud
from scenemind.reasoning.vlm_grounder.projection.outline import visible_edges_px
from scenemind.reasoning.vlm_grounder.types import Measured, MeasuredView

_MASK_BGR, _BOX_BGR, _EDGE_BGR = (60, 180, 75), (0, 165, 255), (230, 60, 60)
_MASK_SHARE = 0.45
_COLUMNS = 3
_TILE_PX = 320  # wide
_JPEG = (cv2.IMWRITE_JPEG_QUALITY, 85)

Bgr = NDArray[np.uint8]


def pictures_of(measured: Measured) -> tuple[Picture, ...]:
    """The chosen view with mask and box, the other views, and the points with the box from
    above and from the side.

    A view whose image cannot be decoded is left out.
    """
    anchor, *others = measured.views
    size = " x ".join(f"{side:.2f}" for side in measured.box.size)
    pictures = [
        (f"frame {anchor.frame.frame_number}: mask and box", _drawn(anchor, measured.box)),
        (
            f"{len(others)} other views, nearest first by Chamfer distance",
            _tiled([_drawn(view, measured.box) for view in others]),
        ),
        (f"{len(measured.points)} points, {size} m", draw_cloud(measured.points, measured.box)),
    ]
    return tuple(Picture(title, _jpeg(image)) for title, image in pictures if image is not None)


def draw_box(frame: KeyFrame, box: Box3D) -> NDArray[np.uint8] | None:
    """The frame's image (H, W, 3) BGR with the edges of a box in the world; None: no image."""
    image = cv2.imdecode(np.frombuffer(frame.jpeg, np.uint8), cv2.IMREAD_COLOR)
    if image is None:
        return None
    drawn = np.asarray(image, np.uint8)
    for start, end in visible_edges_px(box, frame.camera, frame.world_T_camera):
        cv2.line(drawn, start, end, _EDGE_BGR, 2, cv2.LINE_AA)
    return drawn


def _drawn(view: MeasuredView, box: Box3D) -> Bgr | None:
    image = draw_box(view.frame, box)
    if image is None:
        return None
    _tint(image, view.mask)
    x0, y0, x1, y1 = (round(value) for value in view.box_px)
    cv2.rectangle(image, (x0, y0), (x1, y1), _BOX_BGR, 2)
    return image


def _tint(image: Bgr, mask: BoxMask) -> None:
    height, width = mask.bits.shape
    top, left = max(mask.y_px, 0), max(mask.x_px, 0)
    window = image[top : mask.y_px + height, left : mask.x_px + width]
    bits = mask.bits[top - mask.y_px :, left - mask.x_px :][: window.shape[0], : window.shape[1]]
    mixed = (1.0 - _MASK_SHARE) * window[bits] + _MASK_SHARE * np.array(_MASK_BGR)
    window[bits] = mixed.astype(np.uint8)


def _tiled(images: list[Bgr | None]) -> Bgr | None:
    """In rows, each as wide as the others; None where there is none."""
    tiles = [_as_tile(image) for image in images if image is not None]
    if not tiles:
        return None
    height = max(len(tile) for tile in tiles)
    columns = min(_COLUMNS, len(tiles))
    rows = -(-len(tiles) // columns)
    sheet = np.full((rows * height, columns * _TILE_PX, 3), 255, np.uint8)
    for place, tile in enumerate(tiles):
        row, column = divmod(place, columns)
        x, y = column * _TILE_PX, row * height
        sheet[y : y + len(tile), x : x + _TILE_PX] = tile
    return sheet


def _as_tile(image: Bgr) -> Bgr:
    height = max(1, round(image.shape[0] * _TILE_PX / image.shape[1]))
    return np.asarray(cv2.resize(image, (_TILE_PX, height), interpolation=cv2.INTER_AREA), np.uint8)


def _jpeg(image: Bgr) -> bytes:
    _, encoded = cv2.imencode(".jpg", image, _JPEG)
    return encoded.tobytes()
