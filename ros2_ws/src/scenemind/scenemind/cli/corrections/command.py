"""The commands below `scenemind corrections`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from scenemind.cli.corrections.journal import Journal
from scenemind.cli.corrections.live_journal import LiveJournal
from scenemind.cli.corrections.show import show_candidates, show_corrections, show_replay
from scenemind.cli.corrections.stored_journal import StoredJournal
from scenemind.cli.errors import CommandError
from scenemind.cli.memories import open_memory
from scenemind.cli.options import AsJson, Live, MemoryName, MemoryRoot
from scenemind.cli.user import user_name
from scenemind.config import SceneMindConfig

_app = typer.Typer(
    no_args_is_help=True, help="Look at the corrections of a memory, undo them, move them."
)
_Number = Annotated[int, typer.Argument(help="Number of a correction.")]
_NewestNumber = Annotated[
    int | None, typer.Argument(help="Number of a correction; else the newest.", show_default=False)
]


def register(app: typer.Typer) -> None:
    app.add_typer(_app, name="corrections")


@_app.command("list", epilog="Example: scenemind corrections list --memory kitchen")
def _list(
    memory: MemoryName = "current",
    live: Live = False,
    memory_root: MemoryRoot = None,
    as_json: AsJson = False,
) -> None:
    """Show all corrections, oldest first, those that were taken back included."""
    with open_journal(memory, memory_root, live=live) as journal:
        show_corrections(journal.entries(), as_json)


@_app.command("undo", epilog="Example: scenemind corrections undo 3 --memory kitchen")
def _undo(
    number: _NewestNumber = None,
    memory: MemoryName = "current",
    live: Live = False,
    memory_root: MemoryRoot = None,
    as_json: AsJson = False,
) -> None:
    """Take a correction back; the newest that stands when no number is given."""
    with open_journal(memory, memory_root, live=live) as journal:
        show_corrections([journal.undo(number)], as_json)


@_app.command("redo", epilog="Example: scenemind corrections redo 3 --memory kitchen")
def _redo(
    number: _NewestNumber = None,
    memory: MemoryName = "current",
    live: Live = False,
    memory_root: MemoryRoot = None,
    as_json: AsJson = False,
) -> None:
    """Let a correction stand again; the one taken back last when no number is given."""
    with open_journal(memory, memory_root, live=live) as journal:
        show_corrections([journal.redo(number)], as_json)


@_app.command(
    "export", epilog="Example: scenemind corrections export -m kitchen --out kitchen.json"
)
def _export(
    memory: MemoryName = "current",
    live: Live = False,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="File; else standard output.")
    ] = None,
    memory_root: MemoryRoot = None,
) -> None:
    """Write the journal as JSON, with where the objects stood, to replay it on another map."""
    with open_journal(memory, memory_root, live=live) as journal:
        text = journal.export()
    if out is None:
        print(text, file=sys.stdout)
        return
    _of_file(out, lambda: out.write_text(text + "\n", encoding="utf-8"))
    print(f"wrote {out}")


@_app.command("import", epilog="Example: scenemind corrections import kitchen.json -m kitchen-2")
def _import(
    file: Annotated[Path, typer.Argument(help="What `corrections export` wrote.")],
    preview: Annotated[
        bool, typer.Option("--preview", help="Only say what would be done.")
    ] = False,
    memory: MemoryName = "current",
    live: Live = False,
    memory_root: MemoryRoot = None,
    as_json: AsJson = False,
) -> None:
    """Replay a journal: objects are found again by where they stood and what they were."""
    text = str(_of_file(file, lambda: file.read_text(encoding="utf-8")))
    with open_journal(memory, memory_root, live=live) as journal:
        done = journal.replay(text, user_name(), preview=preview)
    show_replay(done, preview, as_json)


@_app.command("similar", epilog="Example: scenemind corrections similar 3 --apply 7 --apply 9")
def _similar(
    number: _Number,
    apply: Annotated[
        list[int] | None, typer.Option("--apply", help="Correct this object in the same way.")
    ] = None,
    memory: MemoryName = "current",
    live: Live = False,
    memory_root: MemoryRoot = None,
    as_json: AsJson = False,
) -> None:
    """Show objects for which a correction may hold as well, and apply it to those you name."""
    with open_journal(memory, memory_root, live=live) as journal:
        if apply:
            show_corrections(journal.repeat(number, apply, user_name()), as_json)
        else:
            show_candidates(journal.similar(number), as_json)


@contextmanager
def open_journal(memory: str, root: Path | None, *, live: bool) -> Iterator[Journal]:
    """Of a stored memory, or of running nodes.

    Raises:
        CommandError: there is no such memory.
        SceneMemoryError: it is damaged or in use.
    """
    if live:
        yield LiveJournal()
        return
    with open_memory(memory, root, SceneMindConfig()) as place:
        yield StoredJournal(place)


def _of_file(path: Path, do: Callable[[], object]) -> object:
    try:
        return do()
    except (OSError, UnicodeDecodeError) as error:
        raise CommandError(f"{path}: {error}") from error
