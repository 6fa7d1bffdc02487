"""What was in the picture."""

from __future__ import annotations

import numpy as np

from scenemind.geometry import PinholeCamera, Pose
from scenemind.memory.history import CameraViews

CAMERA = PinholeCamera(640, 480, 500.0, 500.0, 319.5, 239.5)
ALONG_X = np.array([[0.0, 0.0, 1.0], [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]])  # world z is up


def views(*x_m: float) -> CameraViews:
    poses = [Pose(ALONG_X, np.array([x, 0.0, 1.0])) for x in x_m]
    return CameraViews.of(poses, [CAMERA] * len(x_m))


def counts(seen: CameraViews, *points: tuple[float, float, float]) -> list[int]:
    return seen.count(np.array(points)).tolist()


def test_only_what_is_ahead_in_reach_and_within_the_borders_is_in_view() -> None:
    ahead, behind, near, far = (2.0, 0.0, 1.0), (-2.0, 0.0, 1.0), (0.1, 0.0, 1.0), (9.0, 0.0, 1.0)
    assert counts(views(0.0), ahead, behind, near, far) == [1, 0, 0, 0]
    # At 2 m the picture is 2 * 640 / 500 = 2.56 m wide and 1.92 m high.
    assert counts(views(0.0), (2.0, 1.0, 1.0), (2.0, 1.4, 1.0)) == [1, 0]
    assert counts(views(0.0), (2.0, 0.0, 1.8), (2.0, 0.0, 2.1)) == [1, 0]


def test_every_view_counts_once_however_many_there_are() -> None:
    assert counts(views(*[0.0] * 5000), (2.0, 0.0, 1.0)) == [5000]
    assert counts(views(0.0, 1.0, 3.0), (2.0, 0.0, 1.0)) == [2]
    assert counts(views(), (2.0, 0.0, 1.0)) == [0]
    assert views(0.0).count(np.zeros((0, 3))).shape == (0,)
