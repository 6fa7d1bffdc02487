"""Sessions with simulated persons, and their results."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from scenemind.evaluation.alignment import (
    AlignmentSettings,
    make_tasks,
    run_alignment,
    summarize_sessions,
)
from scenemind.evaluation.alignment.session import MOST_INTERACTIONS
from scenemind.evaluation.alignment.tasks import AlignmentTask
from scenemind.evaluation.result import Evaluation, Group
from scenemind.evaluation.scenes import Scenes
from tests.unit.evaluation.alignment.rooms import write_rooms


@pytest.fixture(scope="module")
def scenes(tmp_path_factory: pytest.TempPathFactory) -> Scenes:
    return Scenes(write_rooms(tmp_path_factory.mktemp("rooms")))


@pytest.fixture(scope="module")
def tasks(scenes: Scenes) -> Sequence[AlignmentTask]:
    return make_tasks(scenes, seed=1)


@pytest.mark.parametrize("may_click", [True, False])
def test_most_rooms_are_aligned_and_corrections_are_used(
    tasks: Sequence[AlignmentTask], may_click: bool
) -> None:
    sessions = list(run_alignment(tasks, AlignmentSettings(seed=1, may_click=may_click)))
    result = summarize_sessions(sessions, "symbolic")
    easy, hard = (percents(result.tasks.breakdown[name]) for name in ("easy", "hard"))
    assert easy["success"] >= 80.0
    assert hard["success"] >= 60.0
    assert easy["initial_success"] <= 20.0
    assert result.interactions["easy"] <= 3.4
    assert result.interactions["hard"] <= 6.5
    assert result.novel.n >= 27
    assert percents(result.novel)["before"] <= 20.0
    assert percents(result.novel)["after"] >= 60.0
    assert result.query_ratio is None


def test_seen_wordings_are_understood(tasks: Sequence[AlignmentTask]) -> None:
    settings = AlignmentSettings(seed=1, wording="development")
    sessions = list(run_alignment(tasks[::2], settings))
    assert all(session.succeeded for session in sessions)
    told = [e for session in sessions for e in session.exchanges if not e.is_question]
    assert all(exchange.is_good for exchange in told)


def test_persons_keep_to_their_number_of_sentences(scenes: Scenes) -> None:
    tasks = make_tasks(scenes, seed=2)
    for session in run_alignment(tasks, AlignmentSettings(seed=2, wording="more")):
        assert len(session.exchanges) <= MOST_INTERACTIONS[session.task.difficulty]
        assert session.exchanges[0].said == session.task.wanted.question
        assert session.succeeded == [e for e in session.exchanges if e.is_question][-1].is_good


def test_persons_without_clicks_mark_no_object(tasks: Sequence[AlignmentTask]) -> None:
    sessions = list(run_alignment(tasks[::2], AlignmentSettings(seed=2, may_click=False)))
    assert not any(e.marked for session in sessions for e in session.exchanges)


def test_scannet_rooms_are_aligned(shared_data: Path) -> None:
    scenes = Scenes(shared_data / "annotations" / "scannet_objects.json.gz")
    sessions = list(run_alignment(make_tasks(scenes, seed=0, most_scenes=40)))
    result = summarize_sessions(sessions, "symbolic")
    assert percents(result.tasks.breakdown["easy"])["success"] >= 80.0
    assert percents(result.tasks.breakdown["hard"])["success"] >= 60.0
    assert percents(result.novel)["after"] >= 45.7  # the paper's


def percents(part: Evaluation | Group) -> dict[str, float]:
    return {name: score.percent or 0.0 for name, score in part.scores.items()}
