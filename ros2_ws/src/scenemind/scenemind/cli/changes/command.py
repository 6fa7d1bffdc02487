"""`scenemind changes`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from scenemind.cli.changes.show import (
    changes_json,
    comparison_json,
    print_changes,
    print_comparison,
)
from scenemind.cli.changes.source import of_memory, of_nodes, of_two
from scenemind.cli.errors import CommandError
from scenemind.cli.options import AsJson, Live, MemoryRoot
from scenemind.cli.output import print_json
from scenemind.memory.history.visits import PAUSE_S


def register(app: typer.Typer) -> None:
    app.command(
        "changes",
        epilog="Examples: scenemind changes kitchen --since 1; scenemind changes monday tuesday",
    )(_changes)


def _changes(
    memory: Annotated[str, typer.Argument(help="Name of a memory.")] = "current",
    later: Annotated[
        str | None,
        typer.Argument(help="Another, later memory of the same place.", show_default=False),
    ] = None,
    live: Live = False,
    between: Annotated[
        tuple[str, str] | None,
        typer.Option(
            help="Two moments: visits (2), seconds since the first frame (+90) or dates.",
            show_default="the last two visits",
        ),
    ] = None,
    since: Annotated[
        str | None, typer.Option(help="One moment; the other is the end.", show_default=False)
    ] = None,
    pause: Annotated[
        float, typer.Option(min=0.0, help="Seconds without frames that part two visits.")
    ] = PAUSE_S,
    memory_root: MemoryRoot = None,
    as_json: AsJson = False,
) -> None:
    """Show what was added, removed, moved or renamed."""
    if live and (later is not None or pause != PAUSE_S):
        raise CommandError(
            "--live shows the changes in the memory of the running nodes, by their visits: leave"
            " out a second memory and --pause"
        )
    if later is not None:
        if between is not None or since is not None:
            raise CommandError("two memories are compared as they are: leave out the moments")
        _compare(memory, later, memory_root, as_json)
        return
    if between is not None and since is not None:
        raise CommandError("say either --between or --since")
    if live:
        compared = of_nodes(between, since)
    else:
        compared = of_memory(memory, memory_root, between, since, pause)
    if as_json:
        print_json({"memory": None if live else memory, **comparison_json(compared)})
    else:
        print_comparison(compared)


def _compare(memory: str, later: str, memory_root: Path | None, as_json: bool) -> None:
    found, unseen = of_two(memory, later, memory_root)
    if as_json:
        print_json({"memory": memory, "later": later, **changes_json(found, unseen)})
    else:
        print_changes(found, unseen, f"from {memory} to {later}")
