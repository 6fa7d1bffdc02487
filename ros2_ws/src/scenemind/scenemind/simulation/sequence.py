"""A drive through a simulated room as a recorded sequence, by name or by parameters."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from scenemind.errors import SimulationError
from scenemind.frames import RecordedSequence, SensorFrame, open_sequence
from scenemind.frames.sequence import counted_stamp_ns
from scenemind.geometry import PinholeCamera, Pose
from scenemind.simulation.changes import Change, Drive, plan_changes, room_after
from scenemind.simulation.depth_noise import DepthNoise, SimpleDepthNoise, StereoDepthNoise
from scenemind.simulation.renderer import Renderer
from scenemind.simulation.room import Room
from scenemind.simulation.room_generator import make_room
from scenemind.simulation.trajectory import (
    NO_DRIFT,
    Drift,
    another_origin,
    drift_at_end,
    drifting_odometry,
    look,
    loop_trajectory,
    visit_trajectory,
)

RATE_HZ = 30.0
_FOCAL_SHARE = 0.82  # of the image width: 63 degrees across, as RealSense colour cameras
_SIMULATED = re.compile(r"sim(:.*)?")
_NEARLY_SIMULATED = re.compile(r"sim[-_ ]?(\d.*)")
_COUNTS = {"objects": "objects", "loops": "loops", "changes": "changes", "frames": "frame_count"}
_DEPTHS: dict[str, float | DepthNoise] = {
    "exact": 0.0,
    "simple": 1.0,
    "stereo": StereoDepthNoise(),
}
_FRAMES_A_LOOP = 300
_NS_PER_S = 1_000_000_000
_EXAMPLE = "write sim:1, or sim:1:objects=50,loops=2"


@dataclass(frozen=True, slots=True, eq=False)
class SimulatedSequence:
    """A `RecordedSequence` rendered while it is iterated: the same frames every time.

    Attributes:
        room: the ground truth at the beginning.
        camera: colour, depth (aligned) and instances share it.
        true_poses: exact `world_T_camera` of each frame.
        depth_noise: model of the depth camera.
        odometry: `world_T_camera` of each frame as odometry reports it; None: the true poses.
        changes: moved and removed objects, in order of stamps.
        delay_s: seconds that its clock is ahead of that of the usual drive, as on a later visit.
        variant: settings that differ from the usual drive, as in a name for `open_source`.
    """

    room: Room
    camera: PinholeCamera
    true_poses: tuple[Pose, ...]
    depth_noise: DepthNoise
    odometry: tuple[Pose, ...] | None = None
    changes: tuple[Change, ...] = ()
    variant: str = ""
    delay_s: int = 0

    @property
    def name(self) -> str:
        details = ", ".join(["", *self.variant.split(",")]) if self.variant else ""
        return f"simulated room (seed {self.room.seed}{details})"

    @property
    def path(self) -> Path:
        """The name of the sequence for `open_source`; there is no such file."""
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
        """The ground truth at a time."""
        return room_after(self.room, [c for c in self.changes if c.stamp_ns <= stamp_ns])

    def delayed(self, seconds: int) -> SimulatedSequence:
        """The same drive so many seconds later."""
        later = tuple(
            replace(change, stamp_ns=change.stamp_ns + seconds * _NS_PER_S)
            for change in self.changes
        )
        return replace(self, changes=later, delay_s=self.delay_s + seconds)

    def world_T_odometry(self, number: int = -1) -> Pose:
        """Drift of odometry at a frame, identity for exact poses: the pose in the room of the
        frame in which a map by odometry is built."""
        return self.true_poses[number] @ self.poses[number].inverse()

    @property
    def drift_at_end(self) -> tuple[float, float]:
        """How far odometry is off at the end: metres, degrees; (0, 0) for exact poses."""
        return drift_at_end(self.true_poses, self.poses)

    def __len__(self) -> int:
        return len(self.true_poses)

    def __iter__(self) -> Iterator[SensorFrame]:
        room, renderer = self.room, Renderer(self.room, self.camera)
        for number, (true_pose, pose) in enumerate(zip(self.true_poses, self.poses, strict=True)):
            stamp_ns = counted_stamp_ns(number, RATE_HZ) + self.delay_s * _NS_PER_S
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


@dataclass(frozen=True, slots=True)
class Sensors:
    """RGB-D camera and odometry of a simulated robot.

    Attributes:
        width, height: of the images, pixels.
        depth_noise: amount of `SimpleDepthNoise` (1: about a RealSense camera, 0: exact depth), or
            a model such as `StereoDepthNoise()`, which is closer to the real camera.
        odometry_noise: 1 for a good visual-inertial odometry, 0 for exact poses.
        drift: a steady error of odometry that comes on top.
        another_origin: odometry begins at a random place and heading, as of a SLAM system that
            began anew; else where the room has its origin.
    """

    width: int = 640
    height: int = 480
    depth_noise: float | DepthNoise = 1.0
    odometry_noise: float = 0.0
    drift: Drift = NO_DRIFT
    another_origin: bool = False

    @property
    def camera(self) -> PinholeCamera:
        focal, width, height = _FOCAL_SHARE * self.width, self.width, self.height
        return PinholeCamera(width, height, focal, focal, (width - 1) / 2, (height - 1) / 2)

    @property
    def depth_model(self) -> DepthNoise:
        noise = self.depth_noise
        return SimpleDepthNoise(noise) if isinstance(noise, (int, float)) else noise

    def odometry(self, true_poses: Sequence[Pose], seed: int) -> tuple[Pose, ...] | None:
        """Poses as odometry reports them; None: exactly the true ones."""
        is_exact = self.odometry_noise <= 0.0 and self.drift == NO_DRIFT
        if is_exact and not self.another_origin:
            return None
        poses = drifting_odometry(true_poses, self.odometry_noise, seed, self.drift)
        return another_origin(poses, seed) if self.another_origin else poses


_USUAL_SENSORS = Sensors()


def simulate(
    seed: int = 1,
    frame_count: int = 300,
    sensors: Sensors = _USUAL_SENSORS,
    *,
    objects: int | None = None,
    loops: int = 1,
    changes: int = 0,
) -> SimulatedSequence:
    """A drive around a simulated room at 30 Hz.

    Args:
        seed: of the room.
        frame_count: of the whole drive; more frames make the robot slower, not its way longer.
        objects: number of objects (see `make_room`).
        loops: number of rounds.
        changes: number of objects that are moved or removed, unseen, between rounds.

    Raises:
        SimulationError: such a room, drive or number of changes is not possible.
    """
    if frame_count < 1:
        raise SimulationError(f"{frame_count} frames are no drive: there must be at least 1")
    if loops < 1:
        raise SimulationError(f"{loops} loops are no drive: there must be at least 1")
    room = make_room(seed, objects)
    camera = sensors.camera
    true_poses = tuple(loop_trajectory(room, frame_count, loops))
    stamps_ns = [counted_stamp_ns(number, RATE_HZ) for number in range(frame_count)]
    return SimulatedSequence(
        room,
        camera,
        true_poses,
        sensors.depth_model,
        sensors.odometry(true_poses, seed),
        plan_changes(room, Drive(camera, true_poses, stamps_ns, loops), changes),
        _variant(objects, loops, sensors, changes),
    )


def simulate_visit(
    seed: int,
    visit: int,
    frame_count: int = 300,
    sensors: Sensors = _USUAL_SENSORS,
    *,
    objects: int | None = None,
) -> SimulatedSequence:
    """A later drive through a simulated room, from a random place and heading. Its odometry starts
    at its own origin: at the camera's first place, on its height, along its first heading.

    Args:
        seed, objects: of the room. visit: seed of the drive.
    """
    room = make_room(seed, objects)
    true_poses = tuple(visit_trajectory(room, frame_count, visit))
    first = true_poses[0]
    x, y, z = first.translation.tolist()
    heading = float(np.arctan2(first.rotation[1, 2], first.rotation[0, 2]))
    world_T_origin = look(x, y, z, heading, 0.0)
    # An origin is z-up, the camera's axes are not: x ahead, y to the left, z up.
    world_T_origin = world_T_origin @ Pose(_CAMERA_R_ORIGIN, np.zeros(3))
    moved = sensors.odometry(true_poses, visit) or true_poses
    odometry = tuple(world_T_origin.inverse() @ pose for pose in moved)
    return SimulatedSequence(
        room, sensors.camera, true_poses, sensors.depth_model, odometry, (), f"visit={visit}"
    )


_CAMERA_R_ORIGIN = np.array([[0.0, -1.0, 0.0], [0.0, 0.0, -1.0], [1.0, 0.0, 0.0]])


def _variant(objects: int | None, loops: int, sensors: Sensors, changes: int) -> str:
    """Settings that differ from the usual drive."""
    settings = (
        ("objects", objects or 0, 0),
        ("loops", loops, 1),
        ("odometry", sensors.odometry_noise, 0.0),
        ("drift", sensors.drift.along, 0.0),
        ("turn", sensors.drift.deg_per_m, 0.0),
        ("origin", int(sensors.another_origin), 0),
        ("changes", changes, 0),
    )
    return ",".join(f"{key}={value:g}" for key, value, usual in settings if value != usual)


def open_source(name: str) -> RecordedSequence:
    """A recorded sequence by path, or a simulated one by `sim:SEED`; `sim` is `sim:1`.

    A simulated one may have settings, as in `sim:3:objects=50,loops=2`: `objects` (20 to 60),
    `loops`, `changes` between loops, `frames` (300 a loop), `odometry` (1 for a good one that
    drifts), `drift` (share of the way) and `turn` (degrees per metre) on top of it, `origin`
    (1: a random place and heading), `start` (seconds later, for a second visit: a memory takes no
    frames from before its last one) and `depth` (simple, exact or stereo); `simulate` and `Sensors`
    explain them.

    Raises:
        FrameError: there is no such file, or its format is unknown.
        SimulationError: no such simulated room.
    """
    if (near := _NEARLY_SIMULATED.fullmatch(name)) and not Path(name).exists():
        raise SimulationError(f"there is no recording {name}: did you mean sim:{near[1]}?")
    if not _SIMULATED.fullmatch(name):
        return open_sequence(name)
    _, _, rest = name.partition(":")
    seed, _, settings = rest.partition(":")
    if not (seed or "1").isdecimal():
        raise SimulationError(f"{name!r} is no simulated sequence: {_EXAMPLE}")
    return _simulated(int(seed or "1"), settings)


def _simulated(seed: int, settings: str) -> SimulatedSequence:
    options: dict[str, int] = {}
    sensors = Sensors()
    delay_s = 0
    for setting in filter(None, settings.split(",")):
        key, _, value = (part.strip() for part in setting.partition("="))
        if key in _COUNTS:
            options[_COUNTS[key]] = _whole_number(setting, value)
        elif key == "odometry":
            sensors = replace(sensors, odometry_noise=_amount(setting, value))
        elif key == "drift":
            along = _amount(setting, value)
            sensors = replace(sensors, drift=replace(sensors.drift, along=along))
        elif key == "turn":
            turn = _amount(setting, value)
            sensors = replace(sensors, drift=replace(sensors.drift, deg_per_m=turn))
        elif key == "origin":
            sensors = replace(sensors, another_origin=bool(_whole_number(setting, value)))
        elif key == "start":
            delay_s = _whole_number(setting, value)
        elif key == "depth":
            sensors = replace(sensors, depth_noise=_depth_noise(value))
        else:
            known = ", ".join([*_COUNTS, "odometry", "drift", "turn", "origin", "start", "depth"])
            raise SimulationError(f"{setting!r}: a simulated sequence has {known}; {_EXAMPLE}")
    options.setdefault("frame_count", _FRAMES_A_LOOP * options.get("loops", 1))
    sequence = simulate(seed, sensors=sensors, **options).delayed(delay_s)
    return replace(sequence, variant=settings)


def _whole_number(setting: str, value: str) -> int:
    if not value.isdecimal():
        raise SimulationError(f"{setting!r}: not a whole number; {_EXAMPLE}")
    return int(value)


def _amount(setting: str, value: str) -> float:
    if not re.fullmatch(r"\d+(\.\d+)?", value):
        raise SimulationError(f"{setting!r}: not an amount such as 1 or 0.5; 0 is exact")
    return float(value)


def _depth_noise(value: str) -> float | DepthNoise:
    if value not in _DEPTHS:
        raise SimulationError(f"'depth={value}': depth is one of {', '.join(_DEPTHS)}")
    return _DEPTHS[value]
