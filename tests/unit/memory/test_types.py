"""Computed properties of memory values."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from scenemind.geometry import Box3D
from scenemind.memory import MapObject

TURNED = Box3D((1.0, 2.0, 0.5), (2.0, 0.5, 1.0), 0.5)


def made(points: np.ndarray) -> MapObject:
    corners = TURNED.corners()
    hull = Box3D.from_bounds(corners.min(axis=0), corners.max(axis=0))
    return MapObject(1, "bench", "bench", {}, 0.9, hull, points, 0, 1, 5, (1,))


def test_the_yaw_box_is_turned_as_the_points_lie() -> None:
    box = made(TURNED.corners().astype(np.float32)).yaw_box
    np.testing.assert_allclose(box.corners(), TURNED.corners(), atol=1e-4)


def test_yaw_box_without_points_is_the_given_one_or_the_box() -> None:
    bare = made(np.zeros((0, 3), np.float32))
    assert bare.yaw_box == bare.box
    received = replace(bare, known_yaw_box=TURNED)
    assert received.yaw_box == TURNED
    assert replace(received, label="table").yaw_box == TURNED


def test_other_points_give_another_yaw_box() -> None:
    thing = made(TURNED.corners().astype(np.float32))
    assert thing.yaw_box.yaw == pytest.approx(0.5, abs=1e-4)
    along = replace(TURNED, yaw=0.0).corners().astype(np.float32)
    assert replace(thing, points=along).yaw_box.yaw == 0.0
