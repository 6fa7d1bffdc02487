"""Sr3D, whose utterances were generated from relations between ground-truth boxes.

What fails needs to know which way a thing faces: a bed with a wall along its side and none seen
behind its head, a refrigerator whose wall was hardly seen, a copier with its side to the wall.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.memory.graph.sr3d import ALLOCENTRIC, read_rows, resolve


@pytest.fixture(scope="module")
def resolved(shared_data: Path) -> list[tuple[str, bool]]:
    """Relation of each row, and whether it resolves to its target."""
    return [
        (row.relation, resolve(row) is row.target) for row in read_rows(shared_data / "annotations")
    ]


def test_of_all_rows_98_percent_resolve(resolved: list[tuple[str, bool]]) -> None:
    assert len(resolved) == 352
    assert sum(hit for _, hit in resolved) >= 0.98 * len(resolved)


def test_all_rows_resolve_that_do_not_depend_on_a_facing(resolved: list[tuple[str, bool]]) -> None:
    missed = [relation for relation, hit in resolved if not hit]
    assert set(missed) <= set(ALLOCENTRIC)
