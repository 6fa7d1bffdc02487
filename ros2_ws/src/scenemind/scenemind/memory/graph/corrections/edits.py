"""An edit as it is written down: in canonical words, with errors that say what is wanting."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Callable
from dataclasses import replace
from operator import index
from typing import SupportsIndex, get_args

from scenemind.memory.errors import SceneMemoryError
from scenemind.memory.graph.relations import find_relation
from scenemind.memory.types import Edit, EditKind

LONGEST_TEXT = 120
LONGEST_REASON = 2000
OF_RELATIONS = ("add_relation", "delete_relation")
MOST_PARTS = 16
# Places nearer to each other than a depth camera measures cannot tell two parts apart.
NEAREST_PLACES_M = 0.01


def cleaned(edit: Edit) -> Edit:
    """The edit with its texts in one line, predicates and attribute names in canonical spelling,
    and nothing that its kind does not need.

    Raises:
        SceneMemoryError: what it needs is missing, too long, or no text.
    """
    if edit.kind not in _CLEANED:
        raise SceneMemoryError(f"unknown edit {edit.kind!r}: use {', '.join(get_args(EditKind))}")
    if not edit.object_ids:
        raise SceneMemoryError(f"{edit.kind} needs at least one object")
    return _CLEANED[edit.kind](replace(edit, object_ids=tuple(map(_plain_id, edit.object_ids))))


def cleaned_text(text: str, what: str, longest: int, shortest: int = 1) -> str:
    """In one line and composed (Unicode NFC).

    Raises:
        SceneMemoryError: it is too short or too long, or holds what is no text.
    """
    line = " ".join(unicodedata.normalize("NFC", text).split())
    if not shortest <= len(line) <= longest:
        raise SceneMemoryError(f"{what} of {shortest} to {longest} characters, not {len(line)}")
    # Control characters and halves of a character, which no file can hold.
    if any(unicodedata.category(sign) in ("Cc", "Cs") for sign in line):
        raise SceneMemoryError(f"{what} of plain text, not {line[:40]!r}")
    return line


def _plain_id(object_id: SupportsIndex) -> int:
    """Of numpy's integers, too, which neither JSON nor SQLite takes for one."""
    try:
        return int(index(object_id))
    except TypeError as error:
        raise SceneMemoryError(f"an object's id is an integer, not {object_id!r}") from error


def _relation(edit: Edit) -> Edit:
    if len(edit.object_ids) != 2 or len(set(edit.object_ids)) != 2:
        raise SceneMemoryError(
            f"{edit.kind} needs two different objects, subject and object: {edit.object_ids}"
        )
    said = cleaned_text(edit.key, f"{edit.kind} needs a predicate", LONGEST_TEXT).lower()
    known = find_relation(said)
    return Edit(edit.kind, edit.object_ids, key=said if known is None else known.name)


def _rename(edit: Edit) -> Edit:
    name = cleaned_text(edit.value, "rename needs a new name", LONGEST_TEXT)
    return Edit(edit.kind, _once(edit), value=name)


def _attribute(edit: Edit) -> Edit:
    """An empty value takes the attribute away."""
    key = cleaned_text(edit.key, "set_attribute needs an attribute name", LONGEST_TEXT).lower()
    what = f"set_attribute needs a value for {key!r}"
    return Edit(
        edit.kind, _once(edit), key, cleaned_text(edit.value, what, LONGEST_TEXT, shortest=0)
    )


def _objects(edit: Edit) -> Edit:
    return Edit(edit.kind, _once(edit))


def _merge(edit: Edit) -> Edit:
    if len(_once(edit)) < 2:
        raise SceneMemoryError(f"merge needs two objects or more, not {edit.object_ids}")
    return _objects(edit)


def _split(edit: Edit) -> Edit:
    if len(edit.object_ids) != 1:
        raise SceneMemoryError(f"split needs exactly one object, not {edit.object_ids}")
    try:
        places = tuple((float(x), float(y), float(z)) for x, y, z in edit.places)
    except (TypeError, ValueError) as error:
        raise SceneMemoryError(f"split needs places (x, y, z), not {edit.places!r}") from error
    if not 2 <= len(places) <= MOST_PARTS:
        raise SceneMemoryError(
            f"split needs a place in each of 2 to {MOST_PARTS} parts, not {len(places)}"
        )
    for number, place in enumerate(places):
        if not all(map(math.isfinite, place)):
            raise SceneMemoryError(f"split needs places in metres, not {place}")
        for other in places[:number]:
            if math.dist(place, other) < NEAREST_PLACES_M:
                raise SceneMemoryError(f"split needs places apart: {other} and {place} are one")
    return replace(edit, key="", value="", places=places, new_ids=())


def _once(edit: Edit) -> tuple[int, ...]:
    return tuple(dict.fromkeys(edit.object_ids))


_CLEANED: dict[str, Callable[[Edit], Edit]] = {
    "rename": _rename,
    "set_attribute": _attribute,
    "add_relation": _relation,
    "delete_relation": _relation,
    "merge": _merge,
    "split": _split,
    "delete_object": _objects,
    "confirm": _objects,
}
