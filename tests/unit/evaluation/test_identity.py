"""What makes another run of a run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from scenemind.config import SceneMindConfig
from scenemind.evaluation import EvaluationError
from scenemind.evaluation.datasets import Question
from scenemind.evaluation.identity import identity_of

ROWS = [Question("a", "scene", "How many \ud800?", ("two",))]


def identity(
    files: Sequence[Path] = (), rows: Sequence[Question] = ROWS, **models: Any
) -> dict[str, Any]:
    settings = SceneMindConfig.from_nested({"models": models})
    return identity_of("sqa3d", rows, "symbolic", "objects", files, settings, policy="strict")


def test_how_models_are_reached_makes_no_difference() -> None:
    same = identity(parallel_calls=2, requests_per_minute=9, retries=0, record="file")
    assert same == identity()
    assert identity(question_tokens=5) != identity()


def test_rows_and_files_count_by_what_they_hold(tmp_path: Path) -> None:
    assert identity(rows=[replace(ROWS[0], answers=("three",))]) != identity()
    one, other = tmp_path / "a.json", tmp_path / "b.json"
    one.write_text("{}")
    other.write_text("{}")
    assert identity([one]) == identity([other])
    other.write_text("[]")
    assert identity([one]) != identity([other])
    assert identity([tmp_path])["files"] == [str(tmp_path)]
    with pytest.raises(EvaluationError, match="nowhere cannot be read"):
        identity([tmp_path / "nowhere"])
