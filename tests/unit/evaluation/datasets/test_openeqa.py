"""OpenEQA's questions, each about an episode."""

from __future__ import annotations

from pathlib import Path

import pytest

from scenemind.evaluation import EvaluationError
from scenemind.evaluation.datasets import read_openeqa, row_groups
from tests.unit.evaluation import made


def test_a_question(tmp_path: Path) -> None:
    (row,) = read_openeqa(made.write_openeqa(tmp_path))
    assert row.scene_id == "hm3d-v0/000-made"
    assert row.answers == ("By the desk", "in front of the desk")
    assert row_groups(row) == ("object localization",)


def test_what_is_missing_says_where_to_get_it(tmp_path: Path) -> None:
    with pytest.raises(EvaluationError, match=r"facebookresearch/open-eqa.*--data"):
        list(read_openeqa(tmp_path))


def test_the_real_file(shared_data: Path) -> None:
    rows = list(read_openeqa(shared_data / "annotations" / "openeqa"))
    assert len(rows) == len({row.row_id for row in rows}) == 702
    assert len({row.category for row in rows}) == 7
    assert sum(len(row.answers) > 1 for row in rows) == 115
