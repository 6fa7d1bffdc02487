"""Corrections in plain words."""

from __future__ import annotations

from collections.abc import Iterable

from scenemind.language.english import joined
from scenemind.memory import Correction
from scenemind.memory.types import NOTE


def told_corrections(entries: Iterable[Correction]) -> list[str]:
    """What each entry changed, such as "couch 3 is called sofa bed".

    Args:
        entries: oldest first; a thing has the name that the entries before gave it.
    """
    names: dict[int, str] = {}
    told = []
    for entry in entries:
        for anchor in entry.anchors:
            names.setdefault(anchor.object_id, anchor.label)
        told.append(_told(entry, names))
        if entry.edit.kind == "rename" and not entry.undone:
            names.update(dict.fromkeys(entry.edit.object_ids, entry.edit.value))
    return told


def _told(entry: Correction, names: dict[int, str]) -> str:
    edit = entry.edit
    things = [_named(i, names) for i in edit.object_ids]
    all_of = joined(things)
    be, belong = ("is", "belongs") if len(things) == 1 else ("are", "belong")
    match edit.kind:
        case "rename":
            return f"{all_of} {be} called {edit.value}"
        case "set_attribute" if not edit.value:
            return f"the {edit.key} of {all_of} was forgotten"
        case "set_attribute" if edit.key == "owner":
            return f"{all_of} {belong} to {edit.value}"
        case "set_attribute" if edit.key == NOTE:
            return f"note on {all_of}: {edit.value}"
        case "set_attribute":
            return f"the {edit.key} of {all_of} is {edit.value}"
        case "add_relation":
            return f"{things[0]} is {edit.key} {things[1]}"
        case "delete_relation":
            return f"{things[0]} is not {edit.key} {things[1]}"
        case "merge":
            return f"{all_of} are one thing"
        case "split":
            parts = [str(i) for i in (*edit.object_ids, *edit.new_ids)]
            return f"{all_of} is {len(parts)} things: {joined(parts)}"
        case "delete_object":
            return f"{all_of} {be} not there"
        case _:
            return f"{all_of} {be} certain"


def _named(object_id: int, names: dict[int, str]) -> str:
    """ "chair 12"; "the floor"."""
    name = names.get(object_id, "object")
    return f"{name} {object_id}" if object_id >= 0 else f"the {name}"
