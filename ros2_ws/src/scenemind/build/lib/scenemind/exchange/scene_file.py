"""The formats in which a scene graph leaves as a file."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, get_args

from scenemind.errors import ExchangeError
from scenemind.exchange.networkx_graph import scene_to_graphml
from scenemind.exchange.objects_file import rows_csv, rows_json, rows_of
from scenemind.exchange.ply import objects_to_ply
from scenemind.exchange.scene_json import SceneExport, scene_to_json

SceneFormat = Literal["json", "graphml", "ply", "objects"]
SCENE_FORMATS: tuple[SceneFormat, ...] = get_args(SceneFormat)
_BY_SUFFIX: dict[str, SceneFormat] = {
    ".json": "json",
    ".graphml": "graphml",
    ".ply": "ply",
    ".csv": "objects",
}


def format_of(path: Path) -> SceneFormat:
    """The format of a file by its suffix.

    Raises:
        ExchangeError: a suffix of no format.
    """
    if path.suffix not in _BY_SUFFIX:
        raise ExchangeError(f"{path.name} ends in none of {', '.join(_BY_SUFFIX)}")
    return _BY_SUFFIX[path.suffix]


def encode_scene(
    scene: SceneExport, form: SceneFormat, *, as_csv: bool = False, with_points: bool = False
) -> bytes:
    """The content of a file.

    Args:
        as_csv: `objects` as CSV in place of JSON.
        with_points: `json` with the surface points of the objects.

    Raises:
        ExchangeError: an optional package is missing.
    """
    if form == "ply":
        return objects_to_ply(scene.snapshot.objects.values())
    if form == "graphml":
        return scene_to_graphml(scene)
    if form == "objects":
        write = rows_csv if as_csv else rows_json
        return write(rows_of(scene.snapshot)).encode()
    return scene_to_json(scene, with_points=with_points).encode() + b"\n"
