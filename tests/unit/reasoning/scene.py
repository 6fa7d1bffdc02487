"""A small room made by hand, and a memory that only remembers.

Seen from above (x to the right, y up; metres). The camera stands at (0, -3) and looks along +y:

        y=3   door 9
        y=2   sofa 8 (left)            shelf 7 (right)
        y=0   chair 4 (x=-1.2)  dining table 1 (x=0)  chair 5 (x=1.2)
        y=-2                                          chair 6 (x=3)
    On the table: cup 2 (red), laptop 3 (black). On the shelf: cup 10 (white).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import count

import numpy as np

from scenemind.config import RelationConfig
from scenemind.geometry import Box3D, PinholeCamera, Pose
from scenemind.memory import (
    Correction,
    DepthImage,
    Edit,
    FrameIndex,
    KeyFrame,
    MapObject,
    MemorySnapshot,
    Relation,
    SceneMemoryError,
    StructurePlane,
)
from scenemind.memory.graph.corrections import CorrectionsJournal, PerceivedMap, SimilarObject
from scenemind.memory.graph.corrections.similar import find_similar
from scenemind.memory.graph.scene_graph import SceneGraph
from scenemind.memory.history import CameraViews, SceneChanges, TimeSpan, Visit, find_changes
from scenemind.reasoning import Query

Triple = tuple[float, float, float]


def thing(
    object_id: int,
    label: str,
    center: Triple,
    size_m: Triple,
    confidence: float = 0.9,
    **attributes: str,
) -> MapObject:
    """One object of a scene."""
    return MapObject(
        object_id,
        label,
        label,
        attributes,
        confidence,
        Box3D(center, size_m),
        np.zeros((0, 3), np.float32),
        0,
        1,
        5,
        (object_id,),
    )


ROOM = (
    thing(1, "dining table", (0, 0, 0.375), (1.6, 0.9, 0.75), color="brown", size="large"),
    thing(2, "cup", (-0.5, 0, 0.8), (0.1, 0.1, 0.1), color="red", size="small"),
    thing(3, "laptop", (0.3, 0, 0.76), (0.35, 0.25, 0.02), color="black", size="medium"),
    thing(4, "chair", (-1.2, 0, 0.45), (0.5, 0.5, 0.9), color="black", size="medium"),
    thing(5, "chair", (1.2, 0, 0.45), (0.5, 0.5, 0.9), color="brown", size="medium"),
    thing(6, "office chair", (3, -2, 0.6), (0.6, 0.6, 1.2), color="black", size="large"),
    thing(7, "shelf", (2, 2, 0.5), (1.0, 0.4, 1.0), color="white", size="large"),
    thing(8, "sofa", (-2, 2, 0.4), (1.8, 0.8, 0.8), color="dark grey", size="large"),
    thing(9, "door", (0, 3, 1.0), (0.9, 0.1, 2.0), size="large"),
    thing(10, "cup", (2, 2, 1.05), (0.08, 0.08, 0.1), color="white", size="small"),
)


def looking(position: Triple, toward: Triple) -> Pose:
    """A camera pose (z forward, y down) that looks level from one point towards another."""
    forward = np.subtract(toward, position).astype(float)
    forward[2] = 0.0
    forward /= np.linalg.norm(forward)
    down = np.array((0.0, 0.0, -1.0))
    rotation = np.column_stack((np.cross(down, forward), down, forward))
    return Pose(rotation, np.asarray(position, float))


# The camera looked into the room a few times, from where it stands.
VIEWS = CameraViews.of(
    [looking((0, -3, 1.2), (0, 0, 1.2))] * 5, [PinholeCamera(640, 480, 300.0, 300.0, 320, 240)] * 5
)


def snapshot_of(
    objects: Sequence[MapObject],
    camera: Pose | None = looking((0, -3, 1.2), (0, 0, 1.2)),  # noqa: B008
    extra: Sequence[Relation] = (),
    structure: Sequence[StructurePlane] = (),
) -> MemorySnapshot:
    """A snapshot with the relations that the memory finds between the boxes."""
    by_id = {o.object_id: o for o in objects}
    graph = SceneGraph(RelationConfig())
    graph.refresh(by_id, by_id, structure)
    return MemorySnapshot(
        1,
        1,
        by_id,
        (*graph.relations(), *extra),
        camera,
        structure={plane.plane_id: plane for plane in structure},
        levels=graph.levels(),
    )


# Around the room: floor, the wall behind the door, the wall on the left, and the ceiling.
BUILDING = (
    StructurePlane(-1, "floor", Box3D((0, 0, -0.01), (8, 8, 0.02)), (0, 0, 1), 30.0),
    StructurePlane(-2, "wall", Box3D((0, 3.1, 1.25), (8, 0.05, 2.5)), (0, -1, 0), 12.0),
    StructurePlane(-3, "wall", Box3D((-3.2, 0, 1.25), (8, 0.05, 2.5), np.pi / 2), (1, 0, 0), 12.0),
    StructurePlane(-4, "ceiling", Box3D((0, 0, 2.51), (8, 8, 0.02)), (0, 0, -1), 12.0),
)
# On the left wall, on the one behind, and under the ceiling.
ATTACHED = (
    thing(11, "picture", (-3.15, 0.5, 1.6), (0.04, 0.8, 0.6), color="blue"),
    thing(12, "tv", (2, 3.04, 1.5), (1.0, 0.08, 0.6), color="black"),
    thing(13, "ceiling light", (0, 0, 2.45), (0.4, 0.4, 0.1), color="white"),
)


def said_by_model(obj: MapObject, **said: str) -> MapObject:
    """With what a vision-language model said of it."""
    return replace(
        obj,
        attributes={**obj.attributes, **said},
        attribute_sources={**obj.attribute_sources, **dict.fromkeys(said, "model")},
    )


@dataclass
class SmallMemory:
    """A `MemoryAccess` on one snapshot, with the real corrections journal."""

    perceived: MemorySnapshot
    journal: CorrectionsJournal = field(
        default_factory=lambda: CorrectionsJournal(count(100).__next__)
    )

    clock: Iterator[int] = field(default_factory=lambda: count(1))

    def snapshot(self) -> MemorySnapshot:
        objects = self.journal.apply_to(self.perceived.objects).objects
        structure = self.perceived.structure
        relations = self.journal.relations(self.perceived.relations, objects, structure)
        denied = self.journal.denied(objects, structure)
        return replace(self.perceived, objects=objects, relations=relations, denied=denied)

    def key_frames_of(self, object_ids: Sequence[int], count: int) -> list[KeyFrame]:
        camera = PinholeCamera(4, 3, 2.0, 2.0, 1.5, 1.0)
        boxes = dict.fromkeys(object_ids, (0.0, 0.0, 1.0, 1.0))
        return [
            KeyFrame(number, number, 0, camera, Pose.identity(), b"", 1.0, boxes)
            for number in range(count)
        ]

    def frame_index(self) -> FrameIndex:
        """Nothing is stored."""
        return FrameIndex.empty()

    def depth_image(self, frame_number: int) -> DepthImage:
        raise SceneMemoryError(f"frame {frame_number} is not stored")

    def apply(self, edits: Sequence[Edit], by: str, reason: str) -> list[Correction]:
        perceived = PerceivedMap(self.perceived.objects, structure=self.perceived.structure)
        return self.journal.apply(edits, by, reason, perceived, next(self.clock))

    def undo(self, *correction_ids: int) -> list[Correction]:
        return self.journal.undo(*correction_ids)

    def redo(self, *correction_ids: int) -> list[Correction]:
        return self.journal.redo(*correction_ids)

    def find_similar(self, edit: Edit, count: int = 20) -> list[SimilarObject]:
        return find_similar(edit, self.perceived.objects, self.snapshot().objects, {})[:count]

    def changes_since(self, stamp_ns: int | None = None) -> SceneChanges:
        """Changes seen by a camera that only looked from the door."""
        if stamp_ns is None:
            return SceneChanges((), 0, (), "the camera was here only once")
        before, after = TimeSpan(0, stamp_ns), TimeSpan(stamp_ns + 1, self.perceived.stamp_ns)
        return find_changes(self.snapshot(), before, after, VIEWS, VIEWS)

    def visits(self) -> list[Visit]:
        span = TimeSpan(0, self.perceived.stamp_ns)
        return [Visit(1, span, (0, 0))]

    def corrections(self) -> list[Correction]:
        return self.journal.entries()


class ForgetfulMemory(SmallMemory):
    """One that has lost its images."""

    def key_frames_of(self, object_ids: Sequence[int], count: int) -> list[KeyFrame]:
        raise SceneMemoryError(f"{count} frames of {object_ids} are gone")


def room_memory(camera: Pose | None = None, extra: Sequence[Relation] = ()) -> SmallMemory:
    """The room above."""
    if camera is None and not extra:
        return SmallMemory(_room())
    if camera is None:
        return SmallMemory(snapshot_of(ROOM, extra=extra))
    return SmallMemory(snapshot_of(ROOM, camera, extra))


@cache
def _room() -> MemorySnapshot:
    return snapshot_of(ROOM)


def query(text: str, **more: object) -> Query:
    """A query of plain words."""
    return Query(text, **more)  # type: ignore[arg-type]
