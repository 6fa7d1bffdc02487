"""Objects files: what stands in a room, without relations. JSON (also gzipped) or CSV by suffix.

JSON is `{"objects": [row, ...]}` or several scenes by name, `{"scene0011_00": {"objects": ...}}`;
rows are `ObjectRow`s. CSV has a column a number: `COLUMNS`.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from scenemind.exchange.errors import ExchangeError
from scenemind.exchange.faults import faults
from scenemind.exchange.object_row import ObjectRow

COLUMNS = (
    *("id", "label", "x", "y", "z", "length", "width", "height"),
    *("yaw", "red", "green", "blue", "color"),
)
_NAMES_SHOWN = 5
_Rows = TypeAdapter(list[ObjectRow])


def read_rows(path: Path, scene: str | None = None) -> list[ObjectRow]:
    """The objects of one scene.

    Args:
        scene: its name, where the file has several.

    Raises:
        ExchangeError: the file cannot be read, is no objects file, or has no such scene.
    """
    try:
        if path.suffix == ".csv":
            found: Any = [_from_columns(line) for line in _csv_lines(path)]
        else:
            found = _of_scene(_json(path), scene)
        rows = _Rows.validate_python(found)
    except (OSError, zlib.error, EOFError) as error:
        raise ExchangeError(f"{path} cannot be read: {error}") from error
    except ValidationError as error:
        raise ExchangeError(f"{path} is no objects file: {faults(error)}") from error
    except ExchangeError as error:
        raise ExchangeError(f"{path}: {error}") from error
    except ValueError as error:
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


def _json(path: Path) -> Any:
    data = path.read_bytes()
    return json.loads(gzip.decompress(data) if path.suffix == ".gz" else data)


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
    with path.open(encoding="utf-8-sig", newline="") as file:
        reader = csv.DictReader(file)
        missing = set(COLUMNS[:8]) - set(reader.fieldnames or ())
        if missing:
            raise ValueError(f"columns are missing: {', '.join(sorted(missing))}")
        return list(reader)


def _from_columns(line: Mapping[str, str]) -> dict[str, Any]:
    """Numbers stay text here: the row's own check reads them."""
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
