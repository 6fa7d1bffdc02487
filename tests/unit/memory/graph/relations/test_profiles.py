"""Named sets of thresholds."""

from __future__ import annotations

import pytest

from scenemind.config import RelationConfig
from scenemind.memory import SceneMemoryError
from scenemind.memory.graph.relations.profiles import PROFILES, relation_profile


def test_our_own_profile_is_the_defaults() -> None:
    assert relation_profile("scenemind") == RelationConfig()


def test_profiles_differ() -> None:
    assert len({relation_profile(name).model_dump_json() for name in PROFILES}) == len(PROFILES)


def test_llm_tpc_has_its_papers_values() -> None:
    config = relation_profile("llm_tpc")
    assert (config.reach_m, config.around_m, config.closest_margin_m) == (1.0, 1.0, 0.2)
    assert (config.support_overlap, config.support_gap_m) == (0.5, 0.15)
    assert (config.direction_deg, config.direction_share) == (5.0, 0.7)


def test_an_unknown_profile_is_an_error_that_lists_them() -> None:
    with pytest.raises(SceneMemoryError, match=r"'vadar'.*scenemind, llm_tpc, sr3d"):
        relation_profile("vadar")
