"""A Ray cluster of this machine."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from scenemind.evaluation import EvaluationError
from scenemind.evaluation.runner import run
from scenemind.evaluation.workers import InProcess, RayCluster
from tests.unit.evaluation.workers.recipes import ROWS, Recipe


@pytest.mark.extras
def test_a_cluster_agrees_with_one_process_although_a_worker_is_killed(tmp_path: Path) -> None:
    pytest.importorskip("ray")
    alone = run(ROWS, InProcess(Recipe(tmp_path)))
    killed = run(ROWS, RayCluster(Recipe(tmp_path, dies_at="9"), "local", 2))
    assert (tmp_path / "0").exists()
    assert killed == alone


@pytest.mark.skipif(importlib.util.find_spec("ray") is not None, reason="Ray is installed")
def test_without_ray_the_error_says_what_to_install(tmp_path: Path) -> None:
    with pytest.raises(EvaluationError, match=r"pip install -e '.*scenemind\[ray\]'"):
        run(ROWS, RayCluster(Recipe(tmp_path), "local", 2))
