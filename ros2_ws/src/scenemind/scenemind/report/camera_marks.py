"""Places of the camera on the map from above."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scenemind.geometry import Pose
from scenemind.memory import KeyFrame, LocationNode
from scenemind.report.label_places import Rectangle
from scenemind.report.view import View

MARK_PX = 9.0  # radius
_TIP_PX = 9.0
_WEDGE_PX = 80.0  # how far a frame's field of view is drawn


@dataclass(frozen=True, slots=True)
class Mark:
    """A numbered place and where the camera looked.

    Attributes:
        wedge: its field of view as SVG's list of points; empty: not drawn.
    """

    number: int
    title: str
    x: float
    y: float
    tip_x: float
    tip_y: float
    wedge: str = ""

    def place(self) -> Rectangle:
        """What it covers, pixels."""
        return self.x - MARK_PX, self.y - MARK_PX, self.x + MARK_PX, self.y + MARK_PX


def mark_of_location(location: LocationNode, view: View) -> Mark:
    """A location's anchor under the location's own number."""
    title = f"location {location.location_id}"
    return _mark(location.location_id, title, location.anchor, view)


def mark_of_frame(frame: KeyFrame, rank: int, view: View) -> Mark:
    """Where a chosen frame was taken, under its rank."""
    title = f"frame {frame.frame_number}, location {frame.location_id}"
    return _mark(rank, title, frame.world_T_camera, view, _wedge(frame, view))


def _mark(number: int, title: str, world_T_camera: Pose, view: View, wedge: str = "") -> Mark:
    at = world_T_camera.translation
    x, y = view.x(at[0]), view.y(at[1])
    tip_x, tip_y = (_level(world_T_camera.rotation[:, 2]) * (MARK_PX + _TIP_PX)).tolist()
    return Mark(number, title, x, y, round(x + tip_x, 1), round(y - tip_y, 1), wedge)


def _wedge(frame: KeyFrame, view: View) -> str:
    """From the camera along the left and the right border of its image."""
    camera, pose = frame.camera, frame.world_T_camera
    reach_m = _WEDGE_PX / view.px_per_m
    borders = [((column - camera.cx) / camera.fx, 0.0, 1.0) for column in (0.0, camera.width)]
    corners = [
        pose.translation[:2] + reach_m * _level(pose.rotation @ np.array(border))
        for border in borders
    ]
    return view.points(np.array([pose.translation[:2], *corners]))


def _level(direction: NDArray[np.float64]) -> NDArray[np.float64]:
    """(2,): a direction (3,) seen from above, of length 1; 0 where it points up or down."""
    length = float(np.linalg.norm(direction[:2]))
    return direction[:2] / length if length > 1e-6 else np.zeros(2)
