"""`scenemind align`: correct a memory in plain words, look at the corrections, take them back."""

from __future__ import annotations

import getpass
from typing import Annotated

import typer

from scenemind.cli.corrections.command import open_journal
from scenemind.cli.corrections.show import show_corrections
from scenemind.cli.errors import CommandError
from scenemind.cli.live import run_live
from scenemind.cli.memories import open_memory
from scenemind.cli.options import AsJson, ConfigFile, Live, MemoryName, MemoryRoot
from scenemind.cli.output import error_json, print_json
from scenemind.config import SceneMindConfig
from scenemind.memory import Memory
from scenemind.reasoning import Query, Router


def register(app: typer.Typer) -> None:
    app.command("align", epilog='Example: scenemind align "chair 3 is a stool" --memory kitchen')(
        _align
    )


def _align(
    instruction: Annotated[str, typer.Argument(help="What to correct.", show_default=False)] = "",
    memory: MemoryName = "current",
    live: Live = False,
    undo: Annotated[bool, typer.Option("--undo", help="Take back the newest correction.")] = False,
    list_all: Annotated[bool, typer.Option("--list", help="Show all corrections.")] = False,
    config: ConfigFile = None,
    memory_root: MemoryRoot = None,
    as_json: AsJson = False,
) -> None:
    """Correct a memory in plain words."""
    if sum((bool(instruction), undo, list_all)) != 1:
        raise CommandError("align takes one of: a sentence, --undo, --list")
    if not instruction:
        with open_journal(memory, memory_root, live=live) as journal:
            show_corrections(journal.entries() if list_all else [journal.undo(None)], as_json)
        return
    if live:
        run_live("align", instruction, as_json=as_json)
    settings = SceneMindConfig.load(config) if config else SceneMindConfig()
    with open_memory(memory, memory_root, settings) as place:
        _apply(place, settings, instruction, as_json)


def _apply(place: Memory, settings: SceneMindConfig, instruction: str, as_json: bool) -> None:
    done = Router(place, settings.relations).align(Query(instruction), by=getpass.getuser())
    if as_json:
        print_json(
            {
                "instruction": instruction,
                "response": done.response,
                "correction_ids": list(done.correction_ids),
                "object_ids": list(done.object_ids),
                "seconds": round(done.seconds, 6),
                "error": error_json(done.failure),
            }
        )
    else:
        print(done.response)
    if done.failure is not None:
        raise typer.Exit(1)
