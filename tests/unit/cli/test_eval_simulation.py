"""`scenemind eval simulation`: a benchmark without data files."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from scenemind.cli.main import app

LITTLE = ["eval", "simulation", "--rooms", "1", "--limit", "6", "--json"]
LIVE = ["eval", "simulation", "--live", "sim:4", "--limit", "6", "--json"]


def test_rooms_are_asked_about_and_shown_without_any_files(tmp_path: Path) -> None:
    out = tmp_path / "run"
    done = CliRunner().invoke(app, [*LITTLE, "--out", str(out)])
    assert done.exit_code == 0, done.output
    result = json.loads(done.stdout.splitlines()[-1])
    assert result["source"] == "ground-truth objects of simulated rooms"
    assert (result["n"], result["scored"]["right"]) == (6, 6)
    assert "SIMULATED" in (out / "report" / "index.html").read_text(encoding="utf-8")


def test_a_kind_of_question_alone(tmp_path: Path) -> None:
    del tmp_path
    done = CliRunner().invoke(app, [*LITTLE, "--only", "wall"])
    result = json.loads(done.stdout.splitlines()[-1])
    assert list(result["breakdown"]) == ["wall"]
    assert result["scores"]["right"] == 100.0
    assert "acc_25" not in result["scores"], "a question names no box"


def test_other_scenes_beside_simulated_ones_are_refused(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, [*LITTLE, "--memories", str(tmp_path)])
    assert done.exit_code == 1
    assert "scenes come from one place" in done.stderr


def test_live_nodes_get_the_typed_options(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[list[str]] = []
    monkeypatch.setattr("scenemind.cli.eval.ros_environment", dict)
    monkeypatch.setattr(
        "scenemind.cli.eval.os.execve",
        lambda _path, command, _env: (started.append(command), sys.exit()),
    )
    out = str(tmp_path / "run")
    CliRunner().invoke(app, [*LIVE, "--out", out, "--policy", "strict"])
    (command,) = started
    assert command[1:4] == ["-m", "scenemind_ros.evaluation", "simulation"]
    options = dict(zip(command[4:-1:2], command[5:-1:2], strict=True))
    assert options["--recording"] == "sim:4"
    assert options["--limit"] == "6"
    assert options["--policy"] == "strict"
    assert "--detector" not in options, "the simulator's own instance camera"
    assert command[-1] == "--json"


def test_live_needs_a_folder() -> None:
    done = CliRunner().invoke(app, LIVE)
    assert done.exit_code == 1
    assert "--out" in done.stderr


def test_models_are_the_live_nodes_own(tmp_path: Path) -> None:
    typed = [*LIVE, "--out", str(tmp_path / "run"), "--model", "some-model"]
    done = CliRunner().invoke(app, typed)
    assert done.exit_code == 1
    assert "from ROS parameters" in done.stderr
