"""The shape of a scene graph as JSON; `scene_graph.schema.json` says the same to other programs.

Metres and radians, in the world frame of the memory: z up, right-handed. Stamps in nanoseconds.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from scenemind.memory.types import AttributeSource, RelationSource, StructureKind

Triple = tuple[float, float, float]
Row = tuple[float, float, float, float]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class BoxPart(_Part):
    """An upright cuboid, turned by `yaw` about z."""

    center: Triple = Field(description="x, y, z in metres")
    size: Triple = Field(description="along the box's own x and y, and height, in metres")
    yaw: float = Field(0.0, description="radians; 0 is axis-aligned")


class StayPart(_Part):
    """An object was at one place for a while."""

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
    corrected: bool = False
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
    """A scene graph: objects, what carries them, relations between them."""

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


def scene_schema() -> dict[str, Any]:
    """JSON Schema (2020-12) of the document."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **SceneDocument.model_json_schema(),
    }
