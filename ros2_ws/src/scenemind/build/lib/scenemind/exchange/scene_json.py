"""Scene graphs as JSON and back, without loss.

`scene_graph.schema.json` describes the format to other programs.
"""

from __future__ import annotations

import base64
import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from scenemind.errors import ExchangeError
from scenemind.exchange.objects_file import faults
from scenemind.geometry import Box3D, GeometryError, Pose
from scenemind.memory import LocationNode, MapObject, MemorySnapshot, Relation, Stay
from scenemind.memory.graph.statements import contradictions
from scenemind.memory.types import AttributeSource, RelationSource, StructureKind, StructurePlane
from scenemind.untrusted import MOST_JSON_BYTES, read_regular

Triple = tuple[float, float, float]
Row = tuple[float, float, float, float]
_LOG = logging.getLogger(__name__)
_POINT_BYTES = 12


@dataclass(frozen=True, slots=True, eq=False)
class SceneExport:
    """A snapshot of the memory for exchange.

    Attributes:
        seen_from: object id -> ids of the MemTree3D locations that saw it, in order of time.
    """

    snapshot: MemorySnapshot
    seen_from: Mapping[int, tuple[int, ...]] = field(default_factory=dict)


def locations_of_objects(locations: Iterable[LocationNode]) -> dict[int, tuple[int, ...]]:
    """Object id -> the locations that saw it, in the order of `locations`."""
    seen: dict[int, dict[int, None]] = {}
    for location in locations:
        for tracklet in location.tracklets:
            if tracklet.object_id is not None:
                seen.setdefault(tracklet.object_id, {})[location.location_id] = None
    return {object_id: tuple(ids) for object_id, ids in sorted(seen.items())}


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class BoxPart(_Part):
    """An upright cuboid, turned by `yaw` about z."""

    center: Triple = Field(description="x, y, z in metres")
    size: Triple = Field(description="along the box's own x and y, and height, in metres")
    yaw: float = Field(0.0, description="radians; 0 is axis-aligned")


class StayPart(_Part):
    """A stay of an object at one place."""

    box: BoxPart
    first_seen_ns: int
    last_seen_ns: int
    gone_ns: int


class ObjectPart(_Part):
    """One object of the map, corrections applied."""

    id: int = Field(ge=0)
    label: str
    perceived_label: str = Field(description="what perception alone says")
    attributes: dict[str, str]
    attribute_sources: dict[str, AttributeSource] = Field(
        default_factory=dict, description="who said an attribute; not named: computed"
    )
    level: int | None = Field(None, ge=0, description="supporters down to the building")
    confidence: float = Field(ge=0.0, le=1.0)
    label_probabilities: dict[str, Annotated[float, Field(ge=0.0, le=1.0)]] = Field(
        default_factory=dict, description="by perception, of each label that it was ever given"
    )
    is_ghost: bool = Field(
        False, description="of a gone object: it was hardly ever detected in plain view"
    )
    corrected: bool = False
    measured_share: float = Field(
        1.0, ge=0.0, le=1.0, description="of the box that depth showed; the rest is completed"
    )
    box: BoxPart = Field(description="axis-aligned")
    yaw_box: BoxPart = Field(description="the smallest upright one")
    first_seen_ns: int
    last_seen_ns: int
    here_since_ns: int | None = Field(
        None, description="first observation at its present place; null: not known"
    )
    observation_count: int
    track_ids: tuple[int, ...] = Field((), description="tracklets of MemTree3D that fed it")
    seen_from: tuple[int, ...] = Field((), description="locations of MemTree3D that saw it")
    stays: tuple[StayPart, ...] = Field((), description="where it was before, oldest first")
    points: str | None = Field(
        None, description="surface points, world: base64 of float32 x, y, z, little-endian"
    )


class StructurePart(_Part):
    """A floor, wall or ceiling."""

    id: int = Field(lt=0)
    kind: StructureKind
    box: BoxPart
    normal: Triple = Field(description="unit, into the room")
    seen_m2: float = Field(ge=0.0)


class RelationPart(_Part):
    """`subject predicate object`; ids of objects or of structure."""

    subject: int
    predicate: str
    object: int
    confidence: float = Field(ge=0.0, le=1.0)
    source: RelationSource


class SceneDocument(_Part):
    """A scene graph: objects, structure, and relations between them."""

    format: Literal["scenemind scene graph"] = "scenemind scene graph"
    version: Literal[1] = 1
    revision: int
    stamp_ns: int = Field(description="of the newest frame in it; 0: none")
    world_T_camera: tuple[Row, Row, Row, Row] | None = Field(
        description="where the camera was last: homogeneous, by rows; its z looks forward"
    )
    objects: tuple[ObjectPart, ...]
    structure: tuple[StructurePart, ...]
    relations: tuple[RelationPart, ...] = Field(description="true wherever one stands")
    gone: tuple[ObjectPart, ...] = Field((), description="objects that were there once")
    denied: tuple[RelationPart, ...] = Field(
        (), description="relations that people denied, whatever boxes say"
    )


def scene_schema() -> dict[str, Any]:
    """JSON Schema (2020-12) of the document."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **SceneDocument.model_json_schema(),
    }


def document_of(scene: SceneExport, *, with_points: bool) -> SceneDocument:
    """The document of a scene.

    Args:
        with_points: include the objects' surface points.
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
        denied=tuple(map(_relation_part, snapshot.denied)),
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
        label_probabilities=dict(thing.label_probabilities),
        is_ghost=thing.is_ghost,
        corrected=thing.corrected,
        measured_share=thing.measured_share,
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


def scene_of(document: SceneDocument) -> SceneExport:
    """The scene of a document.

    Raises:
        ExchangeError: two nodes have the same id, a relation names an unknown node, or surface
            points are malformed.
        GeometryError: a box or pose is invalid.
    """
    objects = {part.id: _map_object(part) for part in document.objects}
    structure = {part.id: _plane(part) for part in document.structure}
    if len(objects) + len(structure) < len(document.objects) + len(document.structure):
        raise ExchangeError("two nodes of the scene graph have the same id")
    _check_relations((*document.relations, *document.denied), objects.keys() | structure.keys())
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
        denied=tuple(map(_relation, document.denied)),
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
        label_probabilities=part.label_probabilities,
        is_ghost=part.is_ghost,
        measured_share=part.measured_share,
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


def scene_to_json(scene: SceneExport, *, with_points: bool = False) -> str:
    """JSON of a scene; `scene_from_json` reads it back to an equal scene.

    Args:
        with_points: include the surface points, which are most of the size.
    """
    return document_of(scene, with_points=with_points).model_dump_json(indent=1)


def scene_from_json(text: str | bytes) -> SceneExport:
    """The scene of a JSON text by `scene_to_json`.

    Raises:
        ExchangeError: it is no JSON, has another format, or its ids are inconsistent.
    """
    try:
        return scene_of(SceneDocument.model_validate_json(text))
    except ValidationError as error:
        raise ExchangeError(f"this is no scene graph: {faults(error)}") from error
    except GeometryError as error:
        raise ExchangeError(f"the scene graph holds a shape that cannot be: {error}") from error


def read_scene(path: Path) -> SceneExport:
    """A scene graph from a JSON file.

    Raises:
        ExchangeError: it cannot be read, or is no scene graph.
    """
    try:
        return scene_from_json(read_regular(path, MOST_JSON_BYTES, follow=True))
    except OSError as error:
        raise ExchangeError(f"{path} cannot be read: {error.strerror}") from error
    except ExchangeError as error:
        raise ExchangeError(f"{path}: {error}") from error
