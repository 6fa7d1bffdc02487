"""A place's objects as a person boxed them by hand, for comparing maps with; docs/evaluation.md has
the format."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from scenemind.errors import EvaluationError
from scenemind.exchange.objects_file import faults
from scenemind.geometry import Box3D
from scenemind.memory import MapObject
from scenemind.untrusted import MOST_JSON_BYTES, load_json, read_regular

_MOST_OBJECTS = 5000
_SKEW = 0.1  # cosine of the angle of a footprint's corner, which hands place to a centimetre

Side = Annotated[float, Field(gt=0.0)]
Triple = tuple[float, float, float]
Corner = tuple[float, float]


class _Facing(BaseModel):
    """A box by the direction that a thing faces; `facing` is (x, y)."""

    model_config = ConfigDict(extra="ignore", frozen=True, allow_inf_nan=False)

    center: Triple
    size_along_facing: Side
    width: Side
    height: Side
    facing: Corner


class LabelledObject(BaseModel):
    """One thing; metres, in the world of the maps that it is compared with.

    Attributes:
        synonyms: other labels that are right.
        coco: the class that a detector of COCO's classes has for it; null: none.
        size: of its axis-aligned box; with `yaw_deg` along the box's own axes.
        yaw_deg, footprint, obb: its turned box: by its turn about z, by its corners seen from
            above, or by the direction that it faces; at most one of them.
        quality: "rough" things take part in matching, but do not count.
        detectable: whether a detector has a class for it; without it `coco` says so, and
            without that it is true.
    """

    model_config = ConfigDict(extra="ignore", frozen=True, allow_inf_nan=False)

    id: str = Field(min_length=1)
    label: str = Field(min_length=1)
    synonyms: tuple[str, ...] = ()
    coco: str | None = None
    center: Triple
    size: tuple[Side, Side, Side]
    yaw_deg: float | None = None
    footprint: tuple[Corner, Corner, Corner, Corner] | None = None
    obb: _Facing | None = None
    quality: Literal["good", "rough"] = "good"
    detectable: bool | None = None

    @model_validator(mode="after")
    def _one_turned_box(self) -> LabelledObject:
        if sum(one is not None for one in (self.yaw_deg, self.footprint, self.obb)) > 1:
            raise ValueError("say one of yaw_deg, footprint and obb")
        if self.footprint is not None:
            corners = np.array(self.footprint)
            along, across = corners[1] - corners[0], corners[2] - corners[1]
            sides = float(np.linalg.norm(along) * np.linalg.norm(across))
            if sides == 0.0 or abs(float(along @ across)) > _SKEW * sides:
                raise ValueError("the four corners of footprint are no rectangle in their order")
        return self

    @property
    def names(self) -> frozenset[str]:
        """Right labels, in lower case."""
        said = (self.label, *self.synonyms, *((self.coco,) if self.coco else ()))
        return frozenset(name.casefold() for name in said)

    @property
    def group(self) -> str:
        """The class under which scores list it."""
        return self.coco or self.label

    @property
    def is_detectable(self) -> bool:
        """Whether a detector has a class for it; see `detectable`."""
        if self.detectable is not None:
            return self.detectable
        return self.coco is not None or "coco" not in self.model_fields_set

    @property
    def counts(self) -> bool:
        """Whether a map should have it, and its box can be compared."""
        return self.quality == "good" and self.is_detectable

    @property
    def turned_box(self) -> Box3D:
        """Its own box; the axis-aligned one where no turn is given."""
        if self.obb is not None:
            along, width, height = self.obb.size_along_facing, self.obb.width, self.obb.height
            yaw = math.atan2(self.obb.facing[1], self.obb.facing[0])
            return Box3D(self.obb.center, (along, width, height), yaw)
        if self.footprint is not None:
            corners = np.array(self.footprint)
            x, y = corners.mean(axis=0).tolist()
            along = corners[1] - corners[0] + corners[2] - corners[3]
            across = corners[2] - corners[1] + corners[3] - corners[0]
            length, width = (float(np.linalg.norm(side)) / 2.0 for side in (along, across))
            yaw = math.atan2(along[1], along[0])
            return Box3D((x, y, self.center[2]), (length, width, self.size[2]), yaw)
        return Box3D(self.center, self.size, math.radians(self.yaw_deg or 0.0))

    @property
    def aligned_box(self) -> Box3D:
        """Its axis-aligned box."""
        if self.yaw_deg is None:
            return Box3D(self.center, self.size)
        return Box3D.from_bounds(*self.turned_box.bounds())


class MapTruth(BaseModel):
    """A file of labelled objects.

    Attributes:
        exhaustive: every thing that a detector could report is labelled, so that whatever else a
            map holds is wrong.
    """

    model_config = ConfigDict(extra="ignore", frozen=True)

    objects: tuple[LabelledObject, ...] = Field(min_length=1, max_length=_MOST_OBJECTS)
    exhaustive: bool = False

    @field_validator("objects")
    @classmethod
    def _own_ids(cls, objects: tuple[LabelledObject, ...]) -> tuple[LabelledObject, ...]:
        known: set[str] = set()
        for one in objects:
            if one.id in known:
                raise ValueError(f"two objects have the id {one.id!r}")
            known.add(one.id)
        return objects


def load_truth(path: Path) -> MapTruth:
    """Read a file of labelled objects.

    Raises:
        EvaluationError: it cannot be read, or is no such file.
    """
    try:
        return MapTruth.model_validate(load_json(read_regular(path, MOST_JSON_BYTES, follow=True)))
    except OSError as error:
        raise EvaluationError(f"{path} cannot be read: {error}") from error
    except ValidationError as error:
        raise EvaluationError(f"{path} holds no labelled objects: {faults(error)}") from error
    except ValueError as error:
        raise EvaluationError(f"{path} is no JSON of labelled objects: {error}") from error


def template(objects: Iterable[MapObject]) -> str:
    """A file of labelled objects with a map's own boxes, an object a line, for a person to mend."""
    lines = (json.dumps(_line(thing), ensure_ascii=False) for thing in objects)
    return '{"exhaustive": false, "objects": [\n' + ",\n".join(lines) + "\n]}\n"


def _line(thing: MapObject) -> dict[str, Any]:
    box = thing.yaw_box
    return {
        "id": f"{thing.label}_{thing.object_id}".replace(" ", "_"),
        "label": thing.label,
        "synonyms": [],
        "center": [round(value, 3) for value in box.center],
        "size": [max(0.001, round(value, 3)) for value in box.size],
        "yaw_deg": round(math.degrees(box.yaw), 1),
        "quality": "good",
        "detectable": True,
    }
