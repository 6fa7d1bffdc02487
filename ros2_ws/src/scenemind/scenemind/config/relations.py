"""Thresholds of the relations."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from scenemind.config.settings import Fraction, Positive, Settings


class RelationConfig(Settings):
    """Thresholds of the relations (`memory.graph.relations`)."""

    support_gap_m: Positive = Field(0.12, description="largest vertical gap of something on a top")
    support_overlap: Fraction = Field(0.4, description="share of the upper footprint on the lower")
    inside_share: Fraction = Field(0.8, description="share of the inner volume in the outer box")
    embed_share: Fraction = Field(
        0.8, description="share of the height that is sunk into the other"
    )
    wall_gap_m: Positive = Field(
        0.12, description="largest gap to the wall or ceiling that carries"
    )
    flat_m: Positive = Field(0.15, description="what stands out less from a wall is flat")
    above_overlap: Fraction = Field(
        0.2, description="share of the smaller footprint over the other"
    )
    beside_share: Fraction = Field(
        0.5, description="share of the shorter side that faces the other"
    )
    near_m: Positive = Field(1.0, description="largest gap between boxes that are near")
    next_to_m: Positive = Field(0.6, description="largest gap between neighbours on one level")
    higher_m: Positive = Field(0.1, description="least difference of height of higher and lower")
    reach_m: Positive = Field(1.0, description="largest distance of what is within reach")
    around_m: Positive = Field(1.0, description="largest distance of what is around")
    far_factor: Positive = Field(1.5, description="far: centres apart, over both half diagonals")
    closest_margin_m: Positive = Field(0.2, description="the lead of a sure closest or farthest")
    direction_rule: Literal["angle", "region"] = Field(
        "angle",
        description="left, right, front, behind: by the angle, or by the footprint's share",
    )
    direction_axes: Literal["sight", "heading"] = Field(
        "sight", description="ahead is where the anchor is seen, or where the viewer is turned"
    )
    direction_deg: Positive = Field(45.0, description="half angle of left, right, front, behind")
    direction_aside_m: float = Field(0.0, ge=0.0, description="region: how much wider it starts")
    direction_depth_m: Positive = Field(20.0, description="region: how far it goes")
    direction_share: Fraction = Field(0.5, description="region: share of the footprint within it")
    clock_deg: Positive = Field(30.0, description="largest angle off an hour of the clock")
