"""`scenemind corrections`: the journal of a stored memory or of running nodes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer
from rich.markup import escape

import scenemind as sm
from scenemind.cli.live import fetch_live
from scenemind.cli.options import AsJson, Live, MemoryName, MemoryRoot, stored_path
from scenemind.composition import user_name
from scenemind.errors import UsageError
from scenemind.memory import Correction, Replay
from scenemind.memory.journal_access import (
    CANDIDATES,
    CORRECTIONS,
    REPLAY,
    Candidate,
    Journal,
    StoredJournal,
)
from scenemind.report.terminal import (
    correction_json,
    make_table,
    print_corrections,
    print_json,
    print_table,
)
from scenemind.untrusted import MOST_JSON_BYTES, printable_json, read_regular, say

_T = TypeVar("_T")


class LiveJournal:
    """A `Journal`; each call is a child process that speaks ROS."""

    def entries(self) -> Sequence[Correction]:
        return _corrections("corrections")

    def undo(self, *numbers: int) -> Sequence[Correction]:
        return _corrections("undo", numbers=numbers)

    def redo(self, *numbers: int) -> Sequence[Correction]:
        return _corrections("redo", numbers=numbers)

    def export(self) -> str:
        return str(fetch_live("export")["journal"])

    def replay(self, text: str, by: str, *, preview: bool) -> Replay:
        reply = fetch_live("import", journal=text, by=by, preview=preview)
        return REPLAY.validate_python(reply["replay"])

    def similar(self, number: int) -> Sequence[Candidate]:
        return CANDIDATES.validate_python(fetch_live("similar", number=number)["candidates"])

    def repeat(self, number: int, object_ids: Sequence[int], by: str) -> Sequence[Correction]:
        return _corrections("repeat", number=number, object_ids=list(object_ids), by=by)


def _corrections(task: str, **options: object) -> tuple[Correction, ...]:
    return CORRECTIONS.validate_python(fetch_live(task, **options)["corrections"])


def show_corrections(corrections: Sequence[Correction], as_json: bool) -> None:
    """Print entries of the journal."""
    if as_json:
        print_json({"corrections": [correction_json(entry) for entry in corrections]})
    else:
        print_corrections(corrections)


def show_replay(done: Replay, preview: bool, as_json: bool) -> None:
    """Print the entries that were applied, and those left out, with the reasons."""
    if as_json:
        print_json({"preview": preview, **_replay_json(done)})
        return
    print_corrections(done.applied)
    title = "would be applied" if preview else "applied"
    say(f"{title}: {len(done.applied)}; left out: {len(done.left_out)}")
    for left in done.left_out:
        say(f"  correction {left.correction.correction_id}: {left.reason}")


def show_candidates(found: Sequence[Candidate], as_json: bool) -> None:
    """Print objects that are like the corrected one, with the reasons."""
    if as_json:
        print_json({"similar": [_candidate_json(candidate) for candidate in found]})
        return
    if not found:
        say("no similar objects")
        return
    table = make_table("id", "label", "score", "because", right="id,score")
    for candidate in found:
        similar = candidate.similar
        because = escape("; ".join(similar.reasons))
        label = escape(candidate.label)
        table.add_row(str(similar.object_id), label, f"{similar.score:.2f}", because)
    print_table(table, means={"score": "how alike they are, 1 is the same"})


def _replay_json(done: Replay) -> dict[str, Any]:
    return {
        "applied": [correction_json(entry) for entry in done.applied],
        "left_out": [
            {"id": left.correction.correction_id, "reason": left.reason} for left in done.left_out
        ],
    }


def _candidate_json(candidate: Candidate) -> dict[str, Any]:
    return {
        "id": candidate.similar.object_id,
        "label": candidate.label,
        "score": round(candidate.similar.score, 4),
        "reasons": list(candidate.similar.reasons),
    }


_app = typer.Typer(
    no_args_is_help=True, help="List, undo, move and repeat the corrections of a memory."
)
_Number = Annotated[int, typer.Argument(help="Number of a correction.")]
_Numbers = Annotated[
    list[int] | None, typer.Argument(help="Numbers of corrections.", show_default=False)
]


@_app.command("list", epilog="Example: scenemind corrections list --memory kitchen")
def _list(
    memory: MemoryName = "current",
    live: Live = False,
    memory_root: MemoryRoot = None,
    as_json: AsJson = False,
) -> None:
    """List all corrections, oldest first, undone ones included."""
    with open_journal(memory, memory_root, live=live) as journal:
        show_corrections(journal.entries(), as_json)


@_app.command("undo", epilog="Example: scenemind corrections undo 3 --memory kitchen")
def _undo(
    numbers: _Numbers = None,
    memory: MemoryName = "current",
    live: Live = False,
    memory_root: MemoryRoot = None,
    as_json: AsJson = False,
) -> None:
    """Undo corrections; without a number, all that the newest sentence wrote."""
    with open_journal(memory, memory_root, live=live) as journal:
        show_corrections(journal.undo(*(numbers or ())), as_json)


@_app.command("redo", epilog="Example: scenemind corrections redo 3 --memory kitchen")
def _redo(
    numbers: _Numbers = None,
    memory: MemoryName = "current",
    live: Live = False,
    memory_root: MemoryRoot = None,
    as_json: AsJson = False,
) -> None:
    """Redo undone corrections; without a number, the sentence undone last."""
    with open_journal(memory, memory_root, live=live) as journal:
        show_corrections(journal.redo(*(numbers or ())), as_json)


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
    """Write the journal as JSON, with the places of its objects, to replay it on another map."""
    with open_journal(memory, memory_root, live=live) as journal:
        text = journal.export()
    if out is None:
        print(printable_json(text))
        return
    _of_file(out, lambda: out.write_text(text + "\n", encoding="utf-8"))
    say(f"wrote {out}")


@_app.command("import", epilog="Example: scenemind corrections import kitchen.json -m kitchen-2")
def _import(
    file: Annotated[Path, typer.Argument(help="What `corrections export` wrote.")],
    preview: Annotated[
        bool, typer.Option("--preview", help="Only show what would be applied.")
    ] = False,
    memory: MemoryName = "current",
    live: Live = False,
    memory_root: MemoryRoot = None,
    as_json: AsJson = False,
) -> None:
    """Replay a journal; its objects are found by their places and labels."""
    data = _of_file(file, lambda: read_regular(file, MOST_JSON_BYTES, follow=True))
    text = data.decode("utf-8", "replace")  # where that changes something, it is no journal
    with open_journal(memory, memory_root, live=live) as journal:
        done = journal.replay(text, user_name(), preview=preview)
    show_replay(done, preview, as_json)


@_app.command("similar", epilog="Example: scenemind corrections similar 3 --apply 7 --apply 9")
def _similar(
    number: _Number,
    apply: Annotated[
        list[int] | None,
        typer.Option("--apply", help="Apply the correction to this object too; may be repeated."),
    ] = None,
    memory: MemoryName = "current",
    live: Live = False,
    memory_root: MemoryRoot = None,
    as_json: AsJson = False,
) -> None:
    """Show objects to which a correction may apply as well, and apply it to those you name."""
    with open_journal(memory, memory_root, live=live) as journal:
        if apply:
            show_corrections(journal.repeat(number, apply, user_name()), as_json)
        else:
            show_candidates(journal.similar(number), as_json)


@contextmanager
def open_journal(memory: str, root: Path | None, *, live: bool) -> Iterator[Journal]:
    """The journal of a stored memory, or of running nodes.

    Raises:
        UsageError: there is no such memory.
        SceneMemoryError: it is damaged or in use.
    """
    if live:
        yield LiveJournal()
        return
    with sm.open(stored_path(memory, root)) as scene:
        yield StoredJournal(scene.writable_memory)


def _of_file(path: Path, do: Callable[[], _T]) -> _T:
    try:
        return do()
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from error


app = typer.Typer()
app.add_typer(_app, name="corrections")
