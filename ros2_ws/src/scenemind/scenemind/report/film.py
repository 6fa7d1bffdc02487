"""How a map grew, as an animated GIF or WebP: the camera's picture beside the map from above."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from scenemind.errors import UsageError
from scenemind.memory import MapObject, MemorySnapshot
from scenemind.memory.access import MemoryAccess
from scenemind.report.drawing import colors_of, rgb_of
from scenemind.report.keyframes import draw_key_frame

SUFFIXES = (".gif", ".webp")
_PANEL_PX = (400, 300)  # width and height of each half
_BORDER_M = 0.4
_STEP_MS, _LAST_MS = 200, 3000
_INK, _PAPER, _WAY = (60, 50, 40), (255, 255, 255), (174, 95, 31)  # BGR
_FONT = cv2.FONT_HERSHEY_SIMPLEX


def write_film(memory: MemoryAccess, path: Path, frames: int = 30) -> int:
    """Write a film of a memory: its stored frames in order, and what was known by each.

    Objects appear on the map when they were first seen, at the place and with the name of today.

    Args:
        path: .gif or .webp.
        frames: the most pictures; spread evenly over the stored frames.

    Returns:
        The number of pictures.

    Raises:
        UsageError: another suffix, no stored frames, or the file cannot be written.
    """
    if path.suffix not in SUFFIXES:
        raise UsageError(f"{path.name} is no film: give a file ending in {' or '.join(SUFFIXES)}")
    if not hasattr(cv2, "imwriteanimation"):
        raise UsageError(f"films need OpenCV 4.11 or later; this one is {cv2.__version__}")
    snapshot, index = memory.snapshot(), memory.frame_index()
    if not len(index):
        raise UsageError("the memory has no stored frames, of which a film is made")
    rows = np.unique(np.linspace(0, len(index) - 1, min(frames, len(index))).round().astype(int))
    colors = colors_of(thing.label for thing in snapshot.objects.values())
    labels = {i: thing.label for i, thing in snapshot.objects.items()}
    canvas = _Canvas(snapshot, index.world_T_camera[:, :2, 3])
    pictures = []
    for row in rows:
        frame = memory.key_frame(int(index.frame_numbers[row]))
        jpeg = draw_key_frame(frame, labels, colors, _PANEL_PX[0])
        left = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR)
        known = [o for o in snapshot.objects.values() if o.first_seen_ns <= frame.stamp_ns]
        right = canvas.draw(known, index.world_T_camera[: row + 1, :2, 3], colors)
        pictures.append(np.hstack([cv2.resize(left, _PANEL_PX), right]))
    film = cv2.Animation()
    film.frames = pictures
    film.durations = np.array([*[_STEP_MS] * (len(pictures) - 1), _LAST_MS], np.int32)
    film.loop_count = 0
    if not cv2.imwriteanimation(str(path), film):
        raise UsageError(f"{path} could not be written")
    return len(pictures)


class _Canvas:
    """The map from above, y up, at one scale for all pictures."""

    def __init__(self, snapshot: MemorySnapshot, way: NDArray[np.float64]) -> None:
        corners = [way.min(axis=0), way.max(axis=0)]
        for thing in snapshot.objects.values():
            center, half = np.array(thing.box.center[:2]), np.array(thing.box.size[:2]) / 2
            corners += [center - half, center + half]
        self._low = np.min(corners, axis=0) - _BORDER_M
        extent = np.max(corners, axis=0) + _BORDER_M - self._low
        self._scale = float(np.min(np.array(_PANEL_PX) / extent))
        self._shift = (np.array(_PANEL_PX) - extent * self._scale) / 2

    def draw(
        self, known: list[MapObject], way: NDArray[np.float64], colors: dict[str, str]
    ) -> NDArray[np.uint8]:
        """(H, W, 3) uint8 BGR: points, boxes, names where there is room, the camera's way."""
        image = np.full((_PANEL_PX[1], _PANEL_PX[0], 3), _PAPER, np.uint8)
        for thing in known:
            x, y = self._px(np.asarray(thing.points)[:, :2]).T
            inside = (x >= 0) & (x < _PANEL_PX[0]) & (y >= 0) & (y < _PANEL_PX[1])
            color = np.array(rgb_of(colors[thing.label])[::-1])
            image[y[inside], x[inside]] = (color + 2 * np.array(_PAPER)) // 3
        cv2.polylines(image, [self._px(way)], False, _WAY, 1, cv2.LINE_AA)
        cv2.circle(image, tuple(map(int, self._px(way[-1:])[0])), 4, _WAY, -1, cv2.LINE_AA)
        taken: list[tuple[int, int, int, int]] = []
        for thing in sorted(known, key=lambda o: -o.box.size[0] * o.box.size[1]):
            self._draw_object(image, thing, rgb_of(colors[thing.label])[::-1], taken)
        cv2.putText(image, f"{len(known)} objects", (8, 18), _FONT, 0.5, _INK, 1, cv2.LINE_AA)
        return image

    def _draw_object(
        self,
        image: NDArray[np.uint8],
        thing: MapObject,
        color: tuple[int, int, int],
        taken: list[tuple[int, int, int, int]],
    ) -> None:
        center, half = np.array(thing.box.center[:2]), np.array(thing.box.size[:2]) / 2
        (x0, y1), (x1, y0) = self._px(np.array([center - half, center + half])).tolist()
        cv2.rectangle(image, (x0, y0), (x1, y1), color, 1, cv2.LINE_AA)
        (width, height), _ = cv2.getTextSize(thing.label, _FONT, 0.38, 1)
        x = min(max((x0 + x1 - width) // 2, 2), _PANEL_PX[0] - width - 2)
        y = (y0 + y1 + height) // 2
        spot = (x - 2, y - height - 2, x + width + 2, y + 3)
        if any(
            spot[0] < b[2] and b[0] < spot[2] and spot[1] < b[3] and b[1] < spot[3] for b in taken
        ):
            return  # names never overlap: the larger thing keeps its own
        taken.append(spot)
        cv2.putText(image, thing.label, (x, y), _FONT, 0.38, color, 1, cv2.LINE_AA)

    def _px(self, points: NDArray[np.floating]) -> NDArray[np.int32]:
        """(N, 2) metres to (N, 2) int32 pixels."""
        at = (points - self._low) * self._scale + self._shift
        return np.stack([at[:, 0], _PANEL_PX[1] - at[:, 1]], axis=1).round().astype(np.int32)
