"""What the command prints of changes."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.markup import escape
from rich.table import Table

from scenemind.cli.changes.comparison import Comparison
from scenemind.cli.moments import show_visit
from scenemind.cli.output import box_json, print_table
from scenemind.memory.history import SceneChange, SceneChanges, TimeSpan
from scenemind.memory.history.stamps import show_stamp


def print_comparison(compared: Comparison) -> None:
    """All visits, and what is different."""
    for visit in compared.visits:
        print(show_visit(visit))
    first, second = (show_stamp(span.last_ns) for span in (compared.before, compared.after))
    print_changes(compared.changes, compared.unseen, f"from {first} to {second}")


def print_changes(found: SceneChanges, unseen: Mapping[int, str], when: str) -> None:
    """A line an object; `unseen` has the labels of those that nobody looked for."""
    counts = ", ".join(f"{n} {kind}" for kind, n in found.counts().items() if n) or "no changes"
    print(f"{when}: {counts}, {found.unchanged} as they were", file=sys.stdout)
    if found.changes:
        table = Table(box=SIMPLE_HEAD)
        for heading in ("what", "id", "label", "was at m", "is at m", "moved m", "between"):
            table.add_column(heading, justify="left" if heading in ("what", "label") else "right")
        for change in found.changes:
            table.add_row(*_row(change))
        print_table(table)
    if unseen:
        named = ", ".join(f"{i} ({label})" for i, label in unseen.items())
        print(f"nobody looked for: {named}", file=sys.stdout)


def comparison_json(compared: Comparison) -> dict[str, Any]:
    """For programs: stamps in nanoseconds."""
    visits = [{"visit": visit.number, **_span_json(visit.span)} for visit in compared.visits]
    return {
        "visits": visits,
        "before": _span_json(compared.before),
        "after": _span_json(compared.after),
        **changes_json(compared.changes, compared.unseen),
    }


def changes_json(found: SceneChanges, unseen: Mapping[int, str]) -> dict[str, Any]:
    """For programs: metres, map frame, z up."""
    return {
        "counts": found.counts(),
        "unchanged": found.unchanged,
        "unseen": [{"id": i, "label": label} for i, label in unseen.items()],
        "changes": [_change_json(change) for change in found.changes],
    }


def _row(change: SceneChange) -> tuple[str, ...]:
    label = f"{change.old_label} -> {change.label}" if change.old_label else change.label
    between = "" if change.between_ns is None else " and ".join(map(show_stamp, change.between_ns))
    places = (
        "" if box is None else " ".join(f"{value:.2f}" for value in box.center)
        for box in (change.before, change.after)
    )
    far = "" if change.distance_m is None else f"{change.distance_m:.2f}"
    return (change.kind, str(change.object_id), escape(label), *places, far, between)


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
