"""On SQA3D's questions with ground-truth objects: a part of them, drawn with a fixed seed."""

from __future__ import annotations

from pathlib import Path

import pytest

from scenemind.evaluation.routed import RoutedMethod
from scenemind.evaluation.runner import run_benchmark
from scenemind.evaluation.scenes import Scenes

_ROWS = 300


@pytest.fixture(scope="module")
def scenes(shared_data: Path) -> Scenes:
    return Scenes(shared_data / "annotations" / "scannet_objects.json.gz")


def test_most_answers_are_right(shared_data: Path, scenes: Scenes) -> None:
    """The commonest answer per first word is right for 22 %, a model with captions for 48 %."""
    method = RoutedMethod(scenes, "symbolic")
    run = run_benchmark("sqa3d", shared_data / "annotations" / "sqa3d", scenes, method, _ROWS)
    assert run.evaluation.scores["sense_match"] > 55.0
