"""The parts of a scene's JSON document as values of the memory."""

from __future__ import annotations

import base64
import logging

import numpy as np
from numpy.typing import NDArray

from scenemind.exchange.errors import ExchangeError
from scenemind.exchange.scene_document import (
    BoxPart,
    ObjectPart,
    RelationPart,
    SceneDocument,
    StructurePart,
)
from scenemind.exchange.scene_export import SceneExport
from scenemind.geometry import Box3D, Pose
from scenemind.memory import MapObject, MemorySnapshot, Relation, Stay
from scenemind.memory.graph.verification.consistency import contradictions
from scenemind.memory.types import StructurePlane

_LOG = logging.getLogger(__name__)
_POINT_BYTES = 12


def scene_of(document: SceneDocument) -> SceneExport:
    """What the document says.

    Raises:
        ExchangeError: two nodes with one id, a relation of none, or points that are no points.
        GeometryError: a box or pose that cannot be.
    """
    objects = {part.id: _map_object(part) for part in document.objects}
    structure = {part.id: _plane(part) for part in document.structure}
    if len(objects) + len(structure) < len(document.objects) + len(document.structure):
        raise ExchangeError("two nodes of the scene graph have the same id")
    _check_relations(document.relations, objects.keys() | structure.keys())
    pose = document.world_T_camera
    snapshot = MemorySnapshot(
        revision=document.revision,
        stamp_ns=document.stamp_ns,
        objects=objects,
        relations=tuple(map(_relation, document.relations)),
        world_T_camera=None if pose is None else Pose.from_matrix(pose),
        gone={part.id: _map_object(part) for part in document.gone},
        structure=structure,
        levels={part.id: part.level for part in document.objects if part.level is not None},
    )
    disagreeing = contradictions(snapshot.relations)
    if disagreeing:
        _LOG.warning(
            "%d relations of the document do not agree: %s", len(disagreeing), disagreeing[0]
        )
    nodes = (*document.objects, *document.gone)
    return SceneExport(snapshot, {part.id: part.seen_from for part in nodes if part.seen_from})


def _check_relations(relations: tuple[RelationPart, ...], nodes: set[int]) -> None:
    for part in relations:
        for node_id in (part.subject, part.object):
            if node_id not in nodes:
                raise ExchangeError(
                    f"a relation ({part.subject} {part.predicate[:60]} {part.object}) names"
                    f" {node_id}, which is no node of the scene graph"
                )


def _map_object(part: ObjectPart) -> MapObject:
    return MapObject(
        object_id=part.id,
        label=part.label,
        perceived_label=part.perceived_label,
        attributes=part.attributes,
        confidence=part.confidence,
        box=_box(part.box),
        points=_points(part),
        first_seen_ns=part.first_seen_ns,
        last_seen_ns=part.last_seen_ns,
        observation_count=part.observation_count,
        track_ids=part.track_ids,
        corrected=part.corrected,
        stays=tuple(
            Stay(_box(stay.box), stay.first_seen_ns, stay.last_seen_ns, stay.gone_ns)
            for stay in part.stays
        ),
        known_yaw_box=_box(part.yaw_box),
        here_since_ns=part.here_since_ns,
        attribute_sources=part.attribute_sources,
    )


def _plane(part: StructurePart) -> StructurePlane:
    return StructurePlane(part.id, part.kind, _box(part.box), part.normal, part.seen_m2)


def _relation(part: RelationPart) -> Relation:
    return Relation(part.subject, part.predicate, part.object, part.confidence, part.source)


def _points(part: ObjectPart) -> NDArray[np.float32]:
    try:
        data = base64.b64decode(part.points or "", validate=True)
    except ValueError as error:
        raise ExchangeError(f"the points of object {part.id} are not base64") from error
    if len(data) % _POINT_BYTES:
        raise ExchangeError(f"the points of object {part.id} do not come as x, y, z of float32")
    points = np.frombuffer(data, "<f4").astype(np.float32).reshape(-1, 3)
    if not np.isfinite(points).all():
        raise ExchangeError(f"the points of object {part.id} hold NaN or infinity")
    points.flags.writeable = False
    return points


def _box(part: BoxPart) -> Box3D:
    return Box3D(part.center, part.size, part.yaw)
