"""Pictures of the scene graph: SVG, or PNG where there is a browser to draw it."""

from __future__ import annotations

import math
import os
import shutil
import subprocess
import tempfile
from collections.abc import Collection
from pathlib import Path
from typing import Literal

from scenemind.cli.errors import CommandError
from scenemind.cli.graph.export import write_file
from scenemind.memory import MemorySnapshot
from scenemind.memory.graph.relations.names import CARRYING, STORED
from scenemind.report import (
    colors_of,
    drawing_size,
    neighbourhood,
    render_levels,
    render_top_down,
    shown_relations,
    standalone_svg,
)

View = Literal["above", "levels"]
_BROWSERS = ("chromium", "chromium-browser", "google-chrome")
_BROWSER_S = 60.0


def draw(
    snapshot: MemorySnapshot,
    view: View,
    predicates: Collection[str] | None,
    object_id: int | None,
) -> str:
    """An SVG file.

    Args:
        predicates: relations to draw; None: those that carry, or all of `object_id`.
        object_id: draw this object, and what it is related to.
    """
    things = (*snapshot.objects.values(), *snapshot.gone.values())
    colors = colors_of(thing.label for thing in things)
    if predicates is None:
        predicates = CARRYING if object_id is None else STORED
    relations = shown_relations(snapshot, predicates, object_id)
    if view == "levels":
        return standalone_svg(render_levels(snapshot, colors, relations))
    only = None if object_id is None else neighbourhood(object_id, relations)
    return standalone_svg(render_top_down(snapshot, colors, relations=relations, only=only))


def write_picture(svg: str, path: Path) -> None:
    """Write an SVG or, by the file's suffix, a PNG.

    Raises:
        CommandError: another suffix, no browser for a PNG, or the file cannot be written.
    """
    if path.suffix == ".svg":
        write_file(path, svg.encode())
    elif path.suffix == ".png":
        _write_png(svg, path)
    else:
        raise CommandError(f"{path.name} is no picture: --picture takes .svg and .png")


def _write_png(svg: str, path: Path) -> None:
    browser = next(filter(None, map(shutil.which, _BROWSERS)), None)
    if browser is None:
        raise CommandError(
            "a PNG is drawn by a browser, and there is no chromium here: take --picture"
            f" {path.with_suffix('.svg').name}"
        )
    width, height = (math.ceil(side) for side in drawing_size(svg))
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder) / "drawing.svg", Path(folder) / "drawing.png"
        source.write_text(svg, encoding="utf-8")
        command = [
            *(browser, "--headless", "--disable-gpu", "--hide-scrollbars"),
            *(["--no-sandbox"] if os.geteuid() == 0 else []),
            *(f"--window-size={width},{height}", f"--screenshot={target}", source.as_uri()),
        ]
        try:
            subprocess.run(command, capture_output=True, timeout=_BROWSER_S, check=True)
            png = target.read_bytes()
        except (OSError, subprocess.SubprocessError) as error:
            raise CommandError(f"{browser} could not draw the picture: {error}") from error
    write_file(path, png)
