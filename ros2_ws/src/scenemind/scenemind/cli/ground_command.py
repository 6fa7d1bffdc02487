"""`scenemind ground`: a phrase in, boxes out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from numpy.typing import NDArray

from scenemind.cli.asking.answers import exit_with, print_origin
from scenemind.cli.asking.chosen_frames import usage_json
from scenemind.cli.asking.methods import opened_methods
from scenemind.cli.asking.model_options import (
    Endpoint,
    ModelName,
    Pictures,
    Record,
    Replay,
    Timeout,
    refuse_own_models,
    with_models,
)
from scenemind.cli.asking.pictures import write_pictures
from scenemind.cli.asking.progress import with_progress
from scenemind.cli.live import run_live
from scenemind.cli.memories import read_memory
from scenemind.cli.options import AsJson, ConfigFile, Live, MemoryName, MemoryRoot
from scenemind.cli.output import error_json, object_json, print_json, print_objects, printable
from scenemind.config import SceneMindConfig
from scenemind.memory import MemorySnapshot
from scenemind.reasoning import Grounding, Policy, Query, Router
from scenemind.report import Asked


def register(app: typer.Typer) -> None:
    app.command(
        "ground", epilog='Example: scenemind ground "the chair next to the desk" --memory kitchen'
    )(_ground)


def _ground(
    phrase: Annotated[str, typer.Argument(help="What to find, in plain words.")],
    memory: MemoryName = "current",
    live: Live = False,
    method: Annotated[
        str,
        typer.Option(
            help="Who looks for it; see `scenemind ask`. vlm_grounder: a vision model looks at"
            " images, and measures anew what it finds."
        ),
    ] = "auto",
    policy: Annotated[
        Policy,
        typer.Option(
            help="Where nothing that was seen fits well: take what is likeliest, fail"
            " rather than guess, or guess."
        ),
    ] = "balanced",
    model: ModelName = "",
    endpoint: Endpoint = "",
    timeout: Timeout = 60.0,
    pictures: Pictures = None,
    record: Record = None,
    replay: Replay = None,
    config: ConfigFile = None,
    memory_root: MemoryRoot = None,
    as_json: AsJson = False,
) -> None:
    """Find the objects that a phrase means, best first.

    The column "meant" says how sure it is that each one is meant, from 0 to 1.
    """
    if live:
        refuse_own_models(model=model, endpoint=endpoint, record=record, replay=replay)
        run_live(
            "ground",
            phrase,
            method=method,
            policy=policy,
            timeout_s=timeout,
            pictures=None if pictures is None else str(pictures.absolute()),
            as_json=as_json,
        )
    settings = with_models(
        SceneMindConfig.load(config) if config else SceneMindConfig(),
        model=model,
        endpoint=endpoint,
        record=record,
        replay=replay,
    )
    query = Query(phrase, policy=policy)
    with (
        read_memory(memory, memory_root, settings) as place,
        opened_methods(settings) as (opened, methods),
    ):
        router = Router(place, settings.relations, methods)
        found = with_progress(
            lambda asking: router.ground(query, method, asking), opened.allowance(timeout)
        )
        snapshot, path = place.snapshot(), place.trajectory()
    show_grounding(found, snapshot, path, pictures, as_json)
    exit_with(found.failure)


def show_grounding(
    found: Grounding,
    snapshot: MemorySnapshot,
    path: NDArray[np.float32],
    pictures: Path | None,
    as_json: bool,
) -> None:
    """Print what was found, or why not, and write the pictures where there is a folder for them.

    Args:
        snapshot: the map that was asked.
        path: (N, 3) float32, world: where the camera was.

    Raises:
        CommandError: the folder cannot be written.
    """
    if as_json:
        print_json(_as_json(found))
    else:
        _print(found)
    if pictures is not None:
        write_pictures(Asked.of_grounding(found, snapshot, path), pictures)


def _print(found: Grounding) -> None:
    # Over ROS the steps come as one text.
    steps = found.steps if found.objects else ()
    print(printable("\n".join(steps) or found.reasoning))
    if found.objects:
        print_objects(found.objects, meant=found.confidences)
    print_origin(found)


def _as_json(found: Grounding) -> dict[str, object]:
    pairs = zip(found.objects, found.confidences, strict=True)
    return {
        "query": found.query.text,
        "objects": [{**object_json(obj), "confidence": round(c, 4)} for obj, c in pairs],
        "reasoning": found.reasoning,
        "steps": list(found.steps),
        "key_frames": [frame.frame_number for frame in found.key_frames],
        "method": found.method,
        "fallback": found.fallback,
        "usage": usage_json(found.usage),
        "seconds": round(found.seconds, 6),
        "error": error_json(found.failure),
    }
