"""Undo, redo, and repeating the newest correction for similar objects.

The correction to repeat is the journal's newest entry that stands, with those written together with
it; no state of the conversation is kept elsewhere.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from scenemind.language.english import shown
from scenemind.language.trees import Redo, Undo
from scenemind.memory import (
    Correction,
    Edit,
    MemoryAccess,
    SimilarObject,
)
from scenemind.reasoning.query import ReasoningError
from scenemind.reasoning.symbolic.replies import all_of, bounded

_KINDS = ("rename", "set_attribute", "delete_object", "confirm")
_DONE = {
    "rename": "the name of",
    "set_attribute": "an attribute of",
    "delete_object": "the deletion of",
    "confirm": "the confirmation of",
    "add_relation": "a relation of",
    "delete_relation": "a relation of",
    "merge": "the merging of",
    "split": "the splitting of",
}


def change_journal(
    memory: MemoryAccess, wanted: Undo | Redo, own_ids: Collection[int] = ()
) -> tuple[str, list[Correction]]:
    """Response, and the entries that were undone or redone, oldest first; all of a sentence or
    none.

    Args:
        own_ids: entries of this dialogue; "that" is one of them, if any of them qualifies.

    Raises:
        SceneMemoryError: there is nothing to undo or redo, no such correction, or another
            contradicts it.
    """
    is_undo = isinstance(wanted, Undo)
    act = memory.undo if is_undo else memory.redo
    if wanted.correction_id is not None:
        entries = act(wanted.correction_id)
    else:
        known = [entry for entry in memory.corrections() if entry.undone != is_undo]
        own = [entry for entry in known if entry.correction_id in own_ids]
        last = max(own, key=lambda e: (e.undone_ns, e.correction_id), default=None)
        together = (e for e in known if last is not None and e.as_one == last.as_one)
        entries = act(*(entry.correction_id for entry in together))
    if len(entries) == 1:
        named = f'orrection {entries[0].correction_id} ("{entries[0].reason}")'
        return f"I took back c{named}." if is_undo else f"C{named} stands again.", entries
    if is_undo:
        return f"I took back {_all_of(entries)}.", entries
    return f"I did {_all_of(entries)} again.", entries


def find_repeatable(memory: MemoryAccess) -> tuple[Edit, list[SimilarObject]]:
    """The newest correction, and similar objects for which it may hold, best first.

    Raises:
        ReasoningError: `not_found`: nothing was corrected, or not a single object.
        SceneMemoryError: its object has vanished.
    """
    standing = [entry for entry in memory.corrections() if not entry.undone]
    if not standing:
        raise ReasoningError("not_found", "There is no correction yet that could hold for others.")
    newest = standing[-1]
    if newest.edit.kind not in _KINDS:
        raise ReasoningError(
            "not_found",
            f'The newest correction ("{shown(newest.reason)}") is about these things only.',
        )
    edit = replace(newest.edit, object_ids=_corrected_with(newest, standing))
    return edit, memory.find_similar(edit)


def _corrected_with(newest: Correction, standing: Sequence[Correction]) -> tuple[int, ...]:
    """Objects of all entries that one sentence wrote, the newest entry's first."""
    same = replace(newest.edit, object_ids=())
    together = [
        entry.edit.object_ids
        for entry in reversed(standing)
        if entry.stamp_ns == newest.stamp_ns and replace(entry.edit, object_ids=()) == same
    ]
    return tuple(dict.fromkeys(i for ids in together for i in ids))


def _all_of(entries: Sequence[Correction]) -> str:
    """Several entries in words: "both corrections of "these are stools": 3 (the name of ...)"."""
    each = [
        f"{entry.correction_id} ({_DONE[entry.edit.kind]} object {entry.edit.object_ids[0]})"
        for entry in entries
    ]
    them = all_of(len(entries), "correction")
    return f'{them} of "{shown(entries[0].reason)}": {bounded(each)}'
