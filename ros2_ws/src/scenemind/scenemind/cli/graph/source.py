"""Where the scene graph comes from."""

from __future__ import annotations

import json
from pathlib import Path

from scenemind.cli.errors import CommandError
from scenemind.cli.live import fetch_live
from scenemind.cli.memories import read_memory
from scenemind.config import RelationConfig, SceneMindConfig
from scenemind.exchange import (
    SceneExport,
    load_objects,
    locations_of_objects,
    read_scene,
    scene_from_json,
)
from scenemind.memory.types import MapObject


def from_memory(name: str, root: Path | None, settings: SceneMindConfig) -> SceneExport:
    """Of a stored memory.

    Raises:
        CommandError: there is none of that name.
        SceneMemoryError: it is damaged or in use.
    """
    with read_memory(name, root, settings) as memory:
        return SceneExport(memory.snapshot(), locations_of_objects(memory.tree()))


def from_nodes() -> SceneExport:
    """Of the memory that running nodes have open; its objects come without surface points."""
    return scene_from_json(fetch_live("scene_graph")["scene_graph"])


def from_file(path: Path, scene: str | None, thresholds: RelationConfig) -> SceneExport:
    """Of an objects file, whose relations are computed, or of an exported scene graph.

    Raises:
        ExchangeError: it is neither, or has no such scene.
    """
    if path.suffix == ".json" and scene is None and _is_scene_graph(path):
        return read_scene(path)
    return SceneExport(load_objects(path, scene, thresholds))


def named_object(scene: SceneExport, object_id: int) -> MapObject:
    """The object of this id.

    Raises:
        CommandError: there is none.
    """
    thing = scene.snapshot.objects.get(object_id)
    if thing is None:
        raise CommandError(
            f"there is no object {object_id}: `scenemind graph` without --object lists all ids"
        )
    return thing


def _is_scene_graph(path: Path) -> bool:
    """By what it says of itself; a file that cannot be read is left to whoever reads it."""
    try:
        document = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return False
    return isinstance(document, dict) and "format" in document
