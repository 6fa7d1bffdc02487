"""Objects files: labels and boxes without relations, as JSON (also gzipped) or CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from scenemind.config import RelationConfig
from scenemind.errors import ExchangeError
from scenemind.geometry import Box3D
from scenemind.memory import MapObject, MemorySnapshot, StructurePlane
from scenemind.memory.attributes.sizes import dimensions_text, relative_size, size_name
from scenemind.memory.graph.scene_graph import SceneGraph
from scenemind.perception.colors import color_name
from scenemind.untrusted import MOST_JSON_BYTES, load_json, read_regular

_SHOWN_FAULTS = 3
_MOST_CSV_BYTES = 16 * 2**20
_MOST_OBJECTS = 100_000  # of one scene; relations are computed between them

Length = Annotated[float, Field(ge=0.0)]
Channel = Annotated[int, Field(ge=0, le=255)]
COLUMNS = (
    *("id", "label", "x", "y", "z", "length", "width", "height"),
    *("yaw", "red", "green", "blue", "color"),
)
_NAMES_SHOWN = 5
_NO_POINTS = np.zeros((0, 3), np.float32)
_NO_POINTS.flags.writeable = False


class ObjectRow(BaseModel):
    """An annotated or detected object; metres and radians, world, z up.

    Attributes:
        id: 0 or more; negative ids belong to the building.
        yaw: rotation of the box about z.
        avg_rgb: mean sRGB colour, 0..255.
        color: name of its colour, where it is annotated.
        score: a detector's confidence; None: ground truth.
    """

    model_config = ConfigDict(extra="ignore", frozen=True, allow_inf_nan=False)

    id: int = Field(ge=0)
    label: str = Field(min_length=1)
    center: tuple[float, float, float]
    size: tuple[Length, Length, Length]
    yaw: float = 0.0
    avg_rgb: tuple[Channel, Channel, Channel] | None = None
    color: str | None = None
    score: Annotated[float, Field(ge=0.0, le=1.0)] | None = None


_Rows = TypeAdapter(list[ObjectRow])


def read_rows(path: Path, scene: str | None = None) -> list[ObjectRow]:
    """The objects of one scene.

    Args:
        scene: name of the scene in a file of several scenes.

    Raises:
        ExchangeError: the file cannot be read, is no objects file, or has no such scene.
    """
    try:
        if path.suffix == ".csv":
            found: Any = [_from_columns(line) for line in _csv_lines(path)]
        else:
            found = _of_scene(load_json(read_regular(path, MOST_JSON_BYTES, follow=True)), scene)
        if isinstance(found, list) and len(found) > _MOST_OBJECTS:
            raise ExchangeError(f"{len(found)} objects are more than {_MOST_OBJECTS} in one scene")
        rows = _Rows.validate_python(found)
    except OSError as error:
        raise ExchangeError(f"{path} cannot be read: {error}") from error
    except ValidationError as error:
        raise ExchangeError(f"{path} is no objects file: {faults(error)}") from error
    except ExchangeError as error:
        raise ExchangeError(f"{path}: {error}") from error
    except (ValueError, csv.Error) as error:
        raise ExchangeError(f"{path} is no objects file: {error}") from error
    return rows


def rows_json(rows: Iterable[ObjectRow]) -> str:
    """One scene as JSON, an object a line."""
    lines = (row.model_dump_json(exclude_none=True) for row in rows)
    return '{"objects": [\n' + ",\n".join(lines) + "\n]}\n"


def rows_csv(rows: Iterable[ObjectRow]) -> str:
    """One scene as CSV."""
    file = io.StringIO(newline="")
    writer = csv.DictWriter(file, COLUMNS)
    writer.writeheader()
    writer.writerows(map(_as_columns, rows))
    return file.getvalue()


def _of_scene(document: Any, scene: str | None) -> Any:
    if isinstance(document, dict) and scene is None and "objects" in document:
        return document["objects"]
    if isinstance(document, list) and scene is None:
        return document
    if not isinstance(document, dict) or "objects" in document:
        raise ExchangeError(f"it has one scene only: leave the scene {scene} out")
    found = document.get(scene)
    if not isinstance(found, dict) or "objects" not in found:
        names = sorted(document)
        shown = ", ".join(names[:_NAMES_SHOWN]) + (", ..." if len(names) > _NAMES_SHOWN else "")
        wanted = "name one of its scenes" if scene is None else f"it has no scene {scene}"
        raise ExchangeError(f"{wanted} (there are {len(names)}: {shown})")
    return found["objects"]


def _csv_lines(path: Path) -> list[dict[str, str]]:
    text = read_regular(path, _MOST_CSV_BYTES, follow=True).decode("utf-8-sig")
    reader = csv.DictReader(io.StringIO(text, newline=""))
    missing = set(COLUMNS[:8]) - set(reader.fieldnames or ())
    if missing:
        raise ValueError(f"columns are missing: {', '.join(sorted(missing))}")
    lines = list(reader)
    if any(None in line.values() for line in lines):
        raise ValueError("a line has fewer columns than the first one")
    return lines


def _from_columns(line: Mapping[str, str]) -> dict[str, Any]:
    """A line of CSV as fields of `ObjectRow`, which parses the numbers."""
    rgb = [line.get(name) for name in ("red", "green", "blue")]
    return {
        "id": line["id"],
        "label": line["label"],
        "center": [line[name] for name in ("x", "y", "z")],
        "size": [line[name] for name in ("length", "width", "height")],
        "yaw": line.get("yaw") or 0.0,
        "avg_rgb": rgb if all(rgb) else None,
        "color": line.get("color") or None,
    }


def _as_columns(row: ObjectRow) -> dict[str, Any]:
    rgb = row.avg_rgb or ("", "", "")
    values = (row.id, row.label, *row.center, *row.size, row.yaw, *rgb, row.color or "")
    return dict(zip(COLUMNS, values, strict=True))


def load_objects(
    path: Path, scene: str | None = None, config: RelationConfig | None = None
) -> MemorySnapshot:
    """A scene graph over the objects of a file, with relations and levels.

    Args:
        scene: name of the scene in a file of several scenes.

    Raises:
        ExchangeError: see `read_rows`; or two objects have the same id.
    """
    return scene_of_rows(read_rows(path, scene), config or RelationConfig())


def scene_of_rows(
    rows: Sequence[ObjectRow], config: RelationConfig, building: Sequence[StructurePlane] = ()
) -> MemorySnapshot:
    """A scene graph over annotated objects.

    Args:
        building: floor, walls and ceiling, where they are known.

    Raises:
        ExchangeError: two objects have the same id.
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
    """Object id -> object, in ascending order, without relations.

    Raises:
        ExchangeError: two objects have the same id.
    """
    objects = {row.id: _map_object(row) for row in sorted(rows, key=lambda row: row.id)}
    if len(objects) < len(rows):
        ids = [row.id for row in rows]
        twice = next(object_id for object_id in ids if ids.count(object_id) > 1)
        raise ExchangeError(f"two objects have the id {twice}")
    return objects


def rows_of(snapshot: MemorySnapshot) -> list[ObjectRow]:
    """The objects of a snapshot as rows, with the yaw box and the name of the colour."""
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
    """Attributes by label, box and mean colour."""
    told = {
        "color": row.color or (color_name(row.avg_rgb) if row.avg_rgb else None),
        "size": size_name(yaw_box),
        "dimensions": dimensions_text(yaw_box),
        "relative_size": relative_size(row.label, yaw_box),
    }
    return {name: value for name, value in told.items() if value is not None}


def faults(error: ValidationError) -> str:
    """The first few faults, each with its place in the document."""
    found = error.errors(include_url=False, include_input=False)
    shown = [
        f"{'.'.join(map(str, one['loc'])) or 'text'}: {one['msg']}" for one in found[:_SHOWN_FAULTS]
    ]
    more = len(found) - len(shown)
    return "; ".join(shown) + (f"; and {more} more" if more else "")
