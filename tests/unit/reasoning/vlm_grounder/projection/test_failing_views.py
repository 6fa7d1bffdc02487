"""Images and segmenters that fail: other views are left out, the target's own ends it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from benchmarks.filmed_room import FilmedRoom, TrueMasks, film_room
from scenemind.config import VlmGrounderConfig
from scenemind.frames import RGBDFrame
from scenemind.geometry import Pose, iou_3d
from scenemind.memory import KeyFrame
from scenemind.models import Allowance, ModelError
from scenemind.perception.protocols import Segmenter
from scenemind.perception.types import BoxMask, PerceptionError
from scenemind.reasoning import ReasoningError
from scenemind.reasoning.method import Asking
from scenemind.reasoning.vlm_grounder.projection import measure
from scenemind.reasoning.vlm_grounder.targets import Measured, StoredScene, Target
from scenemind.simulation import SimpleDepthNoise

CONFIG = VlmGrounderConfig()
LABEL = "couch"


@pytest.fixture(scope="module")
def room() -> FilmedRoom:
    return film_room(1, 28, SimpleDepthNoise())


def target_of(room: FilmedRoom) -> Target:
    instance = next(i.instance_id for i in room.room.objects if i.label == LABEL)
    frames = [f for f in room.frames if instance in f.masks]
    best = max(frames, key=lambda f: int(f.masks[instance].bits.sum()))
    return Target(best.frame, best.frame.boxes_px[instance], instance)


def measured(
    room: FilmedRoom, target: Target, masks: Segmenter, asking: Asking | None = None
) -> Measured:
    return measure(target, StoredScene.of(room), masks, CONFIG, asking or Asking())


class _Failing:
    """Exact masks, but for some calls, counted from 0."""

    name = "failing masks"

    def __init__(self, room: FilmedRoom, fails: Callable[[int], bool], error: Exception) -> None:
        self._masks = TrueMasks(room.masks, "exact")
        self._fails = fails
        self._error = error
        self.calls = 0

    def segment(
        self, frame: RGBDFrame, boxes_px: NDArray[np.floating]
    ) -> tuple[BoxMask | None, ...]:
        self.calls += 1
        if self._fails(self.calls - 1):
            raise self._error
        return self._masks.segment(frame, boxes_px)


class _Damaged(FilmedRoom):
    """Images of frames are cut short, all but one; poses of these may be off too."""

    def __init__(self, room: FilmedRoom, whole: int, off: Pose | None = None) -> None:
        super().__init__(room.room, room.frames)
        self._whole = whole
        if off is not None:
            poses = self._index.world_T_camera.copy()
            others = np.arange(len(poses)) != whole
            poses[others] = off.matrix() @ poses[others]
            self._index = replace(self._index, world_T_camera=poses)

    def key_frame(self, frame_number: int, object_ids: Sequence[int] = ()) -> KeyFrame:
        frame = super().key_frame(frame_number, object_ids)
        return frame if frame_number == self._whole else replace(frame, jpeg=frame.jpeg[:20])


def test_a_segmenter_that_fails_on_another_view_leaves_that_one_out(room: FilmedRoom) -> None:
    masks = _Failing(room, lambda call: call in (1, 2), PerceptionError("out of memory"))
    found = measured(room, target_of(room), masks)
    truth = next(item.box for item in room.room.objects if item.label == LABEL)
    assert len(found.views) > 2
    assert iou_3d(found.box, truth) > 0.75
    assert any("2 on which failing masks failed" in step for step in found.steps)


def test_a_segmenter_that_fails_on_the_target_ends_it(room: FilmedRoom) -> None:
    masks = _Failing(room, lambda call: call == 0, PerceptionError("out of memory"))
    with pytest.raises(
        ReasoningError, match=r"failing masks failed on .*: out of memory"
    ) as raised:
        measured(room, target_of(room), masks)
    assert raised.value.failure.code == "model_failed"


@pytest.mark.parametrize("off", [None, Pose(np.eye(3), np.array([0.5, -0.5, 0.0]))])
def test_damaged_images_of_other_views_are_left_out(room: FilmedRoom, off: Pose | None) -> None:
    """Also where the image would have been needed to find the pose."""
    target = target_of(room)
    damaged = _Damaged(room, target.frame.frame_number, off)
    found = measured(damaged, target, TrueMasks(room.masks, "exact"))
    assert len(found.views) == 1
    assert any("whose image is damaged" in step for step in found.steps)


def test_a_damaged_image_of_the_target_is_not_the_segmenters_fault(room: FilmedRoom) -> None:
    target = target_of(room)
    target = replace(target, frame=replace(target.frame, jpeg=target.frame.jpeg[:20]))
    with pytest.raises(ReasoningError, match=r"image of frame \d+ is damaged") as raised:
        measured(room, target, TrueMasks(room.masks, "exact"))
    assert raised.value.failure.code == "not_found"


def test_being_too_late_is_no_failure_of_a_view(room: FilmedRoom) -> None:
    masks = _Failing(room, lambda call: call == 1, ModelError("too_late", "the time is over"))
    with pytest.raises(ModelError, match="the time is over"):
        measured(room, target_of(room), masks)


def test_no_other_view_is_segmented_after_a_question_was_cancelled(room: FilmedRoom) -> None:
    asking = Asking(Allowance(60.0))

    def cancelled_at_the_third(call: int) -> bool:
        if call == 2:
            asking.allowance.cancel()
        return False

    masks = _Failing(room, cancelled_at_the_third, PerceptionError("never raised"))
    with pytest.raises(ModelError) as raised:
        measured(room, target_of(room), masks, asking)
    assert raised.value.kind == "cancelled"
    assert masks.calls == 3


def test_steps_name_the_segmenter(room: FilmedRoom) -> None:
    masks = TrueMasks(room.masks, "exact")
    assert f"masks: {masks.name}" in measured(room, target_of(room), masks).steps
