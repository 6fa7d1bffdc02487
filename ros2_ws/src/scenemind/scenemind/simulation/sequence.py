"""A drive through a simulated room as a recorded sequence, with the truth beside it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from scenemind.frames import SensorFrame
from scenemind.frames.sequence import counted_stamp_ns
from scenemind.geometry import PinholeCamera, Pose
from scenemind.simulation.change_planner import Drive, plan_changes
from scenemind.simulation.changes import Change, room_after
from scenemind.simulation.depth_noise import DepthNoise, SimpleDepthNoise
from scenemind.simulation.errors import SimulationError
from scenemind.simulation.make_room import make_room
from scenemind.simulation.odometry import drifting_odometry
from scenemind.simulation.renderer import Renderer
from scenemind.simulation.room import Room
from scenemind.simulation.trajectory import loop_trajectory

_RATE_HZ = 30.0
_FOCAL_SHARE = 0.82  # of the image width: 63 degrees across, as RealSense colour cameras


@dataclass(frozen=True, slots=True, eq=False)
class SimulatedSequence:
    """A `RecordedSequence` rendered while it is iterated: the same frames every time.

    Attributes:
        room: the ground truth, as it is at first.
        camera: colour, depth (aligned) and instances share it.
        true_poses: `world_T_camera` of each frame, exact: from here it is rendered.
        depth_noise: what the depth camera makes of exact depth.
        odometry: `world_T_camera` of each frame as frames report it; None: the true ones.
        changes: what was moved or removed on the way, in order of stamps.
        variant: how it differs from the usual drive, as `open_source` reads it after the seed.
    """

    room: Room
    camera: PinholeCamera
    true_poses: tuple[Pose, ...]
    depth_noise: DepthNoise
    odometry: tuple[Pose, ...] | None = None
    changes: tuple[Change, ...] = ()
    variant: str = ""

    @property
    def name(self) -> str:
        details = ", ".join(["", *self.variant.split(",")]) if self.variant else ""
        return f"simulated room (seed {self.room.seed}{details})"

    @property
    def path(self) -> Path:
        """No file; the name under which the command line knows it."""
        return Path(":".join(filter(None, ("sim", str(self.room.seed), self.variant))))

    @property
    def poses(self) -> tuple[Pose, ...]:
        """`world_T_camera` of each frame, as odometry reports it."""
        return self.true_poses if self.odometry is None else self.odometry

    @property
    def depth_calibration(self) -> None:
        """Depth is aligned to colour."""
        return

    @property
    def drops(self) -> Mapping[str, int]:
        return {}

    @property
    def class_names(self) -> Mapping[int, str]:
        """Instance id -> label, as the simulator's instance camera announces them."""
        return self.room.class_names

    def room_at(self, stamp_ns: int) -> Room:
        """The ground truth at a moment."""
        return room_after(self.room, [c for c in self.changes if c.stamp_ns <= stamp_ns])

    def world_T_odometry(self, number: int = -1) -> Pose:
        """How far odometry has drifted at a frame; identity for exact poses.

        A map that was made with odometry stands in odometry's frame, not in the room's.
        """
        return self.true_poses[number] @ self.poses[number].inverse()

    def __len__(self) -> int:
        return len(self.true_poses)

    def __iter__(self) -> Iterator[SensorFrame]:
        room, renderer = self.room, Renderer(self.room, self.camera)
        for number, (true_pose, pose) in enumerate(zip(self.true_poses, self.poses, strict=True)):
            stamp_ns = counted_stamp_ns(number, _RATE_HZ)
            if (now := self.room_at(stamp_ns)) != room:
                room, renderer = now, Renderer(now, self.camera)
            ideal = renderer.render(true_pose)
            rng = np.random.default_rng((self.room.seed, number))
            yield SensorFrame(
                stamp_ns=stamp_ns,
                color=ideal.color,
                depth_m=self.depth_noise.measure(ideal, self.camera, rng),
                world_T_camera=pose,
                instances=ideal.instances,
            )


def simulate(
    seed: int = 1,
    frame_count: int = 300,
    width: int = 640,
    height: int = 480,
    depth_noise: float | DepthNoise = 1.0,
    *,
    objects: int | None = None,
    loops: int = 1,
    odometry_noise: float = 0.0,
    changes: int = 0,
) -> SimulatedSequence:
    """A drive around the room of that seed at 30 Hz.

    Args:
        seed: which room.
        frame_count: of the whole drive; more make the robot slower, not its way longer.
        width, height: of the images, in pixels.
        depth_noise: 1 roughly as a RealSense camera, 0 for exact depth (`SimpleDepthNoise`); or a
            model such as `StereoDepthNoise()`, which is closer to the real one.
        objects: how many the room has (`make_room`).
        loops: rounds through the room.
        odometry_noise: 1 for a good visual-inertial odometry (`odometry`), 0 for exact poses.
        changes: how many objects are moved or removed, unseen, between rounds.

    Raises:
        SimulationError: there is no such room, no round to drive, or no way to change so much.
    """
    if frame_count < 1:
        raise SimulationError(f"{frame_count} frames are no drive: there must be at least 1")
    if loops < 1:
        raise SimulationError(f"{loops} loops are no drive: there must be at least 1")
    room = make_room(seed, objects)
    focal = _FOCAL_SHARE * width
    camera = PinholeCamera(width, height, focal, focal, (width - 1) / 2, (height - 1) / 2)
    true_poses = tuple(loop_trajectory(room, frame_count, loops))
    stamps_ns = [counted_stamp_ns(number, _RATE_HZ) for number in range(frame_count)]
    return SimulatedSequence(
        room,
        camera,
        true_poses,
        SimpleDepthNoise(depth_noise) if isinstance(depth_noise, (int, float)) else depth_noise,
        drifting_odometry(true_poses, odometry_noise, seed) if odometry_noise > 0.0 else None,
        plan_changes(room, Drive(camera, true_poses, stamps_ns, loops), changes),
        _variant(objects, loops, odometry_noise, changes),
    )


def _variant(objects: int | None, loops: int, odometry_noise: float, changes: int) -> str:
    """What differs from the usual drive."""
    settings = (
        ("objects", objects or 0, 0),
        ("loops", loops, 1),
        ("odometry", odometry_noise, 0.0),
        ("changes", changes, 0),
    )
    return ",".join(f"{key}={value:g}" for key, value, usual in settings if value != usual)
