"""`scenemind ask`: a question in, a sentence out."""

from __future__ import annotations

from typing import Annotated

import typer

from scenemind.cli.live import run_live
from scenemind.cli.memories import open_memory
from scenemind.cli.options import AsJson, ConfigFile, Live, MemoryName, MemoryRoot
from scenemind.cli.output import error_json, object_json, print_json, print_objects
from scenemind.config import SceneMindConfig
from scenemind.reasoning import Answer, Query, Router


def register(app: typer.Typer) -> None:
    app.command(
        "ask", epilog='Example: scenemind ask "how many chairs are there?" --memory kitchen'
    )(_ask)


def _ask(
    question: Annotated[str, typer.Argument(help="In plain words.")],
    memory: MemoryName = "current",
    live: Live = False,
    situation: Annotated[str, typer.Option(help='Such as "I am facing the window".')] = "",
    method: Annotated[str, typer.Option(help="Who answers.")] = "auto",
    config: ConfigFile = None,
    memory_root: MemoryRoot = None,
    as_json: AsJson = False,
) -> None:
    """Ask about a mapped place."""
    if live:
        run_live("ask", question, situation=situation, method=method, as_json=as_json)
    settings = SceneMindConfig.load(config) if config else SceneMindConfig()
    with open_memory(memory, memory_root, settings) as place:
        answer = Router(place, settings.relations).ask(Query(question, situation), method)
    if as_json:
        print_json(_as_json(answer))
    else:
        print(answer.text)
        if answer.objects:
            print_objects(answer.objects)
    if answer.failure is not None:
        raise typer.Exit(1)


def _as_json(answer: Answer) -> dict[str, object]:
    return {
        "question": answer.query.text,
        "answer": answer.text,
        "confidence": answer.confidence,
        "objects": [object_json(obj) for obj in answer.objects],
        "key_frames": [frame.frame_number for frame in answer.key_frames],
        "method": answer.method,
        "steps": list(answer.steps),
        "seconds": round(answer.seconds, 6),
        "error": error_json(answer.failure),
    }
