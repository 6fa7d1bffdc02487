"""Pictures of a measurement, for people."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from scenemind.geometry import Box3D, PinholeCamera, Pose
from scenemind.memory import KeyFrame
from scenemind.perception.types import BoxMask
from scenemind.reasoning.query import Picture
from scenemind.reasoning.vlm_grounder.targets import BoxPx, Measured, MeasuredView

_MASK_BGR, _BOX_BGR, _EDGE_BGR = (60, 180, 75), (0, 165, 255), (230, 60, 60)
_MASK_SHARE = 0.45
_COLUMNS = 3
_TILE_PX = 320  # wide
_JPEG = (cv2.IMWRITE_JPEG_QUALITY, 85)
Bgr = NDArray[np.uint8]


def pictures_of(measured: Measured) -> tuple[Picture, ...]:
    """The anchor with mask and box, the other views, and the points with the box from above and
    from the side.

    Views with a damaged image are left out.
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
    """The frame's image (H, W, 3) BGR with the edges of a box in the world; None with a damaged
    image."""
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
    """Images in rows of equal width; None without any."""
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


_NEAREST_M = 0.05  # lines end here before the camera
_FARTHEST_PX = 10_000.0  # what drawing can take
# Of `Box3D.corners`: the bottom rectangle, the top one, and what joins them.
_EDGES = np.array(
    [(i, (i + 1) % 4) for i in range(4)]
    + [(4 + i, 4 + (i + 1) % 4) for i in range(4)]
    + [(i, i + 4) for i in range(4)]
)
Line = tuple[tuple[int, int], tuple[int, int]]


def visible_edges_px(box: Box3D, camera: PinholeCamera, world_T_camera: Pose) -> list[Line]:
    """Edges of a box in front of the camera, clipped there; they may leave the picture."""
    ends = _edges_in_front(box, world_T_camera)
    if len(ends) == 0:
        return []
    pixels, _ = camera.project(ends)
    drawn = np.rint(np.clip(pixels, -_FARTHEST_PX, _FARTHEST_PX)).astype(int).tolist()
    return [((a[0], a[1]), (b[0], b[1])) for a, b in drawn]


def find_bounds_px(box: Box3D, camera: PinholeCamera, world_T_camera: Pose) -> BoxPx | None:
    """The bounding rectangle of a box in the picture; None where it is outside."""
    ends = _edges_in_front(box, world_T_camera)
    if len(ends) == 0:
        return None
    pixels = camera.project(ends)[0].reshape(-1, 2)
    size = np.array((camera.width, camera.height), np.float64)
    low, high = np.clip(pixels.min(axis=0), 0, size), np.clip(pixels.max(axis=0), 0, size)
    if (high <= low).any():
        return None
    return (float(low[0]), float(low[1]), float(high[0]), float(high[1]))


def _edges_in_front(box: Box3D, world_T_camera: Pose) -> NDArray[np.floating]:
    """(E, 2, 3) Ends of the edges in the camera frame, clipped just in front of the camera."""
    corners = world_T_camera.inverse().transform(box.corners())
    ends = corners[_EDGES]
    ends = ends[(ends[..., 2] > _NEAREST_M).any(axis=1)]
    z = ends[..., 2]
    step = z[:, 1] - z[:, 0]
    share = np.divide(_NEAREST_M - z[:, 0], step, out=np.zeros_like(step), where=step != 0.0)
    cut = ends[:, 0] + share[:, None] * (ends[:, 1] - ends[:, 0])
    return np.where((z > _NEAREST_M)[..., None], ends, cut[:, None])


_SIDE_PX, _MARGIN_PX = 360, 40
_POINT_BGR, _BOUNDS_BGR, _TEXT_BGR = (150, 90, 30), (60, 60, 230), (60, 60, 60)
_DARKEST = 6.0  # points in one pixel
_LEAST_M = 0.05  # across, so that a single point is no division by zero


def draw_cloud(points: NDArray[np.float32], box: Box3D) -> NDArray[np.uint8]:
    """(360, 720, 3) BGR image of the points (M, 3) with their box, from above, x to the right, and
    from the side, z up."""
    above = _panel(points[:, :2], box, (0, 1), "from above: x right, y up")
    wider = (0, 2) if box.size[0] >= box.size[1] else (1, 2)
    side = _panel(points[:, wider], box, wider, f"from the side: {'xy'[wider[0]]} right, z up")
    return np.hstack((above, side))


def _panel(
    points: NDArray[np.float32], box: Box3D, axes: tuple[int, int], title: str
) -> NDArray[np.uint8]:
    low, high = (corner[list(axes)] for corner in box.bounds())
    scale = (_SIDE_PX - 2 * _MARGIN_PX) / max(float((high - low).max()), _LEAST_M)
    middle = (low + high) / 2.0
    pixels = _pixels(points, middle, scale)
    inside = ((pixels >= 0) & (pixels < _SIDE_PX)).all(axis=1)
    cells = pixels[inside, 1] * _SIDE_PX + pixels[inside, 0]
    counts = np.bincount(cells, minlength=_SIDE_PX**2).reshape(_SIDE_PX, _SIDE_PX)
    share = np.minimum(counts / _DARKEST, 1.0) ** 0.5
    spread = cv2.dilate(share.astype(np.float32), np.ones((2, 2), np.uint8))[..., None]
    image = (255.0 * (1.0 - spread) + np.array(_POINT_BGR) * spread).astype(np.uint8)
    (x0, y1), (x1, y0) = _pixels(np.stack((low, high)), middle, scale).tolist()
    cv2.rectangle(image, (x0, y0), (x1, y1), _BOUNDS_BGR, 2)
    names = ["xyz"[axis] for axis in axes]
    sides = [f"{n} {side:.2f} m" for n, side in zip(names, high - low, strict=True)]
    _write(image, title, (8, 18))
    _write(image, sides[0], (x0, min(y1 + 18, _SIDE_PX - 6)))
    _write(image, sides[1], (max(x0 - 4, 4), max(y0 - 6, 32)))
    return image


def _pixels(
    points: NDArray[np.floating], middle: NDArray[np.floating], scale: float
) -> NDArray[np.intp]:
    flipped = (points - middle) * (scale, -scale)
    return np.rint(flipped + _SIDE_PX / 2).astype(np.intp)


def _write(image: NDArray[np.uint8], text: str, at: tuple[int, int]) -> None:
    cv2.putText(image, text, at, cv2.FONT_HERSHEY_SIMPLEX, 0.42, _TEXT_BGR, 1, cv2.LINE_AA)
