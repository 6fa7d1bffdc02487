"""`scenemind corrections`: the journal of what people said of a stored memory."""

from __future__ import annotations

import getpass
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.box import SIMPLE_HEAD
from rich.markup import escape
from rich.table import Table

from scenemind.cli.errors import CommandError
from scenemind.cli.memories import open_memory
from scenemind.cli.options import AsJson, MemoryName, MemoryRoot
from scenemind.cli.output import (
    correction_json,
    print_corrections,
    print_json,
    print_table,
)
from scenemind.config import SceneMindConfig
from scenemind.memory import Correction, Memory, Replay, SceneMemoryError, SimilarObject

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
    memory: MemoryName = "current", memory_root: MemoryRoot = None, as_json: AsJson = False
) -> None:
    """Show all corrections, oldest first, those that were taken back included."""
    with open_memory(memory, memory_root, SceneMindConfig()) as place:
        _show(place.corrections(), as_json)


@_app.command("undo", epilog="Example: scenemind corrections undo 3 --memory kitchen")
def _undo(
    number: _NewestNumber = None,
    memory: MemoryName = "current",
    memory_root: MemoryRoot = None,
    as_json: AsJson = False,
) -> None:
    """Take a correction back; the newest that stands when no number is given."""
    with open_memory(memory, memory_root, SceneMindConfig()) as place:
        _show([place.undo(number)], as_json)


@_app.command("redo", epilog="Example: scenemind corrections redo 3 --memory kitchen")
def _redo(
    number: _NewestNumber = None,
    memory: MemoryName = "current",
    memory_root: MemoryRoot = None,
    as_json: AsJson = False,
) -> None:
    """Let a correction stand again; the one taken back last when no number is given."""
    with open_memory(memory, memory_root, SceneMindConfig()) as place:
        _show([place.redo(number)], as_json)


@_app.command(
    "export", epilog="Example: scenemind corrections export -m kitchen --out kitchen.json"
)
def _export(
    memory: MemoryName = "current",
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="File; else standard output.")
    ] = None,
    memory_root: MemoryRoot = None,
) -> None:
    """Write the journal as JSON, with where the objects stood, to replay it on another map."""
    with open_memory(memory, memory_root, SceneMindConfig()) as place:
        text = place.export_corrections()
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
    memory_root: MemoryRoot = None,
    as_json: AsJson = False,
) -> None:
    """Replay a journal: objects are found again by where they stood and what they were."""
    text = str(_of_file(file, lambda: file.read_text(encoding="utf-8")))
    with open_memory(memory, memory_root, SceneMindConfig()) as place:
        done = place.import_corrections(text, getpass.getuser(), preview=preview)
    if as_json:
        print_json({"preview": preview, **_replay_json(done)})
    else:
        _print_replay(done, preview)


@_app.command("similar", epilog="Example: scenemind corrections similar 3 --apply 7 --apply 9")
def _similar(
    number: _Number,
    apply: Annotated[
        list[int] | None, typer.Option("--apply", help="Correct this object in the same way.")
    ] = None,
    memory: MemoryName = "current",
    memory_root: MemoryRoot = None,
    as_json: AsJson = False,
) -> None:
    """Show objects for which a correction may hold as well, and apply it to those you name."""
    with open_memory(memory, memory_root, SceneMindConfig()) as place:
        entry = _find(place, number)
        if apply:
            edit = replace(entry.edit, object_ids=tuple(apply))
            written = place.apply([edit], getpass.getuser(), f"like correction {number}")
            _show(written, as_json)
            return
        found = place.find_similar(entry.edit)
        labels = {s.object_id: place.snapshot().objects[s.object_id].label for s in found}
    if as_json:
        print_json({"similar": [_similar_json(s, labels[s.object_id]) for s in found]})
    else:
        _print_similar(found, labels)


def _find(place: Memory, number: int) -> Correction:
    for entry in place.corrections():
        if entry.correction_id == number:
            return entry
    raise SceneMemoryError(f"there is no correction {number}: see `scenemind corrections list`")


def _of_file(path: Path, do: Callable[[], object]) -> object:
    try:
        return do()
    except (OSError, UnicodeDecodeError) as error:
        raise CommandError(f"{path}: {error}") from error


def _show(corrections: Sequence[Correction], as_json: bool) -> None:
    if as_json:
        print_json({"corrections": [correction_json(entry) for entry in corrections]})
    else:
        print_corrections(corrections)


def _print_replay(done: Replay, preview: bool) -> None:
    print_corrections(done.applied)
    title = "would be applied" if preview else "applied"
    print(f"{title}: {len(done.applied)}; left out: {len(done.left_out)}")
    for left in done.left_out:
        print(f"  correction {left.correction.correction_id}: {left.reason}")


def _replay_json(done: Replay) -> dict[str, Any]:
    return {
        "applied": [correction_json(entry) for entry in done.applied],
        "left_out": [
            {"id": left.correction.correction_id, "reason": left.reason} for left in done.left_out
        ],
    }


def _print_similar(found: Sequence[SimilarObject], labels: dict[int, str]) -> None:
    if not found:
        print("no similar objects")
        return
    table = Table("id", "label", "score", "because", box=SIMPLE_HEAD)
    for similar in found:
        reasons = "; ".join(similar.reasons)
        label = labels[similar.object_id]
        table.add_row(
            str(similar.object_id), escape(label), f"{similar.score:.2f}", escape(reasons)
        )
    print_table(table)


def _similar_json(similar: SimilarObject, label: str) -> dict[str, Any]:
    return {
        "id": similar.object_id,
        "label": label,
        "score": round(similar.score, 4),
        "reasons": list(similar.reasons),
    }
