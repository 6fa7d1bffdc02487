"""Where browsers look from."""

from __future__ import annotations

import numpy as np
import viser
from numpy.typing import ArrayLike

from scenemind.memory import KeyFrame, MapObject
from scenemind.viewer.scene_layer import quaternion_wxyz

_BESIDE_M, _ABOVE_M = 0.9, 0.7  # from a thing, beside twice its size


def fly_to_frame(client: viser.ClientHandle, frame: KeyFrame) -> None:
    """Look as the camera did."""
    with client.atomic():
        client.camera.wxyz = quaternion_wxyz(frame.world_T_camera.rotation)
        client.camera.position = tuple(frame.world_T_camera.translation.tolist())


def fly_to_object(client: viser.ClientHandle, thing: MapObject) -> None:
    """Look at it from near, from the side on which one is, and from above."""
    center = np.asarray(thing.box.center)
    away = np.asarray(client.camera.position)[:2] - center[:2]
    length = float(np.linalg.norm(away))
    side = away / length if length > 0.01 else np.array([1.0, 0.0])
    size = max(thing.box.size)
    x, y = center[:2] + side * (_BESIDE_M + 2.0 * size)
    with client.atomic():
        client.camera.up_direction = (0.0, 0.0, 1.0)
        client.camera.position = (x, y, center[2] + _ABOVE_M + size)
        client.camera.look_at = tuple(center.tolist())


def look_inside(server: viser.ViserServer, places: ArrayLike) -> None:
    """The first view of a browser: from above a corner of what is there.

    Args:
        places: (..., 3), world; of none nothing is changed.
    """
    points = np.asarray(places).reshape(-1, 3)
    if not len(points):
        return
    low, high = np.percentile(points, (1.0, 99.0), axis=0)  # stray points are not the place
    middle, reach = (low + high) / 2.0, float((high - low)[:2].max())
    x, y, z = middle.tolist()
    camera = server.initial_camera
    camera.position = (x - 0.5 * reach, y - 0.5 * reach, z + 0.7 * reach)
    camera.look_at = (x, y, float(low[2]))
    camera.up = (0.0, 0.0, 1.0)
