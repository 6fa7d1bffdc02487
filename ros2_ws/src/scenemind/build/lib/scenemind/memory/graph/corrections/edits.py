"""Normalization of edits: canonical spelling, and errors that name what is missing."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Callable
from dataclasses import replace
from operator import index
from typing import SupportsIndex, get_args

from scenemind.errors import SceneMemoryError
from scenemind.memory.graph.relations import find_relation
from scenemind.memory.types import Edit, EditKind

LONGEST_TEXT = 120
LONGEST_REASON = 2000
OF_RELATIONS = ("add_relation", "delete_relation")
MOST_PARTS = 16
# Places nearer to each other than a depth camera measures cannot tell two parts apart.
NEAREST_PLACES_M = 0.01


def normalized_edit(edit: Edit) -> Edit:
    """The edit with texts in one line, predicates and attribute names in canonical spelling, and
    without fields that its kind does not use.

    Raises:
        SceneMemoryError: a field is missing, too long, or not plain text.
    """
    if edit.kind not in _CLEANED:
        raise SceneMemoryError(f"unknown edit {edit.kind!r}: use {', '.join(get_args(EditKind))}")
    if not edit.object_ids:
        raise SceneMemoryError(f"{edit.kind} needs at least one object")
    return _CLEANED[edit.kind](replace(edit, object_ids=tuple(map(_plain_id, edit.object_ids))))


def normalized_text(text: str, what: str, longest: int, shortest: int = 1) -> str:
    """The text in one line and composed (Unicode NFC).

    Raises:
        SceneMemoryError: it is too short or too long, or has control characters.
    """
    line = " ".join(unicodedata.normalize("NFC", text).split())
    if not shortest <= len(line) <= longest:
        raise SceneMemoryError(f"{what} of {shortest} to {longest} characters, not {len(line)}")
    # Control characters and surrogates, which cannot be stored.
    if any(unicodedata.category(sign) in ("Cc", "Cs") for sign in line):
        raise SceneMemoryError(f"{what} of plain text, not {line[:40]!r}")
    return line


def _plain_id(object_id: SupportsIndex) -> int:
    """The id as an int; numpy's integers are converted, which JSON and SQLite refuse."""
    try:
        return int(index(object_id))
    except TypeError as error:
        raise SceneMemoryError(f"an object's id is an integer, not {object_id!r}") from error


def _relation(edit: Edit) -> Edit:
    if len(edit.object_ids) != 2 or len(set(edit.object_ids)) != 2:
        raise SceneMemoryError(
            f"{edit.kind} needs two different objects, subject and object: {edit.object_ids}"
        )
    said = normalized_text(edit.key, f"{edit.kind} needs a predicate", LONGEST_TEXT).lower()
    known = find_relation(said)
    return Edit(edit.kind, edit.object_ids, key=said if known is None else known.name)


def _rename(edit: Edit) -> Edit:
    name = normalized_text(edit.value, "rename needs a new name", LONGEST_TEXT)
    return Edit(edit.kind, _once(edit), value=name)


def _attribute(edit: Edit) -> Edit:
    """An empty value takes the attribute away."""
    key = normalized_text(edit.key, "set_attribute needs an attribute name", LONGEST_TEXT).lower()
    what = f"set_attribute needs a value for {key!r}"
    return Edit(
        edit.kind, _once(edit), key, normalized_text(edit.value, what, LONGEST_TEXT, shortest=0)
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
