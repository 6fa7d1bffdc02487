"""Named sets of thresholds: what other systems and benchmarks mean by the same words.

- `scenemind`: the defaults.
- `llm_tpc`: LLM-TPC's regions, ratios and distances (supplement 1.1.4), with directions along the
  agent's own axes.
- `sr3d`: as ReferIt3D generated Sr3D's utterances: wider regions that end after 4 m and want 90 %
  of the target; a table may lack its top and still carry.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scenemind.config import RelationConfig
from scenemind.memory.errors import SceneMemoryError

_PROFILES: Mapping[str, Mapping[str, Any]] = {
    "scenemind": {},
    "llm_tpc": {
        "support_gap_m": 0.15,
        "support_overlap": 0.5,
        "above_overlap": 0.2,
        "reach_m": 1.0,
        "around_m": 1.0,
        "closest_margin_m": 0.2,
        "direction_rule": "region",
        "direction_axes": "heading",
        "direction_deg": 5.0,
        "direction_aside_m": 0.1,
        "direction_depth_m": 20.0,
        "direction_share": 0.7,
        "clock_deg": 45.0,
    },
    "sr3d": {
        "support_gap_m": 0.15,
        "support_overlap": 0.3,
        "direction_rule": "region",
        "direction_deg": 10.0,
        "direction_aside_m": 0.1,
        "direction_depth_m": 4.0,
        "direction_share": 0.9,
    },
}
PROFILES = tuple(_PROFILES)


def relation_profile(name: str) -> RelationConfig:
    """The thresholds of a profile.

    Raises:
        SceneMemoryError: there is no profile of this name; the message lists them.
    """
    if name not in _PROFILES:
        raise SceneMemoryError(
            f"there is no relation profile {name[:60]!r}; the profiles are {', '.join(PROFILES)}"
        )
    return RelationConfig(**_PROFILES[name])
