"""Where who asks stands: told as a pose, in words, or by where the camera is."""

from __future__ import annotations

import numpy as np
import pytest

from scenemind.geometry import Pose
from scenemind.reasoning.programs import find_viewpoint
from tests.unit.reasoning.scene import ROOM, query, snapshot_of

SNAPSHOT = snapshot_of(ROOM)
UNSEEN = snapshot_of(ROOM, None)


def test_a_pose_says_it_best() -> None:
    pose = Pose(np.eye(3), np.array((1.0, 1.0, 1.0)))
    found = find_viewpoint(query("?", viewpoint=pose, situation="I face the door."), SNAPSHOT)
    assert found is not None
    assert found.position == pytest.approx(pose.translation)
    assert found.ahead == pytest.approx((1.0, 0.0))


def test_words_put_one_somewhere() -> None:
    words = "I am facing the door, the sofa is on my left and the shelf on my right."
    found = find_viewpoint(query("?", situation=words), UNSEEN)
    assert found is not None
    for label, side in (("sofa", -1.0), ("shelf", 1.0)):
        center = next(np.array(o.box.center[:2]) for o in ROOM if o.label == label)
        assert side * float((center - found.position[:2]) @ found.right) > 0.0
    assert found.ahead[1] > 0.7


def test_words_that_tell_nothing_do_not_mean_the_camera() -> None:
    assert find_viewpoint(query("?", situation="It is raining."), SNAPSHOT) is None
    assert find_viewpoint(query("?", situation="I face the door."), snapshot_of(())) is None


def test_else_it_is_the_camera_where_there_is_one() -> None:
    found = find_viewpoint(query("?"), SNAPSHOT)
    assert found is not None
    assert found.position == pytest.approx((0.0, -3.0, 1.2))
    assert find_viewpoint(query("?"), UNSEEN) is None
