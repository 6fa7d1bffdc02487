"""`scenemind ground`: a phrase in, boxes out."""

from __future__ import annotations

from typing import Annotated

import typer

from scenemind.cli.live import run_live
from scenemind.cli.memories import open_memory
from scenemind.cli.options import AsJson, ConfigFile, Live, MemoryName, MemoryRoot
from scenemind.cli.output import error_json, object_json, print_json, print_objects
from scenemind.config import SceneMindConfig
from scenemind.reasoning import Grounding, Query, Router


def register(app: typer.Typer) -> None:
    app.command(
        "ground", epilog='Example: scenemind ground "the chair next to the desk" --memory kitchen'
    )(_ground)


def _ground(
    phrase: Annotated[str, typer.Argument(help="What to find, in plain words.")],
    memory: MemoryName = "current",
    live: Live = False,
    method: Annotated[str, typer.Option(help="Who looks for it.")] = "auto",
    config: ConfigFile = None,
    memory_root: MemoryRoot = None,
    as_json: AsJson = False,
) -> None:
    """Find the objects that a phrase means, best first."""
    if live:
        run_live("ground", phrase, method=method, as_json=as_json)
    settings = SceneMindConfig.load(config) if config else SceneMindConfig()
    with open_memory(memory, memory_root, settings) as place:
        found = Router(place, settings.relations).ground(Query(phrase), method)
    if as_json:
        print_json(_as_json(found))
    else:
        print(found.reasoning)
        if found.objects:
            print_objects(found.objects)
    if found.failure is not None:
        raise typer.Exit(1)


def _as_json(found: Grounding) -> dict[str, object]:
    pairs = zip(found.objects, found.confidences, strict=True)
    return {
        "query": found.query.text,
        "objects": [{**object_json(obj), "confidence": round(c, 4)} for obj, c in pairs],
        "reasoning": found.reasoning,
        "key_frames": [frame.frame_number for frame in found.key_frames],
        "method": found.method,
        "seconds": round(found.seconds, 6),
        "error": error_json(found.failure),
    }
