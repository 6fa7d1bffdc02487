"""A target in a frame to a box in the world, in a simulated room."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np
import pytest

from scenemind.cli.bench.projection.filmed_room import FilmedRoom, film_room
from scenemind.cli.bench.projection.true_masks import TrueMasks
from scenemind.config import VlmGrounderConfig
from scenemind.geometry import Pose, iou_3d
from scenemind.memory import DepthImage, FrameIndex
from scenemind.models import Allowance, ModelError
from scenemind.reasoning import ReasoningError
from scenemind.reasoning.method import Asking
from scenemind.reasoning.vlm_grounder.projection import measure, pictures_of
from scenemind.reasoning.vlm_grounder.types import Measured, Target
from scenemind.simulation import SimpleDepthNoise

CONFIG = VlmGrounderConfig()


@pytest.fixture(scope="module")
def room() -> FilmedRoom:
    return film_room(1, 40, SimpleDepthNoise())


def target_of(room: FilmedRoom, label: str, *, known: bool = True) -> Target:
    """Where most of it is seen."""
    instance = next(i.instance_id for i in room.room.objects if i.label == label)
    frames = [f for f in room.frames if instance in f.masks]
    best = max(frames, key=lambda f: int(f.masks[instance].bits.sum()))
    box_px = best.frame.boxes_px[instance]
    return Target(best.frame, box_px, instance if known else None)


def measured(
    room: FilmedRoom,
    target: Target,
    config: VlmGrounderConfig = CONFIG,
    index: FrameIndex | None = None,
) -> Measured:
    masks = TrueMasks(room.masks, "exact")
    return measure(target, room, index or room.frame_index(), masks, config, Asking())


def true_iou(room: FilmedRoom, found: Measured, label: str) -> float:
    return iou_3d(found.box, next(i.box for i in room.room.objects if i.label == label))


@pytest.mark.parametrize("label", ["couch", "cabinet", "refrigerator", "dining table"])
def test_boxes_are_those_of_the_room(room: FilmedRoom, label: str) -> None:
    found = measured(room, target_of(room, label))
    assert true_iou(room, found, label) > 0.75
    assert 2 <= len(found.views) <= CONFIG.views
    assert found.views[0].chamfer_m == 0.0
    assert [v.chamfer_m for v in found.views] == sorted(v.chamfer_m for v in found.views)
    assert all(view.chamfer_m <= CONFIG.chamfer_m for view in found.views)
    assert found.box.yaw == 0.0


def test_several_views_see_more_than_one(room: FilmedRoom) -> None:
    target = target_of(room, "couch")
    alone = measured(room, target, CONFIG.model_copy(update={"views": 1}))
    assert len(alone.views) == 1
    assert true_iou(room, alone, "couch") < true_iou(room, measured(room, target), "couch")


def test_what_the_map_does_not_know_is_found_by_its_points(room: FilmedRoom) -> None:
    target = target_of(room, "couch", known=False)
    index = room.frame_index()
    nothing_known = replace(index, detection_objects=np.zeros_like(index.detection_objects))
    found = measured(room, target, index=nothing_known)
    assert len(found.views) > 2
    assert true_iou(room, found, "couch") > 0.75


def test_frames_that_are_stored_twice_change_nothing(room: FilmedRoom) -> None:
    target = target_of(room, "couch")
    doubled = FilmedRoom(room.room, [f for filmed in room.frames for f in (filmed, filmed)])
    again = [
        replace(f, frame=replace(f.frame, frame_number=number))
        for number, f in enumerate(doubled.frames)
    ]
    doubled = FilmedRoom(room.room, again)
    twin = replace(target, frame=again[2 * target.frame.frame_number].frame)
    once, twice = measured(room, target), measured(doubled, twin)
    assert iou_3d(once.box, twice.box) > 0.9
    assert len(twice.points) < 1.3 * len(once.points)


class _WithPoses(FilmedRoom):
    """Some frames say that they were taken elsewhere."""

    def __init__(self, room: FilmedRoom, wrong: Sequence[int], off: Pose) -> None:
        super().__init__(room.room, room.frames)
        poses = self._index.world_T_camera.copy()
        poses[list(wrong)] = off.matrix() @ poses[list(wrong)]
        self._index = replace(self._index, world_T_camera=poses)


def test_views_with_poor_poses_are_laid_by_their_features(room: FilmedRoom) -> None:
    """All other frames have slipped by 0.7 m; without features none could be used."""
    target = target_of(room, "couch")
    others = [n for n in range(len(room.frames)) if n != target.frame.frame_number]
    slipped = _WithPoses(room, others, Pose(np.eye(3), np.array([0.5, -0.5, 0.0])))
    found = measured(slipped, target)
    assert true_iou(room, found, "couch") > 0.5
    assert len(found.views) > 1
    assert any("features" in step for step in found.steps)


class _WithoutDepth(FilmedRoom):
    def depth_image(self, frame_number: int) -> DepthImage:
        depth = super().depth_image(frame_number)
        return replace(depth, depth_m=np.zeros_like(depth.depth_m))


def test_a_target_without_any_depth_is_not_found(room: FilmedRoom) -> None:
    blind = _WithoutDepth(room.room, room.frames)
    with pytest.raises(ReasoningError, match="no depth was measured") as raised:
        measured(blind, target_of(room, "couch"))
    assert raised.value.failure.code == "not_found"


def test_a_cancelled_question_stops(room: FilmedRoom) -> None:
    asking = Asking(Allowance(60.0))
    asking.allowance.cancel()
    masks = TrueMasks(room.masks, "exact")
    with pytest.raises(ModelError):
        measure(target_of(room, "couch"), room, room.frame_index(), masks, CONFIG, asking)


def test_without_time_for_other_views_the_anchor_alone_is_measured(room: FilmedRoom) -> None:
    masks = TrueMasks(room.masks, "exact")
    target, index = target_of(room, "couch"), room.frame_index()
    found = measure(target, room, index, masks, CONFIG, Asking(Allowance(0.0)))
    assert len(found.views) == 1
    assert any("want of time" in step for step in found.steps)


def test_pictures_can_be_looked_at(room: FilmedRoom) -> None:
    pictures = pictures_of(measured(room, target_of(room, "couch")))
    assert len(pictures) == 3
    for picture in pictures:
        image = cv2.imdecode(np.frombuffer(picture.jpeg, np.uint8), cv2.IMREAD_COLOR)
        assert image is not None
        assert image.std() > 5.0, picture.title
