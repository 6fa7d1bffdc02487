"""The journal of the memory that running nodes have open."""

from __future__ import annotations

from collections.abc import Sequence

from scenemind.cli.corrections.journal import CANDIDATES, CORRECTIONS, REPLAY, Candidate
from scenemind.cli.live import fetch_live
from scenemind.memory import Correction, Replay


class LiveJournal:
    """A `Journal`; each call is a child process that speaks ROS."""

    def entries(self) -> Sequence[Correction]:
        return _corrections("corrections")

    def undo(self, number: int | None) -> Correction:
        return _corrections("undo", number=number)[0]

    def redo(self, number: int | None) -> Correction:
        return _corrections("redo", number=number)[0]

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
