"""Undo and redo in words: of all that one sentence wrote, or of one numbered correction."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from scenemind.memory import Correction, MemoryAccess, SceneMemoryError
from scenemind.reasoning.symbolic.command_syntax import Redo, Undo
from scenemind.reasoning.symbolic.phrasing import bounded
from scenemind.words.english import shown

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


def take_back(
    memory: MemoryAccess, wanted: Undo, own_ids: Collection[int] = ()
) -> tuple[str, list[Correction]]:
    """What to say of it, and the entries that were taken back, the newest first; all or none.

    Args:
        own_ids: entries of this talk: "that" is one of them, where any of them stands, whatever
            others have said meanwhile.

    Raises:
        SceneMemoryError: there is nothing to undo, or no such correction.
    """
    standing = [entry for entry in memory.corrections() if not entry.undone]
    if wanted.correction_id is not None or not standing:
        entries = [memory.undo(wanted.correction_id)]
    else:
        last = (_own(standing, own_ids) or standing)[-1]
        together = _of_one_sentence(last, standing)
        entries = _all_or_none(together[::-1], memory.undo, memory.redo)
    if len(entries) == 1:
        return f"I took back correction {_named(entries[0])}.", entries
    return f"I took back {_all_of(entries[::-1])}.", entries


def let_stand(
    memory: MemoryAccess, wanted: Redo, own_ids: Collection[int] = ()
) -> tuple[str, list[Correction]]:
    """What to say of it, and the entries that stand again, the oldest first; all or none.

    Args:
        own_ids: see `take_back`.

    Raises:
        SceneMemoryError: there is nothing to redo, no such correction, or another contradicts it.
    """
    undone = [entry for entry in memory.corrections() if entry.undone]
    if wanted.correction_id is not None or not undone:
        entries = [memory.redo(wanted.correction_id)]
    else:
        among = _own(undone, own_ids) or undone
        last = max(among, key=lambda entry: (entry.undone_ns, -entry.correction_id))
        entries = _all_or_none(_of_one_sentence(last, undone), memory.redo, memory.undo)
    if len(entries) == 1:
        return f"Correction {_named(entries[0])} stands again.", entries
    return f"I did {_all_of(entries)} again.", entries


def _all_or_none(
    entries: Sequence[Correction],
    act: Callable[[int], Correction],
    back: Callable[[int], Correction],
) -> list[Correction]:
    """As others may act on the same entries meanwhile.

    Args:
        act, back: take an entry's number; each takes back what the other does.
    """
    done: list[Correction] = []
    try:
        for entry in entries:
            done.append(act(entry.correction_id))
    except SceneMemoryError:
        for entry in reversed(done):
            back(entry.correction_id)
        raise
    return done


def _own(entries: Sequence[Correction], own_ids: Collection[int]) -> list[Correction]:
    return [entry for entry in entries if entry.correction_id in own_ids]


def _of_one_sentence(one: Correction, among: Sequence[Correction]) -> list[Correction]:
    """Those that were written together with it, itself included, the oldest first."""
    written = (one.stamp_ns, one.by, one.reason)
    return [entry for entry in among if (entry.stamp_ns, entry.by, entry.reason) == written]


def _named(entry: Correction) -> str:
    return f'{entry.correction_id} ("{entry.reason}")'


def _all_of(entries: Sequence[Correction]) -> str:
    """ "all 2 corrections of "these are stools": 3 (the name of object 4) and ..."."""
    each = [
        f"{entry.correction_id} ({_DONE[entry.edit.kind]} object {entry.edit.object_ids[0]})"
        for entry in entries
    ]
    return f'all {len(entries)} corrections of "{shown(entries[0].reason)}": {bounded(each)}'
