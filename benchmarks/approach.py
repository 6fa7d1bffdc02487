"""Approach poses in simulated rooms, against the rooms themselves.

Each room is mapped with a simulated camera of usual noise. For every object on the floor or on
furniture the best poses are asked for, and checked: the robot's circle against the exact solids
that stand between the floor and its height, and an exact picture from the robot's camera, in which
the object must have pixels.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import cv2
import numpy as np

import scenemind as sm
from scenemind.bench.machine import machine, versions
from scenemind.geometry import iou_3d
from scenemind.memory import MapObject
from scenemind.memory.occupancy.approach import ApproachError, ApproachPose
from scenemind.perception.backends.instance_camera import InstanceCamera
from scenemind.simulation import Room, Sensors, SimObject, simulate
from scenemind.simulation.renderer import Renderer
from scenemind.simulation.trajectory import EYE_HEIGHT_M, look

_LOWEST_M, _HIGHEST_M = 0.05, 1.65  # what can be in a robot's way
_LEAST_PIXELS = 60  # of an object in view, as the instance camera reports it
_LEAST_IOU = 0.1


def bench_approach(
    rooms: Sequence[int], frames: int = 240, count: int = 3, radius_m: float = 0.25
) -> dict[str, Any]:
    """Shares of the poses, and of the objects, by what became of them.

    Args:
        rooms: seeds. count: poses of each object.
    """
    found: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    for seed in rooms:
        _measure(seed, frames, count, radius_m, found, reasons)
    poses = max(1, found["poses"])
    return {
        "rooms": list(rooms),
        "radius_m": radius_m,
        "objects": found["objects"],
        "not_mapped": found["not_mapped"],
        "with_poses": found["with_poses"],
        "nothing_known": found["nothing_known"],
        "poses": found["poses"],
        "collision_free": found["collision_free"] / poses,
        "in_view": found["in_view"] / poses,
        "both": found["both"] / poses,
        "both_best_pose": found["both_best"] / max(1, found["with_poses"]),
        "reasons": dict(reasons),
        "machine": machine(),
        "versions": versions(),
    }


def _measure(
    seed: int,
    frames: int,
    count: int,
    radius_m: float,
    found: Counter[str],
    reasons: Counter[str],
) -> None:
    sequence = simulate(seed, frames, Sensors(640, 480))
    room = sequence.room
    renderer = Renderer(room, Sensors(640, 480).camera)
    with sm.create(detector=InstanceCamera(room.class_names)) as scene:
        scene.map(sequence)
        camera = scene.snapshot.world_T_camera
        assert camera is not None
        pitch_rad = float(np.arcsin(camera.rotation[2, 2]))
        for item in room.objects:
            if item.on_wall:
                continue
            found["objects"] += 1
            thing = _mapped(item, scene.objects)
            if thing is None:
                found["not_mapped"] += 1
                continue
            try:
                poses = scene.approach_poses(thing, None, "look", radius_m, count)
            except ApproachError as error:
                found["nothing_known"] += 1
                hidden = "hides it" in str(error)
                reasons["hidden or out of view" if hidden else "no free floor"] += 1
                continue
            found["with_poses"] += 1
            for number, pose in enumerate(poses):
                is_free = clearance_m(room, pose) >= radius_m
                view = look(pose.x, pose.y, EYE_HEIGHT_M, pose.yaw, pitch_rad)
                pixels = np.count_nonzero(renderer.render(view).instances == item.instance_id)
                in_view = bool(pixels >= _LEAST_PIXELS)
                found["poses"] += 1
                found["collision_free"] += is_free
                found["in_view"] += in_view
                found["both"] += is_free and in_view
                found["both_best"] += is_free and in_view and number == 0


def _mapped(item: SimObject, objects: Sequence[MapObject]) -> MapObject | None:
    """The object of the map that is most of a true one."""
    best = max(objects, key=lambda thing: iou_3d(thing.box, item.box), default=None)
    return best if best is not None and iou_3d(best.box, item.box) >= _LEAST_IOU else None


def clearance_m(room: Room, pose: ApproachPose) -> float:
    """From a pose to the nearest solid or wall in a robot's way; negative within one."""
    walls = min(room.size[0] / 2 - abs(pose.x), room.size[1] / 2 - abs(pose.y))
    gaps = [walls]
    for part in (part for item in room.objects for part in item.parts):
        corners = part.corners()
        if corners[:, 2].min() < _HIGHEST_M and corners[:, 2].max() > _LOWEST_M:
            outline = cv2.convexHull(corners[:, :2].astype(np.float32))
            gaps.append(-cv2.pointPolygonTest(outline, (pose.x, pose.y), True))
    return float(min(gaps))
