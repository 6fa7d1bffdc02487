"""`scenemind changes`: differences between two moments, or between two memories."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any

import typer
from rich.markup import escape

import scenemind as sm
from scenemind.cli.live import fetch_live
from scenemind.cli.options import (
    AsJson,
    Live,
    MemoryName,
    MemoryRoot,
    memory_names,
    stored_path,
    takes,
)
from scenemind.errors import UsageError
from scenemind.memory.history import (
    NO_EARLIER_VISIT,
    SceneChange,
    SceneChanges,
    TimeSpan,
)
from scenemind.memory.history.timeline import PAUSE_S, show_stamp
from scenemind.memory.moments import COMPARISON, Comparison, compared_spans, show_visit
from scenemind.report.terminal import (
    box_json,
    make_table,
    print_json,
    print_table,
    progress_console,
)
from scenemind.untrusted import say

app = typer.Typer()

# Share of the smaller map's objects that stay in place, below which it is hardly the same room.
_FEW_IN_PLACE = 0.2


def of_memory(
    name: str,
    root: Path | None,
    between: tuple[str, str] | None,
    since: str | None,
    pause_s: float,
) -> Comparison:
    """Changes within a stored memory; see `compared_spans`.

    Raises:
        UsageError: there is no such memory, or no such moments.
        SceneMemoryError: it is damaged or in use, or the moments are in the wrong order.
    """
    with sm.open(stored_path(name, root), read_only=True) as scene:
        history = scene.memory.history
        visits = history.visits(pause_s)
        before, after = compared_spans(visits, between, since)
        found = NO_EARLIER_VISIT if before is None else history.changes(before, after)
        return Comparison(visits, before, after, found, _unseen(scene, found))


def of_nodes(between: tuple[str, str] | None, since: str | None) -> Comparison:
    """Changes within the memory of running nodes."""
    reply = fetch_live("changes", between=between, since=since)
    return COMPARISON.validate_python(reply["comparison"])


def of_two(
    earlier: str, later: str, root: Path | None
) -> tuple[SceneChanges, dict[int, str], dict[int, str]]:
    """Changes from one stored memory to a later one of the same place, the labels of objects
    whose places were not seen again, and who named objects of the later one.

    Raises:
        UsageError: there is no such memory, or both are one.
        SceneMemoryError: one is damaged or in use.
    """
    if earlier == later:
        raise UsageError(f"{earlier} compared with itself is the same: name another memory")
    with ExitStack() as opened:
        old, new = (
            opened.enter_context(sm.open(stored_path(name, root), read_only=True))
            for name in (earlier, later)
        )
        found = _compare_scenes(old, new)
        return found, _unseen(old, found), _named_by(new)


def _compare_scenes(old: sm.Scene, new: sm.Scene) -> SceneChanges:
    found = new.changes(since=old)
    most = min(len(old.objects), len(new.objects))
    if found.unchanged < _FEW_IN_PLACE * most:
        progress_console().print(
            f"only {found.unchanged} of {most} objects stand where they stood: are both memories of"
            " one place, and in one map frame?"
        )
    return found


def _named_by(scene: sm.Scene) -> dict[int, str]:
    """Object -> the person whose name it bears."""
    return {
        object_id: entry.by
        for entry in scene.memory.corrections()
        if entry.edit.kind == "rename" and not entry.undone
        for object_id in entry.edit.object_ids
    }


def _unseen(scene: sm.Scene, found: SceneChanges) -> dict[int, str]:
    known = {**scene.snapshot.gone, **scene.snapshot.objects}
    return {i: known[i].label for i in found.unseen}


def print_comparison(compared: Comparison) -> None:
    """Print all visits, and the changes."""
    for visit in compared.visits:
        say(show_visit(visit))
    if compared.before is None:
        said = f"no changes: {compared.changes.note}. {_what_else(compared.after)}"
        say(said, file=sys.stdout)
        return
    first, second = (show_stamp(span.last_ns) for span in (compared.before, compared.after))
    print_changes(compared.changes, compared.unseen, f"from {first} to {second}")


def _what_else(visit: TimeSpan) -> str:
    """What to type where a memory has one visit: a moment in its middle, or other visits."""
    half_s = (visit.last_ns - visit.first_ns) / 2e9
    moment = f"{half_s:.0f}" if half_s >= 1.0 else f"{half_s:.1f}"
    since = f"--since +{moment} for changes from {moment} s after its first frame on; "
    return (
        f"Say {since if float(moment) else ''}of stored memories, --later NAME for a second one of"
        " the place, or a --pause that is shorter than the breaks"
    )


def print_changes(
    found: SceneChanges,
    unseen: Mapping[int, str],
    when: str,
    named_by: Mapping[int, str] = MappingProxyType({}),
) -> None:
    """Print a row an object.

    Args:
        unseen: labels of objects whose places were not seen again, by id.
        named_by: who named objects, by id; the others bear the detector's names.
    """
    say(f"{when}: {found.counted()}, {found.unchanged} as they were", file=sys.stdout)
    if found.changes:
        headings = ("what", "id", "label", "was at m", "is at m", "moved m", "between")
        table = make_table(*headings, right="id,was at m,is at m,moved m,between")
        for change in found.changes:
            table.add_row(*_row(change, named_by.get(change.object_id, "")))
        print_table(table, spare=("between", "was at m"))
        for line in found.legend():
            say(line, file=sys.stdout)
    if unseen:
        named = ", ".join(f"{i} ({label})" for i, label in unseen.items())
        say(f"nobody looked for: {named}", file=sys.stdout)


def comparison_json(compared: Comparison) -> dict[str, Any]:
    """A comparison for programs: stamps in nanoseconds."""
    visits = [{"visit": visit.number, **_span_json(visit.span)} for visit in compared.visits]
    return {
        "visits": visits,
        "before": None if compared.before is None else _span_json(compared.before),
        "after": _span_json(compared.after),
        **changes_json(compared.changes, compared.unseen),
    }


def changes_json(found: SceneChanges, unseen: Mapping[int, str]) -> dict[str, Any]:
    """Changes for programs: metres, map frame, z up."""
    return {
        "counts": found.counts(),
        "unchanged": found.unchanged,
        "unseen": [{"id": i, "label": label} for i, label in unseen.items()],
        "changes": [_change_json(change) for change in found.changes],
        "note": found.note or None,
    }


def _row(change: SceneChange, named_by: str) -> tuple[str, ...]:
    label = change.label
    if change.old_label:
        label += f", before: {change.old_label}" + (f" (named by {named_by})" if named_by else "")
    between = "" if change.between_ns is None else " and ".join(map(show_stamp, change.between_ns))
    places = (
        "" if box is None else " ".join(f"{value:.2f}" for value in box.center)
        for box in (change.before, change.after)
    )
    far = "" if change.distance_m is None else f"{change.distance_m:.2f}"
    return (
        change.shown,
        str(change.object_id),
        escape(label),
        *places,
        far,
        between,
    )


def _change_json(change: SceneChange) -> dict[str, Any]:
    distance_m = change.distance_m
    return {
        "kind": change.kind,
        "id": change.object_id,
        "earlier_id": change.earlier_id,
        "label": change.label,
        "old_label": change.old_label or None,
        "before": None if change.before is None else box_json(change.before),
        "after": None if change.after is None else box_json(change.after),
        "distance_m": None if distance_m is None else round(distance_m, 4),
        "between_ns": None if change.between_ns is None else list(change.between_ns),
    }


def _span_json(span: TimeSpan) -> dict[str, int]:
    return {"first_ns": span.first_ns, "last_ns": span.last_ns}


@dataclass(frozen=True, kw_only=True)
class ChangesOptions:
    """Options of `scenemind changes`."""

    memory: MemoryName = "current"
    later: Annotated[
        str | None,
        typer.Option(
            help="Compare with this later memory of the same place.",
            autocompletion=memory_names,
            show_default=False,
        ),
    ] = None
    live: Live = False
    between: Annotated[
        tuple[str, str] | None,
        typer.Option(
            help="Two moments: visits (2), seconds since the first frame (+90) or dates.",
            show_default="the last two visits",
        ),
    ] = None
    since: Annotated[
        str | None, typer.Option(help="One moment; the other is the end.", show_default=False)
    ] = None
    pause: Annotated[
        float, typer.Option(min=0.0, help="Seconds without frames between two visits.")
    ] = PAUSE_S
    memory_root: MemoryRoot = None
    as_json: AsJson = False


@app.command(
    "changes",
    epilog="Examples: scenemind changes --memory kitchen --since 1;"
    " scenemind changes --memory monday --later tuesday",
)
@takes(ChangesOptions)
def _changes(options: ChangesOptions) -> None:
    """Show objects that were added, removed, moved or renamed."""
    if options.live and (options.later is not None or options.pause != PAUSE_S):
        raise UsageError(
            "--live shows the changes in the memory of the running nodes, by their visits: leave"
            " out --later and --pause"
        )
    if options.later is not None:
        if options.between is not None or options.since is not None:
            raise UsageError("two memories are compared as they are: leave out the moments")
        found, unseen, named_by = of_two(options.memory, options.later, options.memory_root)
        if options.as_json:
            both = {"memory": options.memory, "later": options.later}
            print_json({**both, **changes_json(found, unseen)})
        else:
            when = f"from {options.memory} to {options.later}"
            print_changes(found, unseen, when, named_by)
        return
    if options.between is not None and options.since is not None:
        raise UsageError("say either --between or --since")
    if options.live:
        compared = of_nodes(options.between, options.since)
    else:
        compared = of_memory(
            options.memory, options.memory_root, options.between, options.since, options.pause
        )
    if options.as_json:
        memory = None if options.live else options.memory
        print_json({"memory": memory, **comparison_json(compared)})
    else:
        print_comparison(compared)
