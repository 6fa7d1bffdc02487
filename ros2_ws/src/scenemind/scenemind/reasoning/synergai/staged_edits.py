"""Corrections that the agent has collected: written together when it has ended, or not at all.

What ends early, by a failing model or a person who gives up, thus leaves nothing half done, and one
"undo that" takes back all of it.
"""

from __future__ import annotations

from collections.abc import Sequence

from scenemind.memory import Edit


class StagedEdits:
    """Of one request, in the order of the calls."""

    def __init__(self) -> None:
        self._edits: list[Edit] = []

    def __len__(self) -> int:
        return len(self._edits)

    @property
    def edits(self) -> tuple[Edit, ...]:
        return tuple(self._edits)

    def add(self, edits: Sequence[Edit]) -> None:
        """Of the same thing said twice, the last counts."""
        for edit in edits:
            self._edits = [known for known in self._edits if _about(known) != _about(edit)]
            self._edits.append(edit)

    def clear(self) -> None:
        """Nothing was said."""
        self._edits.clear()


def _about(edit: Edit) -> tuple[object, ...]:
    """What two edits must not both say."""
    if edit.kind in ("add_relation", "delete_relation"):
        return ("relation", edit.object_ids, edit.key)
    return (edit.kind, edit.object_ids, edit.key)
