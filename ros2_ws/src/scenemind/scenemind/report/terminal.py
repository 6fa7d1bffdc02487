"""Results in a terminal: tables for people, one JSON object for programs, and progress."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from types import MappingProxyType
from typing import Any, TypeVar

from rich.box import SIMPLE_HEAD
from rich.console import Console, Group
from rich.markup import escape
from rich.measure import Measurement
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as ProgressBar
from rich.table import Table
from rich.text import Text

from scenemind.geometry import Box3D
from scenemind.memory import Correction, KeyFrame, MapObject, MemorySnapshot, Stay
from scenemind.memory.history import HARDLY_SEEN, NEVER_THERE, staying
from scenemind.models import Allowance
from scenemind.reasoning import ReasoningFailure
from scenemind.reasoning.method import Asking, Progress
from scenemind.reasoning.query import MEASURED, SAME_AS
from scenemind.report.journal import told_corrections
from scenemind.untrusted import printable, printable_json, say

_FILE_WIDTH = 120  # characters, where standard output is no terminal
_WIDEST = 1000  # characters, of a table whose width is measured
_COUNT_EVERY = 10  # frames: making a snapshot in each would take part of their time
_SHOWN_CHARACTERS = 400  # of the text of a model that is still writing
_NO_MEANINGS: Mapping[str, str] = MappingProxyType({})

Result = TypeVar("Result")


class PlainConsole(Console):
    """A console that shows the escapes of strings as blanks, and its own ones as they are."""

    def render_str(self, text: str, **how: Any) -> Text:
        return super().render_str(printable(text), **how)


def progress_console() -> Console:
    """The console for progress and remarks: standard error, as results may be piped."""
    return PlainConsole(stderr=True, highlight=False)


@contextmanager
def mapping_progress(
    total: int, object_count: Callable[[], int]
) -> Iterator[Callable[[object], None]]:
    """A progress bar of mapping, on a terminal; call what it gives after each frame.

    Args:
        total: number of frames.
        object_count: number of objects in the map; called now and then.
    """
    columns = (
        TextColumn("mapping"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]:.1f} frames/s, {task.fields[objects]} objects"),
        TimeRemainingColumn(),
    )
    console = progress_console()
    start = time.perf_counter()
    count = 0
    with ProgressBar(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as bar:
        task = bar.add_task("", total=total, rate=0.0, objects=0)

        def show(_report: object) -> None:
            nonlocal count
            count += 1
            bar.update(task, completed=count, rate=count / (time.perf_counter() - start))
            if console.is_terminal and count % _COUNT_EVERY == 0:
                bar.update(task, objects=object_count())

        yield show


def print_json(result: Mapping[str, Any]) -> None:
    """Print the result as the last line of standard output."""
    text = json.dumps(result, ensure_ascii=False)
    print(printable_json(text), file=sys.stdout, flush=True)


# Tables


def make_table(
    *headings: str, title: str | None = None, whole: Collection[str] = ("id",), right: str = ""
) -> Table:
    """A table of these columns.

    Args:
        whole: columns that are never wrapped or cut: what a row is named by.
        right: columns that are aligned to the right, separated by commas.
    """
    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD)
    for heading in headings:
        justify: Any = "right" if heading in right.split(",") else "left"
        table.add_column(heading, justify=justify, no_wrap=heading in whole, overflow="fold")
    return table


def print_table(
    table: Table, spare: Sequence[str] = (), means: Mapping[str, str] = _NO_MEANINGS
) -> None:
    """Print on standard output.

    Args:
        spare: columns that are left out, in this order, until the others fit into the terminal.
        means: what headings mean; a line under the table says it of those that are shown.
    """
    terminal = Console()
    console = PlainConsole(width=terminal.width if terminal.is_terminal else _FILE_WIDTH)
    for heading in spare:
        unbounded = console.options.update(width=_WIDEST)
        if Measurement.get(console, unbounded, table).maximum <= console.width:
            break
        table.columns = [column for column in table.columns if column.header != heading]
    console.print(table)
    headings = [str(column.header) for column in table.columns] if table.row_count else []
    legend = "; ".join(f"{heading}: {means[heading]}" for heading in headings if heading in means)
    if legend:
        say(legend, file=sys.stdout)


_OF_OBJECTS = {
    "seen": "in how many frames",
    "confidence": "that it is there, 0 to 1",
    "meant": "how likely it is the one that is meant, 0 to 1",
}


def print_objects(objects: Iterable[MapObject], meant: Sequence[float] | None = None) -> None:
    """Print a row an object; a second box of one has the id `MEASURED`, and its label names it.

    Args:
        meant: confidences in [0, 1] that each object is meant; shown in place of the confidence
            that it exists.
    """
    sure = "confidence" if meant is None else "meant"
    headings = ("id", "label", "colour", "centre m", "size m", "seen", sure)
    table = make_table(*headings, right=f"id,centre m,size m,seen,{sure}")
    for at, obj in enumerate(objects):
        table.add_row(
            str(obj.object_id),
            escape(_label(obj)),
            escape(obj.attributes.get("color", "")),
            " ".join(f"{value:.2f}" for value in obj.box.center),
            " x ".join(f"{value:.2f}" for value in obj.box.size),
            str(obj.observation_count),
            f"{obj.confidence if meant is None else meant[at]:.2f}",
        )
    print_table(table, spare=("seen", "size m", "colour", "centre m"), means=_OF_OBJECTS)


def _label(obj: MapObject) -> str:
    """The label; of a measured box with its object, such as `chair (15, measured)`."""
    if obj.object_id != MEASURED:
        return obj.label
    same = obj.attributes.get(SAME_AS)
    return f"{obj.label} ({f'{same}, ' if same else ''}measured)"


def object_counts(snapshot: MemorySnapshot) -> str:
    """Counts in words, such as "12 objects, 2 gone, 1 probably never there (a detector ...)"."""
    removed = staying(snapshot.gone).values()
    ghosts = sum(thing.is_ghost for thing in removed)
    gone = f", {len(removed) - ghosts} gone" if len(removed) > ghosts else ""
    thought = f", {ghosts} {NEVER_THERE} ({HARDLY_SEEN})" if ghosts else ""
    return f"{len(snapshot.objects)} objects{gone}{thought}"


def print_corrections(corrections: Collection[Correction]) -> None:
    """Print the journal, a row an entry."""
    if not corrections:
        say("no corrections")
        return
    table = make_table("no.", "what", "by", "in the words", "state", whole=("no.",))
    for entry, what in zip(corrections, told_corrections(corrections), strict=True):
        table.add_row(
            str(entry.correction_id),
            escape(what),
            escape(entry.by),
            escape(entry.reason),
            "taken back" if entry.undone else "stands",
        )
    print_table(table)


# JSON


def object_json(obj: MapObject) -> dict[str, Any]:
    """An object for programs: metres and radians, map frame, z up; stays oldest first."""
    return {
        "id": obj.object_id,
        "label": obj.label,
        "attributes": dict(obj.attributes),
        **box_json(obj.box),
        "yaw_box": box_json(obj.yaw_box),
        "stays": [_stay_json(stay) for stay in obj.stays],
        "observations": obj.observation_count,
        "confidence": round(obj.confidence, 4),
        "may_be": {label: round(p, 4) for label, p in obj.alternatives.items()},
        "measured_share": round(obj.measured_share, 4),
        "is_ghost": obj.is_ghost,
    }


def box_json(box: Box3D) -> dict[str, Any]:
    """A box for programs: metres and radians, map frame, z up."""
    return {
        "center": [round(value, 4) for value in box.center],
        "size": [round(value, 4) for value in box.size],
        "yaw": round(box.yaw, 4),
    }


def _stay_json(stay: Stay) -> dict[str, Any]:
    return {
        **box_json(stay.box),
        "first_seen_ns": stay.first_seen_ns,
        "last_seen_ns": stay.last_seen_ns,
        "gone_ns": stay.gone_ns,
    }


def correction_json(entry: Correction) -> dict[str, Any]:
    """An entry of the journal for programs."""
    return {
        "id": entry.correction_id,
        "kind": entry.edit.kind,
        "object_ids": list(entry.edit.object_ids),
        "key": entry.edit.key,
        "value": entry.edit.value,
        "places": [list(place) for place in entry.edit.places],
        "new_ids": list(entry.edit.new_ids),
        "by": entry.by,
        "reason": entry.reason,
        "stamp_ns": entry.stamp_ns,
        "undone": entry.undone,
        "undone_ns": entry.undone_ns,
    }


def error_json(failure: ReasoningFailure | None) -> dict[str, str] | None:
    if failure is None:
        return None
    return {"code": failure.code, "message": failure.text, "suggestion": failure.suggestion}


# Progress


def with_progress(ask: Callable[[Asking], Result], allowance: Allowance) -> Result:
    """Return what `ask` returns, and show its progress; an interrupt cancels the question."""
    shown = TerminalProgress(progress_console())
    # A thread of its own, as interrupts come to the main thread, wherever the question stands.
    with ThreadPoolExecutor(1, "question") as pool, shown.displayed():
        asked = pool.submit(ask, Asking(allowance, Progress(shown)))
        try:
            return asked.result()
        except KeyboardInterrupt:
            allowance.cancel()
            return asked.result()


class TerminalProgress:
    """A `ProgressListener` on a console.

    A terminal shows the stage and the newest text of the model until the question ends; a log gets
    a line for each stage.
    """

    def __init__(self, console: Console) -> None:
        self._console = console
        self._stage = ""
        self._text = ""
        self._frames: tuple[int, ...] = ()
        self._start_s = time.monotonic()

    def __call__(self, stage: str, text: str = "", key_frames: Sequence[KeyFrame] = ()) -> None:
        """See `ProgressListener`."""
        begins, self._stage = stage != self._stage, stage
        self._text = printable(text)
        self._frames = tuple(frame.frame_number for frame in key_frames) or self._frames
        if begins and not self._console.is_terminal:
            self._console.print(self._headline())

    def displayed(self) -> AbstractContextManager[object]:
        """Show it while this is open."""
        if not self._console.is_terminal:
            return nullcontext()
        from rich.live import Live
        from rich.spinner import Spinner

        spinner = Spinner("dots")

        def render() -> Group | Text:
            if not self._stage:  # an answer without stages shows nothing
                return Text()
            spinner.update(text=self._headline())
            return Group(spinner, Text(self._text[-_SHOWN_CHARACTERS:], style="dim"))

        return Live(
            console=self._console, get_renderable=render, transient=True, refresh_per_second=8
        )

    def _headline(self) -> Text:
        frames = f", frames {', '.join(map(str, self._frames))}" if self._frames else ""
        seconds = time.monotonic() - self._start_s
        return Text(f"{printable(self._stage)}{frames} ({seconds:.0f} s)")
