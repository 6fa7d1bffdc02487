"""Logistic models of how likely boxes are right, and where their weights come from."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from math import exp
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator
from typing_extensions import Self

from scenemind.memory import MapObject
from scenemind.reasoning.vlm_grounder.box_quality.evidence import (
    EVIDENCE_OF,
    EVIDENCE_RANGES,
    MASKS_BY_MODEL,
    Evidence,
    of_mapped,
    of_measured,
)
from scenemind.reasoning.vlm_grounder.map_match import MapMatch
from scenemind.reasoning.vlm_grounder.types import Measured
from scenemind.words.tables import read_table

BoxKind = Literal["measured", "measured_and_mapped", "mapped_and_measured", "mapped"]
"""A measured box where the map has nothing, or something; the map's where something was measured,
or nothing."""

_FILE = "calibration.yaml"
_STEEPEST = 30.0  # of a logit; beyond it exp says nothing more


class LogisticModel(BaseModel):
    """P = 1 / (1 + exp(-(intercept + sum of weight * evidence))).

    No weight is negative, so that more evidence never makes a box less likely; but who drew the
    masks speaks either way.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    intercept: float
    weights: Mapping[str, float]

    @model_validator(mode="after")
    def _is_monotone(self) -> Self:
        for name, weight in self.weights.items():
            if name not in EVIDENCE_RANGES:
                raise ValueError(f"there is no evidence {name!r}: {', '.join(EVIDENCE_RANGES)}")
            if weight < 0.0 and name != MASKS_BY_MODEL:
                raise ValueError(
                    f"the weight of {name} is {weight}: more evidence would speak against a box"
                )
        return self

    def probability(self, evidence: Evidence) -> float:
        """Above 0 and below 1.

        Args:
            evidence: has all that there is a weight for.
        """
        logit = self.intercept
        for name, weight in self.weights.items():
            low, high = EVIDENCE_RANGES[name]
            logit += weight * min(max(evidence[name], low), high)
        return 1.0 / (1.0 + exp(-min(max(logit, -_STEEPEST), _STEEPEST)))


class Provenance(BaseModel):
    """
    Attributes:
        command: that wrote the file.
        conditions: under which rooms were filmed, in turns.
        fitted_rooms, held_out_rooms: first and last seed.
        fitted_targets, held_out_targets: things that were measured in them.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    command: str
    conditions: tuple[str, ...]
    fitted_rooms: tuple[int, int]
    held_out_rooms: tuple[int, int]
    fitted_targets: int
    held_out_targets: int


class Calibration(BaseModel):
    """P(IoU of a box with the true one > 0.5 | the box is of the right thing), by kind of box."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    provenance: Provenance
    models: Annotated[Mapping[BoxKind, LogisticModel], Field(min_length=len(EVIDENCE_OF))]

    def probability(self, kind: BoxKind, evidence: Evidence) -> float:
        """Above 0 and below 1; see `LogisticModel.probability`."""
        return self.models[kind].probability(evidence)


@cache
def calibration() -> Calibration:
    """The one that belongs to this version of the method."""
    return Calibration.model_validate(read_table(__package__, _FILE))


def measured_box_right(measured: Measured, match: MapMatch | None) -> float:
    """P(IoU with the true box > 0.5 | it is of the right thing) of a measured box.

    Args:
        match: the map's object that stands there; None: the map has none.
    """
    kind: BoxKind = "measured" if match is None else "measured_and_mapped"
    return calibration().probability(kind, of_measured(measured, match))


def map_box_right(thing: MapObject, measured: Measured | None, match: MapMatch | None) -> float:
    """The same of the map's box.

    Args:
        match: of this object and the box that was measured; None: nothing was measured there.
    """
    kind: BoxKind = "mapped" if match is None else "mapped_and_measured"
    return calibration().probability(kind, of_mapped(thing, measured, match))
