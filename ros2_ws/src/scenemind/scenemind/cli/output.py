"""How results are printed: tables for people, one JSON object for programs."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from scenemind.geometry import Box3D
from scenemind.memory import Correction, MapObject, MemorySnapshot, Stay
from scenemind.reasoning import ReasoningFailure
from scenemind.reasoning.types import MEASURED, SAME_AS

_FILE_WIDTH = 120
# What a terminal would obey instead of show: escapes, and marks that turn the direction of text.
_NOT_PRINTED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def progress_console() -> Console:
    """For progress and remarks: standard error, so that results can be piped."""
    return Console(stderr=True, highlight=False)


def printable(text: str) -> str:
    """What a model or a camera said, safe for a terminal."""
    return _NOT_PRINTED.sub(" ", text)


def print_json(result: Mapping[str, Any]) -> None:
    """The result as the last line of standard output."""
    print(json.dumps(result, ensure_ascii=False), file=sys.stdout, flush=True)


def print_table(table: Table) -> None:
    """On standard output, as wide as it needs where that is no terminal."""
    console = Console()
    Console(width=console.width if console.is_terminal else _FILE_WIDTH).print(table)


def print_objects(
    objects: Iterable[MapObject],
    title: str | None = None,
    meant: Sequence[float] | None = None,
) -> None:
    """One line an object; of a second box of one the id is `MEASURED`, and its label says whose.

    Args:
        meant: how sure it is that each is meant, in [0, 1]; shown in place of how sure it is that
            it exists.
    """
    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD)
    sure = "confidence" if meant is None else "meant"
    for heading in ("id", "label", "colour", "centre m", "size m", "seen", sure):
        is_text = heading in ("label", "colour")
        table.add_column(heading, justify="left" if is_text else "right", no_wrap=True)
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
    print_table(table)


def _label(obj: MapObject) -> str:
    """With whose box it is, where that was measured for a question: `chair (15, measured)`."""
    if obj.object_id != MEASURED:
        return obj.label
    same = obj.attributes.get(SAME_AS)
    return f"{obj.label} ({f'{same}, ' if same else ''}measured)"


def object_counts(snapshot: MemorySnapshot) -> str:
    """ "12 objects, 2 gone"."""
    gone = f", {len(snapshot.gone)} gone" if snapshot.gone else ""
    return f"{len(snapshot.objects)} objects{gone}"


def print_corrections(corrections: Collection[Correction]) -> None:
    """The journal, a line an entry."""
    if not corrections:
        print("no corrections")
        return
    table = Table("no.", "what", "objects", "by", "reason", "state", box=SIMPLE_HEAD)
    for entry in corrections:
        edit = entry.edit
        words = (edit.kind.replace("_", " "), edit.key, edit.value)
        table.add_row(
            str(entry.correction_id),
            escape(" ".join(filter(None, words))),
            ", ".join(map(str, (*edit.object_ids, *edit.new_ids))),
            escape(entry.by),
            escape(entry.reason),
            "taken back" if entry.undone else "stands",
        )
    print_table(table)


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
    return None if failure is None else {"code": failure.code, "message": failure.text}
