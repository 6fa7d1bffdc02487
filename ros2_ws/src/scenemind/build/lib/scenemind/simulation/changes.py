"""Changes of a room out of the camera's sight: objects that are moved or removed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from scenemind.errors import SimulationError
from scenemind.geometry import Box3D, PinholeCamera, Pose
from scenemind.simulation.layout import Layout, random_places
from scenemind.simulation.primitives import Blueprint, Item, Placement
from scenemind.simulation.raycast import screen_bounds
from scenemind.simulation.room import Room, SimObject

_REMOVED_SHARE = 1 / 3
_LARGEST_M = np.array([0.65, 0.65, 1.35])  # of an object that a person can carry
_LEAST_MOVE_M = 0.4
_MARGIN_M = 0.04
_WINDOW = 0.3  # of a round, before and after its end: changes happen within it
_MOMENTS = 40  # in a window
_FLOOR_TRIES = 8
_STREAM = 0xC4A  # separates this random generator from that of the frames


@dataclass(frozen=True, slots=True)
class Change:
    """One object that was moved or removed.

    Attributes:
        stamp_ns: time of the change: frames from this stamp on show it.
        before: the object before the change.
        after: the object after the change, with the same id; None: it was removed.
    """

    stamp_ns: int
    before: SimObject
    after: SimObject | None

    @property
    def instance_id(self) -> int:
        return self.before.instance_id

    @property
    def kind(self) -> Literal["moved", "removed"]:
        return "removed" if self.after is None else "moved"

    @property
    def old_box(self) -> Box3D:
        return self.before.box


def room_after(room: Room, changes: Iterable[Change]) -> Room:
    """The room after these changes; the remaining objects keep their ids."""
    now = {change.instance_id: change.after for change in changes}
    if not now:
        return room
    objects = (now.get(item.instance_id, item) for item in room.objects)
    return replace(room, objects=tuple(item for item in objects if item is not None))


@dataclass(frozen=True, slots=True, eq=False)
class Drive:
    """The camera's drive: `world_T_camera` and stamp of each frame, over several rounds."""

    camera: PinholeCamera
    poses: Sequence[Pose]
    stamps_ns: Sequence[int]
    loops: int


def plan_changes(room: Room, drive: Drive, count: int) -> tuple[Change, ...]:
    """`count` changes in order of stamps, spread over the ends of all rounds except the last.

    No object changes twice, and none moves to a place that another one has left.

    Raises:
        SimulationError: there is only one round, or too few objects can be changed unseen.
    """
    if count > 0 and drive.loops < 2:
        raise SimulationError(f"{count} changes happen between loops: there must be at least 2")
    rng = np.random.default_rng((room.seed, 0, _STREAM))
    # Keeps removed objects in their places, which therefore stay free.
    layout = Layout(room.size, room.loop, rng, list(room.objects))
    movable = [item for item in room.objects if _is_movable(item, room)]
    changes: list[Change] = []
    for index in rng.permutation(len(movable)):
        if len(changes) == count:
            break
        moments = _moments(drive, 1 + len(changes) % (drive.loops - 1))
        change = _find_change(movable[int(index)], layout, drive, moments)
        if change is not None:
            changes.append(change)
            layout.objects += [change.after] if change.after is not None else []
    if len(changes) < count:
        raise SimulationError(
            f"{count} changes are too many for room {room.seed}: only {len(changes)} objects can"
            " be moved or removed unseen"
        )
    return tuple(sorted(changes, key=lambda change: change.stamp_ns))


def _is_movable(item: SimObject, room: Room) -> bool:
    """Whether a person could carry an object, and nothing stands on it."""
    is_small = bool((np.array(item.box.size) <= _LARGEST_M).all())
    carries = any(other.supported_by == item.instance_id for other in room.objects)
    return is_small and not (item.on_wall or item.spaces or carries)


def _moments(drive: Drive, finished: int) -> NDArray[np.int64]:
    """Frames near the end of a round, nearest first."""
    round_frames = len(drive.poses) / drive.loops
    offsets = np.linspace(-_WINDOW, _WINDOW, _MOMENTS) * round_frames
    frames = np.rint(finished * round_frames + offsets).astype(np.int64)
    frames = frames[np.argsort(np.abs(offsets), kind="stable")]
    return np.asarray(frames[(frames > 0) & (frames < len(drive.poses))])


def _find_change(
    item: SimObject, layout: Layout, drive: Drive, moments: NDArray[np.int64]
) -> Change | None:
    """A change of one object at a moment when neither of its places is in view."""
    unseen = [frame for frame in moments.tolist() if _is_hidden(item.box, drive, frame)]
    if not unseen:
        return None
    if layout.rng.random() < _REMOVED_SHARE:
        return Change(drive.stamps_ns[unseen[0]], item, None)
    for after in _other_places(item, layout):
        for frame in unseen:
            if _is_hidden(after.box, drive, frame):
                return Change(drive.stamps_ns[frame], item, after)
    return None


def _is_hidden(box: Box3D, drive: Drive, frame: int) -> bool:
    """Whether an object is out of view in the frames before and after the moment."""
    corners = box.corners()[None]
    return not any(
        screen_bounds(corners, drive.camera, pose).visible.any()
        for pose in drive.poses[frame - 1 : frame + 1]
    )


def _other_places(item: SimObject, layout: Layout) -> Iterator[SimObject]:
    """Free places for an object: on the floor if it stood there, else on any surface."""
    thing = _lifted(item)
    floor = Box3D((0.0, 0.0, layout.size[2] / 2), layout.size)
    spots: list[tuple[Box3D, int | None]] = [(floor, None)] * _FLOOR_TRIES
    if item.supported_by is not None:
        spots = [(space, o.instance_id) for o in layout.objects for space in o.spaces]
    for index in layout.rng.permutation(len(spots)):
        space, owner = spots[int(index)]
        far = (
            place
            for place in random_places(space, thing, layout.rng)
            if np.hypot(place.at.x - item.box.center[0], place.at.y - item.box.center[1])
            >= _LEAST_MOVE_M
        )
        place = layout.find_free(far, _MARGIN_M, owner)
        if place is not None:
            yield _placed(item, place, owner)


def _lifted(item: SimObject) -> Blueprint:
    """The object as a blueprint, in its own frame."""
    x, y, _ = item.box.center
    down = Placement(-x, -y, -item.box.bottom_z)
    return Blueprint(item.label, item.color, tuple(part.placed(down) for part in item.parts))


def _placed(item: SimObject, place: Item, owner: int | None) -> SimObject:
    parts = place.blueprint.placed(place.at)
    return replace(item, box=place.box, parts=parts, supported_by=owner)
