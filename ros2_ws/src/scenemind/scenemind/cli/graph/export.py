"""The scene graph as a file of another program's."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Literal, get_args

from scenemind.cli.errors import CommandError
from scenemind.exchange import (
    SceneExport,
    objects_to_ply,
    rows_csv,
    rows_json,
    rows_of,
    scene_to_graphml,
    scene_to_json,
)

Format = Literal["json", "graphml", "ply", "objects"]
_BY_SUFFIX: dict[str, Format] = {
    ".json": "json",
    ".graphml": "graphml",
    ".ply": "ply",
    ".csv": "objects",
}


def chosen_format(name: str | None, out: Path | None) -> Format | None:
    """The format by name, else by the file's suffix; None where neither is said.

    Raises:
        CommandError: a name or suffix of no format.
    """
    if name is not None:
        for known in get_args(Format):
            if name == known:
                return known
        raise CommandError(f"--format {name} is none of {', '.join(get_args(Format))}")
    if out is None:
        return None
    if out.suffix not in _BY_SUFFIX:
        known_suffixes = ", ".join(_BY_SUFFIX)
        raise CommandError(f"{out.name} ends in none of {known_suffixes}: say a --format")
    return _BY_SUFFIX[out.suffix]


def export(scene: SceneExport, form: Format, out: Path | None, *, with_points: bool) -> None:
    """Write the file, or text to standard output.

    Raises:
        CommandError: the file cannot be written, or binary data was to go to the terminal.
        ExchangeError: an optional package is missing.
    """
    if out is not None:
        write_file(out, _content(scene, form, out.suffix, with_points))
    elif form == "ply" and sys.stdout.isatty():
        raise CommandError("PLY is binary: say --out FILE")
    else:
        sys.stdout.buffer.write(_content(scene, form, "", with_points))


def _content(scene: SceneExport, form: Format, suffix: str, with_points: bool) -> bytes:
    if form == "ply":
        return objects_to_ply(scene.snapshot.objects.values())
    if form == "graphml":
        return scene_to_graphml(scene)
    if form == "objects":
        write = rows_csv if suffix == ".csv" else rows_json
        return write(rows_of(scene.snapshot)).encode()
    return scene_to_json(scene, with_points=with_points).encode() + b"\n"


def write_file(path: Path, content: bytes) -> None:
    """Write the file.

    Raises:
        CommandError: it cannot be written.
    """
    try:
        path.write_bytes(content)
    except OSError as error:
        raise CommandError(f"{path} cannot be written: {error.strerror}") from error
