"""`scenemind changes`: what is different since the last visit, or between two memories."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.box import SIMPLE_HEAD
from rich.markup import escape
from rich.table import Table

from scenemind.cli.errors import CommandError
from scenemind.cli.memories import open_memory
from scenemind.cli.moments import read_moment, read_moment_after, show_stamp, show_visit
from scenemind.cli.options import AsJson, MemoryRoot
from scenemind.cli.output import box_json, print_json, print_table, progress_console
from scenemind.config import SceneMindConfig
from scenemind.memory import MapObject, Memory
from scenemind.memory.history import (
    SceneChange,
    SceneChanges,
    TimeSpan,
    Visit,
    compare_maps,
)
from scenemind.memory.history.visits import PAUSE_S

# Fewer of the smaller map's objects than this share at one place: they are hardly of one room.
_FEW_IN_PLACE = 0.2


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
    if later is not None:
        if between is not None or since is not None:
            raise CommandError("two memories are compared as they are: leave out the moments")
        _compare(memory, later, memory_root, as_json)
        return
    if between is not None and since is not None:
        raise CommandError("say either --between or --since")
    with open_memory(memory, memory_root, SceneMindConfig()) as place:
        visits = place.history.visits(pause)
        before, after = _spans(visits, between, since)
        found = place.history.changes(before, after)
        things = {**place.snapshot().gone, **place.snapshot().objects}
    if as_json:
        times = {name: _span_json(s) for name, s in (("before", before), ("after", after))}
        numbered = [{"visit": v.number, **_span_json(v.span)} for v in visits]
        print_json({"memory": memory, "visits": numbered, **times, **_as_json(found, things)})
        return
    for visit in visits:
        print(show_visit(visit))
    _print_changes(found, things, f"from {_end(before)} to {_end(after)}")


def _compare(memory: str, later: str, memory_root: Path | None, as_json: bool) -> None:
    if memory == later:
        raise CommandError(f"{memory} compared with itself is the same: name another memory")
    with ExitStack() as opened:
        old, new = (
            opened.enter_context(open_memory(name, memory_root, SceneMindConfig()))
            for name in (memory, later)
        )
        found = _of_two(old, new)
        things = old.snapshot().objects
    if as_json:
        print_json({"memory": memory, "later": later, **_as_json(found, things)})
    else:
        _print_changes(found, things, f"from {memory} to {later}")


def _of_two(old: Memory, new: Memory) -> SceneChanges:
    before, after = old.snapshot(), new.snapshot()
    found = compare_maps(before, after, old.history.views(), new.history.views())
    most = min(len(before.objects), len(after.objects))
    if found.unchanged < _FEW_IN_PLACE * most:
        progress_console().print(
            f"only {found.unchanged} of {most} objects stand where they stood: are both memories of"
            " one place, and in one map frame?"
        )
    return found


def _spans(
    visits: tuple[Visit, ...], between: tuple[str, str] | None, since: str | None
) -> tuple[TimeSpan, TimeSpan]:
    if not visits:
        raise CommandError("this memory has no frames yet: map something into it first")
    if between is not None:
        before = read_moment(between[0], visits)
        return before, read_moment_after(between[1], before, visits)
    if since is not None:
        before = read_moment(since, visits)
        return before, TimeSpan(before.last_ns + 1, visits[-1].span.last_ns)
    if len(visits) < 2:
        raise CommandError(
            f"this memory has one visit ({show_visit(visits[0])}): say --between +10 +60 for two"
            " moments in it, name a second memory, or a shorter --pause"
        )
    return visits[-2].span, visits[-1].span


def _print_changes(found: SceneChanges, things: Mapping[int, MapObject], when: str) -> None:
    counts = ", ".join(f"{n} {kind}" for kind, n in found.counts().items() if n) or "no changes"
    print(f"{when}: {counts}, {found.unchanged} as they were", file=sys.stdout)
    if found.changes:
        table = Table(box=SIMPLE_HEAD)
        for heading in ("what", "id", "label", "was at m", "is at m", "moved m", "between"):
            table.add_column(heading, justify="left" if heading in ("what", "label") else "right")
        for change in found.changes:
            table.add_row(*_row(change))
        print_table(table)
    if found.unseen:
        named = ", ".join(f"{i} ({things[i].label})" for i in found.unseen)
        print(f"nobody looked for: {named}", file=sys.stdout)


def _row(change: SceneChange) -> tuple[str, ...]:
    label = f"{change.old_label} -> {change.label}" if change.old_label else change.label
    between = "" if change.between_ns is None else " and ".join(map(show_stamp, change.between_ns))
    places = (
        "" if box is None else " ".join(f"{value:.2f}" for value in box.center)
        for box in (change.before, change.after)
    )
    far = "" if change.distance_m is None else f"{change.distance_m:.2f}"
    return (change.kind, str(change.object_id), escape(label), *places, far, between)


def _as_json(found: SceneChanges, things: Mapping[int, MapObject]) -> dict[str, Any]:
    return {
        "counts": found.counts(),
        "unchanged": found.unchanged,
        "unseen": [{"id": i, "label": things[i].label} for i in found.unseen],
        "changes": [_change_json(change) for change in found.changes],
    }


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


def _end(span: TimeSpan) -> str:
    return show_stamp(span.last_ns)
