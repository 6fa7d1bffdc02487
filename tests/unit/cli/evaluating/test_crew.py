"""Workers of a benchmark, and the limits of models that they share."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from scenemind.cli.eval_recipe import Recipe, SourceChoice
from scenemind.cli.eval_run import Crew
from scenemind.cli.main import app
from scenemind.config import SceneMindConfig
from scenemind.errors import UsageError
from scenemind.evaluation.workers import InProcess, Processes, RayCluster
from tests.chat_server import ChatServer, say
from tests.unit.evaluation import made


def recipe(method: str = "symbolic", **models: Any) -> Recipe:
    settings = SceneMindConfig.from_nested({"models": models})
    return Recipe(SourceChoice(Path("objects")), method, settings, None, "always_answer", 60.0)


def test_one_worker_is_this_process() -> None:
    assert isinstance(Crew(1, "", 1).of(recipe()), InProcess)
    assert isinstance(Crew(2, "", 1).of(recipe()), Processes)
    assert isinstance(Crew(2, "local", 1).of(recipe()), RayCluster)


def test_method_without_a_model_needs_no_limit() -> None:
    found = Crew(9, "", 5).of(recipe(parallel_calls=1))
    assert (found.count, found.at_once) == (9, 5)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("typed", "limits", "expected"),
    [
        ((3, 2), {"parallel_calls": 8}, (3, 2)),
        ((3, 9), {"parallel_calls": 8}, (3, 2)),
        ((9, 9), {"parallel_calls": 4}, (4, 1)),
        ((9, 9), {"parallel_calls": 8, "requests_per_minute": 2}, (2, 4)),
    ],
)
def test_limits_of_models_can_be_divided(
    typed: tuple[int, int], limits: dict[str, int], expected: tuple[int, int]
) -> None:
    found = Crew(typed[0], "", typed[1]).of(recipe("memtree", **limits))
    assert (found.count, found.at_once) == expected  # type: ignore[attr-defined]


def test_a_recording_has_one_writer() -> None:
    with pytest.raises(UsageError, match="written by one process"):
        Crew(2, "", 1).of(recipe("memtree", record="file"))


def test_processes_ask_a_server_no_more_at_once_than_it_takes(tmp_path: Path) -> None:
    """Two processes with two questions at once each, and a server that takes two calls."""
    questions = [
        {"question_id": f"q{k}", "question": f"What is thing {k}?", "answer": f"thing {k}"}
        | {"category": "object recognition", "episode_history": f"episode-{k % 2}"}
        for k in range(12)
    ]
    data = made.write_json(tmp_path, "open-eqa-v0.json", questions)
    settings = tmp_path / "settings.yaml"
    with ChatServer(say(lambda request: request.text.split(" is ")[-1].rstrip("?"))) as server:
        settings.write_text(
            f"models: {{parallel_calls: 2, language: {{model: m, endpoint: '{server.endpoint}'}}}}"
        )
        line = ["eval", "openeqa", "--data", data, "--blind", "--config", settings, "--json"]
        more = ["--workers", "2", "--at-once", "2", "--out", tmp_path / "run"]
        result = CliRunner().invoke(app, [str(word) for word in (*line, *more)])
        assert result.exit_code == 0, result.output
        assert len(server.requests) == 12
        assert server.most_at_once <= 2
    said = json.loads(result.stdout.splitlines()[-1])
    assert said["scores"]["exact_match"] == 100.0
    kept = (tmp_path / "run" / "predictions.jsonl").read_text().splitlines()
    assert [json.loads(one)["row"] for one in kept] == [f"q{k}" for k in range(12)]
    assert "2 workers with 1 questions at once" in result.stderr
