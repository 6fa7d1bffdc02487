"""A scene as the parts of its JSON document."""

from __future__ import annotations

import base64

import numpy as np
from numpy.typing import NDArray

from scenemind.exchange.scene_document import (
    BoxPart,
    ObjectPart,
    RelationPart,
    SceneDocument,
    StayPart,
    StructurePart,
)
from scenemind.exchange.scene_export import SceneExport
from scenemind.geometry import Box3D
from scenemind.memory import MapObject, Relation, Stay
from scenemind.memory.types import StructurePlane


def document_of(scene: SceneExport, *, with_points: bool) -> SceneDocument:
    """The whole document.

    Args:
        with_points: with the objects' surface points.
    """
    snapshot, pose = scene.snapshot, scene.snapshot.world_T_camera

    def part(thing: MapObject) -> ObjectPart:
        level = snapshot.levels.get(thing.object_id)
        return _object_part(thing, level, scene.seen_from.get(thing.object_id, ()), with_points)

    return SceneDocument(
        revision=snapshot.revision,
        stamp_ns=snapshot.stamp_ns,
        world_T_camera=None if pose is None else pose.matrix().tolist(),
        objects=tuple(map(part, snapshot.objects.values())),
        structure=tuple(map(_structure_part, snapshot.structure.values())),
        relations=tuple(map(_relation_part, snapshot.relations)),
        gone=tuple(map(part, snapshot.gone.values())),
    )


def _object_part(
    thing: MapObject, level: int | None, seen_from: tuple[int, ...], with_points: bool
) -> ObjectPart:
    return ObjectPart(
        id=thing.object_id,
        label=thing.label,
        perceived_label=thing.perceived_label,
        attributes=dict(thing.attributes),
        attribute_sources=dict(thing.attribute_sources),
        level=level,
        confidence=thing.confidence,
        corrected=thing.corrected,
        box=_box_part(thing.box),
        yaw_box=_box_part(thing.yaw_box),
        first_seen_ns=thing.first_seen_ns,
        last_seen_ns=thing.last_seen_ns,
        here_since_ns=thing.here_since_ns,
        observation_count=thing.observation_count,
        track_ids=thing.track_ids,
        seen_from=seen_from,
        stays=tuple(map(_stay_part, thing.stays)),
        points=_points_text(thing.points) if with_points else None,
    )


def _structure_part(plane: StructurePlane) -> StructurePart:
    return StructurePart(
        id=plane.plane_id,
        kind=plane.kind,
        box=_box_part(plane.box),
        normal=plane.normal,
        seen_m2=plane.seen_m2,
    )


def _relation_part(relation: Relation) -> RelationPart:
    return RelationPart(
        subject=relation.subject_id,
        predicate=relation.predicate,
        object=relation.object_id,
        confidence=relation.confidence,
        source=relation.source,
    )


def _stay_part(stay: Stay) -> StayPart:
    return StayPart(
        box=_box_part(stay.box),
        first_seen_ns=stay.first_seen_ns,
        last_seen_ns=stay.last_seen_ns,
        gone_ns=stay.gone_ns,
    )


def _box_part(box: Box3D) -> BoxPart:
    return BoxPart(center=box.center, size=box.size, yaw=box.yaw)


def _points_text(points: NDArray[np.float32]) -> str:
    return base64.b64encode(np.ascontiguousarray(points, "<f4").tobytes()).decode("ascii")
