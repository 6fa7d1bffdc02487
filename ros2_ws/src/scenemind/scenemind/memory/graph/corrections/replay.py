"""The journal carried to another map: as JSON, and replayed where objects have other ids.

Each object is found again by where it stood and what perception called it. An object that is not
found, or might be one of several, is left out and reported, never guessed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from typing_extensions import Self

from scenemind.errors import MemoryRequestError, SceneMemoryError
from scenemind.geometry import Box3D, GeometryError
from scenemind.memory.graph.corrections.edits import OF_RELATIONS
from scenemind.memory.graph.corrections.journal import CorrectionsJournal
from scenemind.memory.graph.corrections.overlay import PerceivedMap
from scenemind.memory.graph.corrections.reidentification import Match, find_match, find_plane_match
from scenemind.memory.graph.corrections.stated_relations import BUILDING
from scenemind.memory.types import (
    Correction,
    Edit,
    EditKind,
    ObjectAnchor,
)
from scenemind.untrusted import json_values

FORMAT: Literal["scenemind corrections"] = "scenemind corrections"
VERSION: Literal[1] = 1
MOST_VALUES = 2_000_000
"""Values of one journal as JSON, some 50,000 corrections: they take up to 400 MB to read."""
_Triple = tuple[float, float, float]
# Ranges of the ROS messages: int32 ids, and stamps of int32 seconds.
_Id = Annotated[int, Field(ge=-(2**31), lt=2**31)]
_Stamp = Annotated[int, Field(ge=0, lt=2**31 * 10**9)]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)


class _Anchor(_Model):
    """The place of an object: centre and size in metres, yaw in radians, world, z up."""

    object_id: _Id
    label: str
    center: _Triple
    size: _Triple
    yaw: float


class _Entry(_Model):
    """A correction; times are nanoseconds of the wall clock, 0 for never."""

    id: _Id
    kind: EditKind
    object_ids: tuple[_Id, ...]
    key: str
    value: str
    places: tuple[_Triple, ...]
    new_ids: tuple[_Id, ...]
    by: str
    reason: str
    stamp_ns: _Stamp
    undone_ns: _Stamp
    anchors: tuple[_Anchor, ...]

    @model_validator(mode="after")
    def _has_an_id_for_each_part(self) -> Self:
        parts = max(len(self.places) - 1, 0)
        if len(self.new_ids) != parts:
            raise ValueError(f"{len(self.new_ids)} new_ids for {parts} new parts")
        named = 2 if self.kind in OF_RELATIONS else max(len(self.object_ids), 1)
        if len(self.object_ids) != named:
            raise ValueError(f"{self.kind} of {len(self.object_ids)} objects")
        return self


class _Journal(_Model):
    format: Literal["scenemind corrections"]
    version: Literal[1]
    corrections: tuple[_Entry, ...]


def corrections_to_json(entries: Iterable[Correction]) -> str:
    """The whole journal, undone entries included, indented for people."""
    written = _Journal(
        format=FORMAT, version=VERSION, corrections=tuple(map(_entry_model, entries))
    )
    return written.model_dump_json(indent=2)


def corrections_from_json(text: str) -> list[Correction]:
    """The entries of a journal as JSON.

    Raises:
        SceneMemoryError: it is no journal, or of another version, or too long; names the first
            error.
    """
    values = json_values(text.encode("utf-8", "surrogatepass"))
    if values > MOST_VALUES:
        raise MemoryRequestError(
            f"this journal of corrections has {values} values, more than {MOST_VALUES}: divide its"
            ' list "corrections" among several files, and import them one after another'
        )
    try:
        read = _Journal.model_validate_json(text)
        return [_entry_of(entry) for entry in read.corrections]
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"])) or "the text"
        raise MemoryRequestError(
            f"this is no journal of corrections (format {FORMAT!r}, version {VERSION}): {where}:"
            f" {first['msg']}"
        ) from error
    except GeometryError as error:
        raise MemoryRequestError(f"this journal of corrections is damaged: {error}") from error


def entry_to_json(entry: Correction) -> str:
    """One entry, in one line."""
    return _entry_model(entry).model_dump_json()


def entry_from_json(text: str) -> Correction:
    """The inverse of `entry_to_json`.

    Raises:
        ValueError: it is no entry.
    """
    return _entry_of(_Entry.model_validate_json(text))


def _entry_model(entry: Correction) -> _Entry:
    edit = entry.edit
    return _Entry(
        id=entry.correction_id,
        kind=edit.kind,
        object_ids=edit.object_ids,
        key=edit.key,
        value=edit.value,
        places=edit.places,
        new_ids=edit.new_ids,
        by=entry.by,
        reason=entry.reason,
        stamp_ns=entry.stamp_ns,
        undone_ns=entry.undone_ns,
        anchors=tuple(map(_anchor_model, entry.anchors)),
    )


def _anchor_model(anchor: ObjectAnchor) -> _Anchor:
    box = anchor.box
    return _Anchor(
        object_id=anchor.object_id,
        label=anchor.label,
        center=box.center,
        size=box.size,
        yaw=box.yaw,
    )


def _entry_of(entry: _Entry) -> Correction:
    edit = Edit(entry.kind, entry.object_ids, entry.key, entry.value, entry.places, entry.new_ids)
    anchors = tuple(
        ObjectAnchor(a.object_id, a.label, Box3D(a.center, a.size, a.yaw)) for a in entry.anchors
    )
    return Correction(
        entry.id, edit, entry.by, entry.reason, entry.stamp_ns, entry.undone_ns, anchors
    )


@dataclass(frozen=True, slots=True)
class LeftOut:
    """An entry of the replayed journal that was not applied, and the reason in words."""

    correction: Correction
    reason: str


@dataclass(frozen=True, slots=True)
class Replay:
    """The result of a replay: the new entries, and those that were left out."""

    applied: tuple[Correction, ...]
    left_out: tuple[LeftOut, ...]


def replay(
    journal: CorrectionsJournal,
    entries: Iterable[Correction],
    perceived: PerceivedMap,
    by: str = "",
) -> Replay:
    """Write the standing entries of another journal to a journal, with author, time and reason.

    Args:
        entries: the other journal, oldest first.
        perceived: the map that `journal` corrects.
        by: who replays it, appended to the reasons; empty: nothing is appended.
    """
    note = f"replayed by {by}" if by else ""
    standing = [entry for entry in entries if not entry.undone]
    translation = _Translation(standing, perceived)
    writer = journal.writer(perceived)
    said = {replace(e.edit, new_ids=()): e.correction_id for e in journal.standing()[::-1]}
    left_out: list[LeftOut] = []
    for entry in standing:
        try:
            edit = translation.translate(entry)
            if edit in said:
                raise SceneMemoryError(f"correction {said[edit]} is the same already")
            written = writer.write(edit, entry.by, _noted(entry.reason, note), entry.stamp_ns)
        except SceneMemoryError as error:
            left_out.append(LeftOut(entry, str(error)))
        else:
            translation.note_parts(entry.edit, written.edit)
    journal.append(writer.written)
    return Replay(tuple(writer.written), tuple(left_out))


def preview(
    known: Sequence[Correction], entries: Iterable[Correction], perceived: PerceivedMap
) -> Replay:
    """The result that `replay` would have on a journal with the entries `known`; the ids of split
    parts would differ."""
    named = (i for e in known for i in (*e.edit.object_ids, *e.edit.new_ids))
    largest = max((*perceived.objects, *perceived.gone, *named), default=0)
    trial = CorrectionsJournal(count(largest + 1).__next__)
    trial.restore(known)
    return replay(trial, entries, perceived)


class _Translation:
    """A mapping from the ids of the replayed journal to those of the map."""

    def __init__(self, entries: Sequence[Correction], perceived: PerceivedMap) -> None:
        self._perceived = perceived
        # The anchor of the newest entry about an object is its last known place.
        self._anchors = {anchor.object_id: anchor for e in entries for anchor in e.anchors}
        self._places: dict[int, Match | None] = {}
        self._parts: dict[int, int] = {}

    def translate(self, entry: Correction) -> Edit:
        """The entry's edit with the ids of the map.

        Raises:
            SceneMemoryError: an object is missing, might be another one, or two of them are one.
        """
        ids = tuple(self._get(object_id) for object_id in entry.edit.object_ids)
        if len(set(ids)) < len(ids):
            raise SceneMemoryError(f"objects {list(entry.edit.object_ids)} are one object here")
        return replace(entry.edit, object_ids=ids, new_ids=())

    def note_parts(self, edit: Edit, written: Edit) -> None:
        """Note the ids of split parts, which have no anchors of their own."""
        self._parts.update(zip(edit.new_ids, written.new_ids, strict=True))

    def _get(self, object_id: int) -> int:
        if object_id in self._parts:
            return self._parts[object_id]
        anchor = self._anchors.get(object_id)
        if anchor is None:
            raise SceneMemoryError(f"the journal has no place for object {object_id}")
        place = self._find(anchor)
        if place is None:
            raise SceneMemoryError(
                f"no object like {_described(anchor)} stands there now: map that place, or correct"
                " the object by hand"
            )
        if place.rivals:
            ids = ", ".join(map(str, (place.object_id, *place.rivals)))
            raise SceneMemoryError(
                f"{_described(anchor)} may be any of {ids} here: correct it by hand"
            )
        return place.object_id

    def _find(self, anchor: ObjectAnchor) -> Match | None:
        if anchor.object_id not in self._places:
            self._places[anchor.object_id] = (
                find_plane_match(anchor, self._perceived.structure.values())
                if anchor.object_id <= BUILDING
                else find_match(anchor, self._perceived.objects.values())
            )
        return self._places[anchor.object_id]


def _noted(reason: str, note: str) -> str:
    return "; ".join(filter(None, (reason, note)))


def _described(anchor: ObjectAnchor) -> str:
    x, y, z = anchor.box.center
    return f"object {anchor.object_id} ({anchor.label} at {x:.2f} {y:.2f} {z:.2f})"
