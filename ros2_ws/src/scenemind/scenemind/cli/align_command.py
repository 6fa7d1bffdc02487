"""`scenemind align`: correct a memory in plain words, look at the corrections, take them back."""

from __future__ import annotations

from typing import Annotated

import typer

from scenemind.cli.asking.answers import exit_with
from scenemind.cli.asking.methods import opened_methods
from scenemind.cli.asking.model_options import (
    Endpoint,
    ModelName,
    Timeout,
    refuse_own_models,
    with_models,
)
from scenemind.cli.asking.progress import with_progress
from scenemind.cli.corrections.command import open_journal
from scenemind.cli.corrections.show import show_corrections
from scenemind.cli.errors import CommandError
from scenemind.cli.live import run_live
from scenemind.cli.memories import open_memory
from scenemind.cli.options import AsJson, ConfigFile, Live, MemoryName, MemoryRoot
from scenemind.cli.output import error_json, print_json, printable
from scenemind.cli.user import user_name
from scenemind.config import SceneMindConfig
from scenemind.memory import Memory
from scenemind.reasoning import Alignment, Query, Router


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
    by: Annotated[
        str, typer.Option(help="Who says it, for the journal; else you.", show_default=False)
    ] = "",
    model: ModelName = "",
    endpoint: Endpoint = "",
    timeout: Timeout = 60.0,
    config: ConfigFile = None,
    memory_root: MemoryRoot = None,
    as_json: AsJson = False,
) -> None:
    """Correct a memory in plain words; a model, where one is named, reads what the grammar does
    not. An interrupt (Ctrl-C) takes it back, unless it is written already."""
    if sum((bool(instruction), undo, list_all)) != 1:
        raise CommandError("align takes one of: a sentence, --undo, --list")
    if not instruction:
        with open_journal(memory, memory_root, live=live) as journal:
            show_corrections(journal.entries() if list_all else [journal.undo(None)], as_json)
        return
    by = by.strip() or user_name()
    if live:
        refuse_own_models(model=model, endpoint=endpoint)
        run_live("align", instruction, by=by, timeout_s=timeout, as_json=as_json)
    settings = with_models(
        SceneMindConfig.load(config) if config else SceneMindConfig(),
        model=model,
        endpoint=endpoint,
    )
    with open_memory(memory, memory_root, settings) as place:
        done = _aligned(place, settings, instruction, by, timeout)
    show_alignment(done, as_json)
    exit_with(done.failure)


def show_alignment(done: Alignment, as_json: bool) -> None:
    """Print what was done, for people or as JSON."""
    if not as_json:
        print(printable(done.response))
        return
    print_json(
        {
            "instruction": done.query.text,
            "response": done.response,
            "correction_ids": list(done.correction_ids),
            "object_ids": list(done.object_ids),
            "method": done.method,
            "seconds": round(done.seconds, 6),
            "error": error_json(done.failure),
        }
    )


def _aligned(
    place: Memory, settings: SceneMindConfig, instruction: str, by: str, timeout_s: float
) -> Alignment:
    with opened_methods(settings) as (models, methods):
        router = Router(place, settings.relations, methods)
        return with_progress(
            lambda asking: router.align(Query(instruction), by, asking), models.allowance(timeout_s)
        )
