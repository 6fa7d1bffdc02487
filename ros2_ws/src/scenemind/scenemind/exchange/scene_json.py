"""A scene graph as JSON and back, without loss."""

from __future__ import annotations

from pathlib import Path

from pydantic import ValidationError

from scenemind.exchange.document_reading import scene_of
from scenemind.exchange.document_writing import document_of
from scenemind.exchange.errors import ExchangeError
from scenemind.exchange.faults import faults
from scenemind.exchange.scene_document import SceneDocument
from scenemind.exchange.scene_export import SceneExport
from scenemind.geometry import GeometryError


def scene_to_json(scene: SceneExport, *, with_points: bool = False) -> str:
    """The JSON text; `scene_from_json` reads it back to an equal scene.

    Args:
        with_points: with the surface points, which are most of the size.
    """
    return document_of(scene, with_points=with_points).model_dump_json(indent=1)


def scene_from_json(text: str | bytes) -> SceneExport:
    """What `scene_to_json` wrote.

    Raises:
        ExchangeError: no JSON, not of this format, or ids that do not fit together.
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
        ExchangeError: it cannot be read, or is none.
    """
    try:
        return scene_from_json(path.read_bytes())
    except OSError as error:
        raise ExchangeError(f"{path} cannot be read: {error.strerror}") from error
    except ExchangeError as error:
        raise ExchangeError(f"{path}: {error}") from error
