"""Tasks: the shape of table A.2, the true answers, and errors that make answers wrong."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from scenemind.evaluation import EvaluationError
from scenemind.evaluation.alignment import make_tasks
from scenemind.evaluation.scenes import Scenes
from tests.unit.evaluation import made
from tests.unit.evaluation.alignment.rooms import write_rooms


@pytest.fixture(scope="module")
def scenes(tmp_path_factory: pytest.TempPathFactory) -> Scenes:
    return Scenes(write_rooms(tmp_path_factory.mktemp("rooms")))


def test_the_table_has_the_papers_shape(scenes: Scenes) -> None:
    tasks = make_tasks(scenes, seed=3)
    assert Counter((task.category, task.difficulty) for task in tasks) == {
        ("attribute", "easy"): 18,
        ("attribute", "hard"): 3,
        ("spatial", "easy"): 4,
        ("spatial", "hard"): 8,
        ("numeric", "easy"): 3,
        ("numeric", "hard"): 6,
    }
    assert all(len(task.errors) == 1 for task in tasks if task.difficulty == "easy")
    assert all(2 <= len(task.errors) <= 4 for task in tasks if task.difficulty == "hard")
    assert sum(task.novel is not None for task in tasks) >= 27


def test_a_seed_gives_the_same_tasks_again(scenes: Scenes) -> None:
    first, again, other = (make_tasks(scenes, seed) for seed in (1, 1, 2))
    assert [(t.wanted, t.errors, t.novel) for t in first] == [
        (t.wanted, t.errors, t.novel) for t in again
    ]
    assert [t.wanted for t in first] != [t.wanted for t in other]


def test_only_planted_errors_differ_from_the_truth(scenes: Scenes) -> None:
    for task in make_tasks(scenes, seed=5):
        touched = {i for e in task.errors for i in (e.object_id, e.second_id)}
        for object_id, thing in task.true.items():
            if object_id not in touched:
                assert task.perceived[object_id] is thing
        assert {i for i in task.perceived if i not in task.true} <= touched


def test_counts_are_those_of_the_true_boxes(scenes: Scenes) -> None:
    words = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight")
    for task in make_tasks(scenes, seed=7):
        if task.category == "numeric":
            noun = task.errors[0].noun
            count = sum(thing.label == noun for thing in task.true.values())
            assert task.wanted.answers == (words[count],)
            assert sum(o.label == noun for o in task.perceived.values()) != count


def test_file_with_too_few_objects_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(EvaluationError, match="more scenes"):
        make_tasks(Scenes(made.write_objects(tmp_path)), seed=0)
