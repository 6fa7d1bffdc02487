"""Objects files as scene graphs: ground truth of a data set, or of another program."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from scenemind.config import RelationConfig
from scenemind.exchange.errors import ExchangeError
from scenemind.exchange.object_row import ObjectRow
from scenemind.exchange.objects_file import read_rows
from scenemind.geometry import Box3D
from scenemind.memory import MapObject, MemorySnapshot, StructurePlane
from scenemind.memory.attributes.sizes import dimensions_text, relative_size, size_name
from scenemind.memory.graph.scene_graph import SceneGraph
from scenemind.perception.color_names import color_name

_NO_POINTS = np.zeros((0, 3), np.float32)
_NO_POINTS.flags.writeable = False


def load_objects(
    path: Path, scene: str | None = None, config: RelationConfig | None = None
) -> MemorySnapshot:
    """A scene graph over the objects of a file, with relations and levels.

    Args:
        scene: its name, where the file has several.

    Raises:
        ExchangeError: see `read_rows`; or two objects have one id.
    """
    return scene_of_rows(read_rows(path, scene), config or RelationConfig())


def scene_of_rows(
    rows: Sequence[ObjectRow], config: RelationConfig, building: Sequence[StructurePlane] = ()
) -> MemorySnapshot:
    """A scene graph over objects, which are as sure as a person's word.

    Args:
        building: floor, walls and ceiling, where they are known.

    Raises:
        ExchangeError: two objects have one id.
    """
    objects = {row.id: _map_object(row) for row in sorted(rows, key=lambda row: row.id)}
    if len(objects) < len(rows):
        ids = [row.id for row in rows]
        twice = next(object_id for object_id in ids if ids.count(object_id) > 1)
        raise ExchangeError(f"two objects have the id {twice}")
    graph = SceneGraph(config)
    graph.refresh(objects, objects, building)
    return MemorySnapshot(
        revision=1,
        stamp_ns=0,
        objects=objects,
        relations=graph.relations(),
        world_T_camera=None,
        structure={plane.plane_id: plane for plane in building},
        levels=graph.levels(),
    )


def objects_of_rows(rows: Sequence[ObjectRow]) -> dict[int, MapObject]:
    """By id, in its order; without relations.

    Raises:
        ExchangeError: two objects have one id.
    """
    objects = {row.id: _map_object(row) for row in sorted(rows, key=lambda row: row.id)}
    if len(objects) < len(rows):
        ids = [row.id for row in rows]
        twice = next(object_id for object_id in ids if ids.count(object_id) > 1)
        raise ExchangeError(f"two objects have the id {twice}")
    return objects


def rows_of(snapshot: MemorySnapshot) -> list[ObjectRow]:
    """Its objects as rows: the yaw box, and the colour's name."""
    return [
        ObjectRow(
            id=thing.object_id,
            label=thing.label,
            center=thing.yaw_box.center,
            size=thing.yaw_box.size,
            yaw=thing.yaw_box.yaw,
            color=thing.attributes.get("color"),
        )
        for thing in snapshot.objects.values()
    ]


def _map_object(row: ObjectRow) -> MapObject:
    yaw_box = Box3D(row.center, row.size, row.yaw)
    return MapObject(
        object_id=row.id,
        label=row.label,
        perceived_label=row.label,
        attributes=_attributes(row, yaw_box),
        confidence=1.0 if row.score is None else row.score,
        box=Box3D.from_bounds(*yaw_box.bounds()),
        points=_NO_POINTS,
        first_seen_ns=0,
        last_seen_ns=0,
        observation_count=1,
        track_ids=(),
        known_yaw_box=yaw_box,
    )


def _attributes(row: ObjectRow, yaw_box: Box3D) -> dict[str, str]:
    """What a label, a box and a mean colour tell."""
    told = {
        "color": row.color or (color_name(row.avg_rgb) if row.avg_rgb else None),
        "size": size_name(yaw_box),
        "dimensions": dimensions_text(yaw_box),
        "relative_size": relative_size(row.label, yaw_box),
    }
    return {name: value for name, value in told.items() if value is not None}
