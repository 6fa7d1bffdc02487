"""Poses of SQA3D look at what their situations say that they face."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from scenemind.evaluation.datasets import Question, ScanPose, read_sqa3d
from scenemind.evaluation.scannet_pose import EYE_HEIGHT_M, world_T_head
from scenemind.evaluation.scenes import Scenes
from scenemind.geometry import Box3D, Pose
from scenemind.words.vocabulary import Vocabulary

FACING = re.compile(r"\bfacing (?:the|a|an) (\w+)")


def test_unturned_agents_look_along_minus_x_from_the_middle() -> None:
    boxes = [Box3D((3.0, 1.0, 0.5), (2.0, 2.0, 1.0)), Box3D((5.0, 5.0, 1.0), (2.0, 2.0, 1.0))]
    pose = ScanPose((0.5, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0))
    head = world_T_head(pose, Pose.identity(), boxes)
    # The boxes span 2..6 and 0..6: their middle is (4, 3).
    np.testing.assert_allclose(head.translation, (4.5, 3.0, EYE_HEIGHT_M))
    np.testing.assert_allclose(head.rotation[:, 0], (-1.0, 0.0, 0.0), atol=1e-12)
    np.testing.assert_allclose(head.rotation[:, 2], (0.0, 0.0, 1.0), atol=1e-12)


def test_the_axis_alignment_turns_place_and_heading_and_shifts_neither() -> None:
    quarter = Pose.from_quaternion((7.0, -9.0, 1.0), (0.0, 0.0, np.sqrt(0.5), np.sqrt(0.5)))
    pose = ScanPose((0.5, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0))
    head = world_T_head(pose, quarter, [Box3D((0.0, 0.0, 1.0), (4.0, 4.0, 2.0))])
    np.testing.assert_allclose(head.translation[:2], (0.0, 0.5), atol=1e-12)
    np.testing.assert_allclose(head.rotation[:, 0], (0.0, -1.0, 0.0), atol=1e-12)


def test_who_faces_a_thing_looks_at_it(shared_data: Path) -> None:
    """Of situations that say "facing the X" where the scene has one X."""
    annotations = shared_data / "annotations"
    scenes = Scenes(annotations / "scannet_objects.json.gz")
    rows = {row.situation: row for row in read_sqa3d(annotations / "sqa3d")}
    found = [cosine for row in rows.values() if (cosine := _find_cosine(row, scenes)) is not None]
    assert len(found) > 30
    assert np.mean(found) > 0.85
    assert np.median(found) > 0.95


def _find_cosine(row: Question, scenes: Scenes) -> float | None:
    """Between the heading and the direction of the thing faced; None where it is not one thing."""
    said = FACING.search(row.situation.lower())
    if said is None:
        return None
    objects = scenes.get_snapshot(row.scene_id).objects
    matches = Vocabulary.load().match(said[1], {thing.label for thing in objects.values()})
    labels = {match.label for match in matches if match.sure}
    things = [thing for thing in objects.values() if thing.label in labels]
    if len(things) != 1:
        return None
    head = scenes.get_viewpoint(row.scene_id, row.pose)
    offset = np.asarray(things[0].box.center[:2]) - head.translation[:2]
    return float(offset @ head.rotation[:2, 0] / np.linalg.norm(offset))


@pytest.mark.parametrize("yaw", [0.0, 0.7, -2.0])
def test_agents_stand_upright(yaw: float) -> None:
    pose = ScanPose((0.0, 0.0, 0.0), (0.0, 0.0, float(np.sin(yaw / 2)), float(np.cos(yaw / 2))))
    head = world_T_head(pose, Pose.identity(), [Box3D((0.0, 0.0, 0.0), (1.0, 1.0, 1.0))])
    np.testing.assert_allclose(head.rotation[:, 2], (0.0, 0.0, 1.0), atol=1e-12)
    np.testing.assert_allclose(head.rotation[:2, 0], (-np.cos(yaw), -np.sin(yaw)), atol=1e-12)
