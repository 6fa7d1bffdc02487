"""The journal as JSON: to be kept, read by people, or replayed onto another map."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from typing_extensions import Self

from scenemind.geometry import Box3D, GeometryError
from scenemind.memory.errors import SceneMemoryError
from scenemind.memory.types import Correction, Edit, EditKind, ObjectAnchor

FORMAT: Literal["scenemind corrections"] = "scenemind corrections"
VERSION: Literal[1] = 1
_Triple = tuple[float, float, float]
# What messages hold: int32 ids, and stamps of int32 seconds.
_Id = Annotated[int, Field(ge=-(2**31), lt=2**31)]
_Stamp = Annotated[int, Field(ge=0, lt=2**31 * 10**9)]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)


class _Anchor(_Model):
    """Where an object was: centre and size in metres, yaw in radians, world, z up."""

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
    """
    Raises:
        SceneMemoryError: it is no journal, or of another version; names the first wrong place.
    """
    try:
        read = _Journal.model_validate_json(text)
        return [_entry_of(entry) for entry in read.corrections]
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"])) or "the text"
        raise SceneMemoryError(
            f"this is no journal of corrections (format {FORMAT!r}, version {VERSION}): {where}:"
            f" {first['msg']}"
        ) from error
    except GeometryError as error:
        raise SceneMemoryError(f"this journal of corrections is damaged: {error}") from error


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
