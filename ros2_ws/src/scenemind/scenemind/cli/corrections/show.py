"""What the commands print of a journal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.markup import escape
from rich.table import Table

from scenemind.cli.corrections.journal import Candidate
from scenemind.cli.output import correction_json, print_corrections, print_json, print_table
from scenemind.memory import Correction, Replay


def show_corrections(corrections: Sequence[Correction], as_json: bool) -> None:
    """A table for people, or JSON for programs."""
    if as_json:
        print_json({"corrections": [correction_json(entry) for entry in corrections]})
    else:
        print_corrections(corrections)


def show_replay(done: Replay, preview: bool, as_json: bool) -> None:
    """What was applied, and what was left out with the reasons."""
    if as_json:
        print_json({"preview": preview, **_replay_json(done)})
        return
    print_corrections(done.applied)
    title = "would be applied" if preview else "applied"
    print(f"{title}: {len(done.applied)}; left out: {len(done.left_out)}")
    for left in done.left_out:
        print(f"  correction {left.correction.correction_id}: {left.reason}")


def show_candidates(found: Sequence[Candidate], as_json: bool) -> None:
    """Objects that are like the corrected one, with the reasons."""
    if as_json:
        print_json({"similar": [_candidate_json(candidate) for candidate in found]})
        return
    if not found:
        print("no similar objects")
        return
    table = Table("id", "label", "score", "because", box=SIMPLE_HEAD)
    for candidate in found:
        similar = candidate.similar
        because = escape("; ".join(similar.reasons))
        label = escape(candidate.label)
        table.add_row(str(similar.object_id), label, f"{similar.score:.2f}", because)
    print_table(table)


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
