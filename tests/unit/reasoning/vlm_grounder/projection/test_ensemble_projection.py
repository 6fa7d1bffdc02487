"""A target measured from several views: boxes, failures, and points of the floor."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from benchmarks.filmed_room import FilmedRoom, TrueMasks, film_room
from scenemind.config import VlmGrounderConfig
from scenemind.frames import RGBDFrame
from scenemind.geometry import Box3D, Pose, iou_3d
from scenemind.memory import DepthImage, FrameIndex
from scenemind.memory.types import StructurePlane
from scenemind.models import Allowance, ModelError
from scenemind.perception.types import BoxMask, cut_mask
from scenemind.reasoning import ReasoningError
from scenemind.reasoning.method import Asking
from scenemind.reasoning.vlm_grounder.projection import measure, pictures_of
from scenemind.reasoning.vlm_grounder.projection.ensemble_projection import (
    beneath,
    find_floor_z,
    on_floor,
)
from scenemind.reasoning.vlm_grounder.projection.surface import Surface
from scenemind.reasoning.vlm_grounder.targets import Measured, StoredScene, Target
from scenemind.simulation import SimpleDepthNoise
from tests.unit.reasoning.scene import ROOM, snapshot_of

CONFIG = VlmGrounderConfig()


@pytest.fixture(scope="module")
def room() -> FilmedRoom:
    return film_room(1, 40, SimpleDepthNoise())


def target_of(room: FilmedRoom, label: str, *, known: bool = True) -> Target:
    """The view that shows most of the target."""
    instance = next(i.instance_id for i in room.room.objects if i.label == label)
    frames = [f for f in room.frames if instance in f.masks]
    best = max(frames, key=lambda f: int(f.masks[instance].bits.sum()))
    box_px = best.frame.boxes_px[instance]
    return Target(best.frame, box_px, instance if known else None)


def scene_of(room: FilmedRoom, index: FrameIndex | None = None) -> StoredScene:
    return StoredScene(room, index or room.frame_index(), room.snapshot())


def measured(
    room: FilmedRoom,
    target: Target,
    config: VlmGrounderConfig = CONFIG,
    index: FrameIndex | None = None,
) -> Measured:
    masks = TrueMasks(room.masks, "exact")
    return measure(target, scene_of(room, index), masks, config, Asking())


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


def test_a_chair_with_little_depth_is_where_its_masks_meet_the_floor(room: FilmedRoom) -> None:
    chair = next(thing for thing in reversed(room.room.objects) if thing.label == "chair")
    own = chair.instance_id
    dark = []
    for filmed in room.frames:
        depth_m, step = filmed.depth.depth_m.copy(), filmed.depth.every_px
        if (mask := filmed.masks.get(own)) is not None:
            v, u = np.nonzero(mask.bits)
            v, u = (v + mask.y_px) // step, (u + mask.x_px) // step
            lost = (u + v) % 3 > 0
            depth_m[v[lost], u[lost]] = 0.0
        dark.append(replace(filmed, depth=replace(filmed.depth, depth_m=depth_m)))
    best = max(
        (filmed for filmed in room.frames if own in filmed.masks),
        key=lambda filmed: int(filmed.masks[own].bits.sum()),
    )
    target = Target(best.frame, best.frame.boxes_px[own], own, labels=frozenset({"chair"}))

    found = measured(FilmedRoom(room.room, dark), target)

    assert iou_3d(found.box, chair.box) > 0.5
    assert found.box.bottom_z == pytest.approx(0.0, abs=0.02)
    assert "masks meet their support" in found.steps[-1]


class UpperHalves:
    """Masks without their lower half, as of things behind a table."""

    name = "upper halves"

    def __init__(self, masks: TrueMasks) -> None:
        self._masks = masks

    def segment(
        self, frame: RGBDFrame, boxes_px: NDArray[np.floating]
    ) -> tuple[BoxMask | None, ...]:
        found = self._masks.segment(frame, boxes_px)
        return tuple(mask and cut_mask(_upper(mask.bits), mask.x_px, mask.y_px) for mask in found)


def _upper(bits: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The upper half of what is set."""
    rows = np.flatnonzero(bits.any(axis=1))
    upper = bits.copy()
    upper[(rows[0] + rows[-1] + 1) // 2 :] = False
    return upper


@pytest.mark.parametrize(("knows_floor", "bottom_z"), [(True, 0.0), (False, 0.13)])
def test_what_stands_on_the_floor_reaches_it_though_its_lower_half_is_hidden(
    room: FilmedRoom, knows_floor: bool, bottom_z: float
) -> None:
    snapshot = room.snapshot()
    floor = StructurePlane(-1, "floor", Box3D((0.0, 0.0, 0.0), (9.0, 9.0, 0.0)), (0, 0, 1), 80.0)
    snapshot = replace(snapshot, structure={-1: floor} if knows_floor else {})
    scene = StoredScene(room, room.frame_index(), snapshot)
    masks = UpperHalves(TrueMasks(room.masks, "exact"))
    target = replace(target_of(room, "couch"), labels=frozenset({"couch"}))
    found = measure(target, scene, masks, CONFIG, Asking())
    assert found.box.bottom_z == pytest.approx(bottom_z, abs=0.01)


def test_several_views_see_more_than_one(room: FilmedRoom) -> None:
    target = target_of(room, "couch")
    alone = measured(room, target, CONFIG.model_copy(update={"views": 1}))
    assert len(alone.views) == 1
    assert true_iou(room, alone, "couch") < true_iou(room, measured(room, target), "couch")


def test_target_unknown_to_the_map_is_found_by_its_points(room: FilmedRoom) -> None:
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
        measure(target_of(room, "couch"), StoredScene.of(room), masks, CONFIG, asking)


def test_without_time_for_other_views_the_anchor_alone_is_measured(room: FilmedRoom) -> None:
    masks = TrueMasks(room.masks, "exact")
    target, index = target_of(room, "couch"), room.frame_index()
    found = measure(target, scene_of(room, index), masks, CONFIG, Asking(Allowance(0.0)))
    assert len(found.views) == 1
    assert any("want of time" in step for step in found.steps)


def test_pictures_can_be_looked_at(room: FilmedRoom) -> None:
    pictures = pictures_of(measured(room, target_of(room, "couch")))
    assert len(pictures) == 3
    for picture in pictures:
        image = cv2.imdecode(np.frombuffer(picture.jpeg, np.uint8), cv2.IMREAD_COLOR)
        assert image is not None
        assert image.std() > 5.0, picture.title


FLOOR_Z = -1.5


def surface(points: NDArray[np.floating]) -> Surface:
    """Samples without noise, seen from above."""
    column = np.full(len(points), 0.01, np.float32)
    rays = np.tile(np.array([0.0, 0.0, -1.0], np.float32), (len(points), 1))
    return Surface(points.astype(np.float32), rays, column, column, column)


def stool(spilt_m: float) -> Surface:
    """Half a metre high and wide, and the floor as far around it."""
    rng = np.random.default_rng(0)
    thing = rng.uniform((-0.25, -0.25, FLOOR_Z), (0.25, 0.25, FLOOR_Z + 0.5), (900, 3))
    side = 0.25 + spilt_m
    ground = rng.uniform((-side, -side, FLOOR_Z), (side, side, FLOOR_Z + 0.01), (900, 3))
    return surface(np.concatenate((thing, ground)))


def test_floor_around_a_thing_is_found() -> None:
    spilt = stool(1.0)
    ground = on_floor(spilt, FLOOR_Z)
    assert ground[900:].all()
    assert 0.05 < ground[:900].mean() < 0.2  # its own feet, 6 cm of 50


def test_feet_stay() -> None:
    spilt = stool(1.0)
    ground = on_floor(spilt, FLOOR_Z)
    own = beneath(spilt.select(ground), spilt.select(~ground)).points
    assert np.abs(own[:, :2]).max() <= 0.25
    assert own[:, 2].min() < FLOOR_Z + 0.01
    assert len(own) > ground[:900].sum() * 0.95


def test_a_rug_is_its_own_floor() -> None:
    rug = np.random.default_rng(0).uniform((0, 0, FLOOR_Z), (2, 1, FLOOR_Z + 0.02), (500, 3))
    assert not on_floor(surface(rug), FLOOR_Z).any()


def test_the_floor_is_the_map_s() -> None:
    snapshot = snapshot_of(ROOM)
    box = Box3D((0.0, 0.0, FLOOR_Z - 0.01), (8.0, 8.0, 0.02))
    plane = StructurePlane(-1, "floor", box, (0.0, 0.0, 1.0), 30.0)
    wall = StructurePlane(-3, "wall", box, (1.0, 0.0, 0.0), 30.0)
    known = replace(snapshot, structure={-3: wall, -1: plane})
    assert find_floor_z(known) == FLOOR_Z
    assert find_floor_z(replace(snapshot, structure={-3: wall})) is None
