"""Thresholds of relations: ours, and those of LLM-TPC's and Sr3D's programs."""

from __future__ import annotations

from collections.abc import Mapping

from scenemind.config import RelationConfig

PROFILES: Mapping[str, RelationConfig] = {
    "scenemind": RelationConfig(),
    "llm_tpc": RelationConfig(
        support_gap_m=0.15,
        support_overlap=0.5,
        above_overlap=0.2,
        reach_m=1.0,
        around_m=1.0,
        closest_margin_m=0.2,
        direction_rule="region",
        direction_axes="heading",
        direction_deg=5.0,
        direction_aside_m=0.1,
        direction_depth_m=20.0,
        direction_share=0.7,
        clock_deg=45.0,
    ),
    "sr3d": RelationConfig(
        support_gap_m=0.15,
        support_overlap=0.3,
        direction_rule="region",
        direction_deg=10.0,
        direction_aside_m=0.1,
        direction_depth_m=4.0,
        direction_share=0.9,
    ),
}
