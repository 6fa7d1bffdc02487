"""Directions about the agent against what people said of their own surroundings (SQA3D).

Several things of one label may stand on several sides, so the opposite of what was said also holds
at times; what is said holds far more often. What is missing are poses and words that were not
exact ("the table behind me" half to the left).
"""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.relation_profiles import PROFILES
from scenemind.memory.graph.relation_query import RelationContext, relate_agent
from scenemind.memory.graph.relations import canonical_relation
from tests.unit.memory.graph.sqa3d import Statement, read_statements


@pytest.fixture(scope="module")
def statements(shared_data: Path) -> list[Statement]:
    return list(read_statements(shared_data / "annotations"))


@pytest.mark.parametrize("profile", ["scenemind", "llm_tpc"])
def test_statements_of_people_hold_and_their_opposites_rarely(
    statements: list[Statement], profile: str
) -> None:
    said = [_holds(s, s.relation, profile) for s in statements]
    opposite = [_holds(s, _opposite(s.relation), profile) for s in statements]
    assert len(statements) > 400
    assert sum(said) >= 0.85 * len(said)
    assert sum(opposite) <= 0.2 * len(opposite)


def _holds(statement: Statement, relation: str, profile: str) -> bool:
    context = RelationContext(PROFILES[profile], statement.viewpoint)
    named = [o for o in statement.scene if o.label == statement.label]
    return len(relate_agent(named, relation, context)) > 0


def _opposite(relation: str) -> str:
    inverse = canonical_relation(relation).inverse
    assert inverse is not None
    return inverse
