"""Where a robot may stand to look at a thing or to reach it.

A place counts if the camera has seen all floor under the robot to be free, if nothing of the map
stands there, and if the robot can get there over such floor. Places are weighed by how much of the
thing is seen from there past all that is known to stand between, by how much of it is within the
camera's image, and by their distance.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from scenemind.errors import MemoryRequestError, SceneMemoryError
from scenemind.geometry import Box3D, PinholeCamera, Pose
from scenemind.memory.occupancy.grid import FREE, OCCUPIED, UNKNOWN, OccupancyGrid
from scenemind.memory.occupancy.occupancy_map import HIGHEST_M, LOWEST_M
from scenemind.memory.types import MapObject

Purpose = Literal["look", "reach"]
PURPOSES: tuple[Purpose, ...] = ("look", "reach")
_STAND_OFF_M = {"look": 0.8, "reach": 0.05}
_FURTHER_M = {"look": 2.0, "reach": 0.6}  # where nothing nearer is free
_MOST_PLACES = 500  # that are looked at in detail
_START_M = 1.0  # from the robot to floor that is known to be free
_APART_M = 0.4  # of two poses
_LEAST_VISIBLE = 0.3
_NEAR_M, _TOLERANCE_M = 0.1, 0.05  # of a thing's own surface, and of the heights of others
# Sides of a thing within its box, as shares.
_SHARES = np.array([0.1, 0.5, 0.9])


class ApproachError(SceneMemoryError):
    """Nowhere is known to stand; the message says why."""


@dataclass(frozen=True, slots=True)
class Robot:
    """What stands, and what it looks with.

    Attributes:
        radius_m: of the footprint, a circle.
        place: x, y where it stands now, world; None: places that it cannot get to count as well.
        camera: of its camera; None: any view will do.
        eye_m: height of the camera above the floor.
        pitch_rad: of the camera, upwards.
    """

    radius_m: float = 0.25
    place: tuple[float, float] | None = None
    camera: PinholeCamera | None = None
    eye_m: float = 1.1
    pitch_rad: float = 0.0

    def looking_as(self, world_T_camera: Pose, floor_z: float) -> Robot:
        """This robot with its camera mounted as a pose has it."""
        forward = world_T_camera.rotation[:, 2]
        pitch_rad = float(np.arcsin(np.clip(forward[2], -1.0, 1.0)))
        eye_m = float(world_T_camera.translation[2]) - floor_z
        return replace(self, eye_m=eye_m, pitch_rad=pitch_rad)


ROBOT = Robot()


@dataclass(frozen=True, slots=True)
class ApproachPose:
    """A place to stand, in the world frame.

    Attributes:
        x, y, z: metres, on the floor. yaw: radians about z; the thing's middle is straight ahead.
        score: in (0, 1]; best poses first.
        stand_off_m: from the edge of the footprint to the side of the thing's box.
        visible: share of the thing that nothing known hides from there.
    """

    x: float
    y: float
    z: float
    yaw: float
    score: float
    stand_off_m: float
    visible: float


def approach_poses(
    thing: MapObject,
    others: Iterable[MapObject],
    grid: OccupancyGrid,
    robot: Robot,
    purpose: Purpose = "look",
    stand_off_m: float | None = None,
    count: int = 5,
) -> list[ApproachPose]:
    """Up to `count` poses, best first.

    Args:
        others: the objects of the map.
        stand_off_m: least distance from the edge of the footprint to the side of the thing's box;
            None: 0.8 m to look, 0.05 m to reach.

    Raises:
        ApproachError: none is known; the message says why.
        SceneMemoryError: a number or the purpose cannot be.
    """
    if purpose not in PURPOSES:
        raise MemoryRequestError(
            f"there is no purpose {purpose!r}: there are {', '.join(PURPOSES)}"
        )
    least_m = _STAND_OFF_M[purpose] if stand_off_m is None else stand_off_m
    if not (0.0 <= least_m < 100.0 and 0.0 < robot.radius_m < 10.0 and count >= 1):
        raise MemoryRequestError(
            f"a stand-off of {least_m} m, a radius of {robot.radius_m} m or {count} poses: give"
            " finite lengths in metres, the radius above 0, and at least one pose"
        )
    name = f"{thing.label} {thing.object_id}"
    things = [other for other in others if other.object_id != thing.object_id]
    boxes = [other.yaw_box for other in things]
    grid = _with_boxes(grid, thing.yaw_box, boxes)
    stands = grid.fits(robot.radius_m)
    cells = np.argwhere(stands)
    gaps_m = _gaps_m(thing.yaw_box, grid.centers_of(cells)) - robot.radius_m
    near = (gaps_m >= least_m) & (gaps_m <= least_m + _FURTHER_M[purpose])
    if not near.any():
        raise ApproachError(_why_nothing_stands(grid, thing.yaw_box, name, robot, least_m, purpose))
    cells, gaps_m = cells[near], gaps_m[near]
    if robot.place is not None:
        reached = _reached(stands, grid, robot.place)[tuple(cells.T)]
        if not reached.any():
            raise ApproachError(
                f"free floor near the {name} is known, but no way there from the robot at"
                f" ({robot.place[0]:.2f}, {robot.place[1]:.2f}): map the floor between, or check"
                " the robot's pose"
            )
        cells, gaps_m = cells[reached], gaps_m[reached]
    every = -(-len(cells) // _MOST_PLACES)
    cells, gaps_m = cells[::every], gaps_m[::every]
    places = grid.centers_of(cells)
    visible, in_view = _views(
        thing.yaw_box, [other.yaw_box for other in things], grid, places, robot
    )
    scores = visible / (1.0 + (gaps_m - least_m) / 2.0)
    if purpose == "look":
        scores = scores * in_view**2
    seen = (visible >= _LEAST_VISIBLE) & ((in_view >= _LEAST_VISIBLE) | (purpose != "look"))
    if not seen.any():
        raise ApproachError(
            f"free floor near the {name} is known, but what stands between hides it from there, or"
            " it is outside the camera's view"
        )
    poses: list[ApproachPose] = []
    for number in np.argsort(-np.where(seen, scores, 0.0), kind="stable").tolist():
        if not seen[number] or len(poses) == count:
            break
        x, y = places[number].tolist()
        if any(np.hypot(x - pose.x, y - pose.y) < _APART_M for pose in poses):
            continue
        yaw = float(np.arctan2(thing.yaw_box.center[1] - y, thing.yaw_box.center[0] - x))
        poses.append(
            ApproachPose(
                x=x,
                y=y,
                z=grid.floor_z,
                yaw=yaw,
                score=float(scores[number]),
                stand_off_m=float(gaps_m[number]),
                visible=float(visible[number]),
            )
        )
    return poses


def _with_boxes(grid: OccupancyGrid, thing: Box3D, boxes: Iterable[Box3D]) -> OccupancyGrid:
    """The grid with the boxes of the map: depth does not show all that detectors do."""
    data, top_m = grid.data.copy(), grid.top_m.copy()
    for box in (thing, *boxes):
        low_m, high_m = box.bottom_z - grid.floor_z, box.top_z - grid.floor_z
        if low_m >= HIGHEST_M or high_m <= LOWEST_M:
            continue  # above all robots, or as flat as a carpet
        corners = (box.footprint() - grid.origin) / grid.resolution_m - 0.5
        mask = np.zeros(data.shape, np.uint8)
        cv2.fillConvexPoly(mask, np.rint(corners).astype(np.int32), 1)
        data[mask > 0] = OCCUPIED
        if box is not thing:
            top_m[mask > 0] = np.maximum(top_m[mask > 0], np.float32(high_m))
    return replace(grid, data=data, top_m=top_m)


def _gaps_m(box: Box3D, places: NDArray[np.float64]) -> NDArray[np.float64]:
    """(N,): distances of places (N, 2) from a box, seen from above; 0 within it."""
    offset = places - box.center[:2]
    c, s = np.cos(box.yaw), np.sin(box.yaw)
    local = np.abs(np.column_stack((offset @ (c, s), offset @ (-s, c))))
    outside = np.maximum(0.0, local - np.asarray(box.size[:2]) / 2.0)
    return np.asarray(np.hypot(*outside.T))


def _reached(
    stands: NDArray[np.bool_], grid: OccupancyGrid, place: tuple[float, float]
) -> NDArray[np.bool_]:
    """(H, W): where the robot can get to. Near itself it may not have seen the floor: it starts
    from the nearest place where it surely fits."""
    cells = np.argwhere(stands)
    apart_m = np.linalg.norm(grid.centers_of(cells) - place, axis=1)
    if not len(cells) or apart_m.min() > _START_M:
        return np.zeros_like(stands)
    _, parts = cv2.connectedComponents(stands.astype(np.uint8), connectivity=4)
    reached: NDArray[np.bool_] = parts == parts[tuple(cells[int(np.argmin(apart_m))])]
    return reached


def _views(
    box: Box3D,
    boxes: Iterable[Box3D],
    grid: OccupancyGrid,
    places: NDArray[np.float64],
    robot: Robot,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Shares (N,), (N,) of a thing that nothing hides from places (N, 2), and that are within the
    image of a camera that faces it."""
    shares = (np.stack(np.meshgrid(*[_SHARES] * 3), axis=-1).reshape(-1, 3) - 0.5) * box.size
    c, s = np.cos(box.yaw), np.sin(box.yaw)
    points = np.asarray(box.center) + np.column_stack(
        (c * shares[:, 0] - s * shares[:, 1], s * shares[:, 0] + c * shares[:, 1], shares[:, 2])
    )
    eyes = np.column_stack((places, np.full(len(places), grid.floor_z + robot.eye_m)))
    rays = points[None] - eyes[:, None]  # (N, P, 3)
    longest = float(np.linalg.norm(rays[..., :2], axis=-1).max())
    steps = np.linspace(0.0, 1.0, max(2, int(np.ceil(longest / grid.resolution_m))))[1:-1]
    hidden = np.zeros(rays.shape[:2], bool)
    # A shelf does not hide what is in it.
    around = [box, *(other for other in boxes if other.contains(np.array([box.center]))[0])]
    rows, columns = grid.data.shape
    for step in steps.tolist():
        at = eyes[:, None] + step * rays
        cells = grid.cells_of(at[..., :2].reshape(-1, 2))
        inside = np.asarray(((cells >= 0) & (cells < (rows, columns))).all(axis=1))
        clipped = np.where(inside[:, None], cells, 0)
        top_m = np.where(inside, grid.top_m[tuple(clipped.T)], 0.0)
        heights_m = at[..., 2].ravel() - grid.floor_z
        blocked = np.asarray(heights_m < top_m - _TOLERANCE_M)
        if blocked.any():
            where = np.flatnonzero(blocked)
            spots = at.reshape(-1, 3)[where, :2]
            for own in around:
                blocked[where[_gaps_m(own, spots) <= _NEAR_M]] = False
        hidden |= blocked.reshape(hidden.shape)
    return 1.0 - hidden.mean(axis=1), _in_view(points, box, eyes, robot)


def _in_view(
    points: NDArray[np.float64], box: Box3D, eyes: NDArray[np.float64], robot: Robot
) -> NDArray[np.float64]:
    """(N,): share of points (P, 3) within the images of cameras that face a box."""
    if robot.camera is None:
        return np.ones(len(eyes))
    yaw = np.arctan2(box.center[1] - eyes[:, 1], box.center[0] - eyes[:, 0])
    offset = points[None] - eyes[:, None]
    ahead = offset[..., 0] * np.cos(yaw)[:, None] + offset[..., 1] * np.sin(yaw)[:, None]
    right = offset[..., 0] * np.sin(yaw)[:, None] - offset[..., 1] * np.cos(yaw)[:, None]
    c, s = np.cos(robot.pitch_rad), np.sin(robot.pitch_rad)
    z, y = c * ahead + s * offset[..., 2], s * ahead - c * offset[..., 2]
    pixels, z = robot.camera.project(np.stack((right, y, z), axis=-1))
    size = robot.camera.width, robot.camera.height
    inside = (z > 0.0) & (pixels >= 0.0).all(axis=-1) & (pixels < size).all(axis=-1)
    return np.asarray(inside.mean(axis=1))


def _why_nothing_stands(
    grid: OccupancyGrid, box: Box3D, name: str, robot: Robot, least_m: float, purpose: Purpose
) -> str:
    cells = np.argwhere(np.ones(grid.data.shape, bool))
    most_m = least_m + _FURTHER_M[purpose] + 2.0 * robot.radius_m
    near = cells[_gaps_m(box, grid.centers_of(cells)) <= most_m]
    found = grid.data[tuple(near.T)]
    shares = {state: float((found == state).mean()) if len(found) else 0.0
              for state in (FREE, OCCUPIED, UNKNOWN)}  # fmt: skip
    if not len(found):
        shares[UNKNOWN] = 1.0
    return (
        f"no floor is known where a robot of {robot.radius_m:g} m radius can stand {least_m:g} to"
        f" {least_m + _FURTHER_M[purpose]:g} m from the {name}: of the floor around it"
        f" {shares[FREE]:.0%} was seen free, {shares[OCCUPIED]:.0%} is occupied and"
        f" {shares[UNKNOWN]:.0%} was not seen"
    )
