"""`scenemind eval`: a table, or one JSON object, of how right a method is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from scenemind.cli.main import app
from tests.chat_server import ChatServer, call
from tests.unit.evaluation import made
from tests.unit.evaluation.alignment.rooms import write_rooms


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    return made.write_json(tmp_path, "nr3d.json", [made.zsvg3d_row()] * 3)


def run(benchmark: str, data: Path, objects: Path, *more: str) -> Result:
    files = ("--data", str(data), "--objects", str(objects))
    return CliRunner().invoke(app, ["eval", benchmark, *files, *more])


@pytest.mark.parametrize("method", ["symbolic", "zsvg3d_programs"])
def test_json_is_the_last_line(tmp_path: Path, rows: Path, method: str) -> None:
    result = run("nr3d", rows, made.write_objects(tmp_path), "--method", method, "--json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout.splitlines()[-1])
    assert found["method"] == method
    assert (found["n"], found["scores"]["accuracy"]) == (3, 100.0)
    assert {"breakdown", "seconds"} <= found.keys()


def test_a_table_names_the_baseline(tmp_path: Path, rows: Path) -> None:
    result = run("nr3d", rows, made.write_objects(tmp_path))
    assert result.exit_code == 0, result.output
    assert "ground-truth objects" in result.stdout
    assert "any object of the right class" in result.stdout


def test_a_part_of_the_rows_with_their_predictions(tmp_path: Path, rows: Path) -> None:
    out = tmp_path / "out.jsonl"
    objects = made.write_objects(tmp_path)
    result = run("nr3d", rows, objects, "--limit", "2", "--out", str(out))
    assert result.exit_code == 0, result.output
    assert len(out.read_text().splitlines()) == 2


@pytest.mark.parametrize("pose", ["--pose", "--no-pose"])
def test_questions(tmp_path: Path, pose: str) -> None:
    data = made.write_sqa3d(tmp_path)
    result = run("sqa3d", data, made.write_objects(tmp_path), pose, "--json")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout.splitlines()[-1])["scores"]["sense_match"] == 100.0


def test_missing_files_are_one_sentence(tmp_path: Path) -> None:
    result = run("nr3d", tmp_path / "nowhere", made.write_objects(tmp_path))
    assert result.exit_code == 1
    assert "referit3d.github.io" in result.stderr
    assert "Traceback" not in result.output


def test_an_unknown_method_is_one_sentence(tmp_path: Path, rows: Path) -> None:
    result = run("nr3d", rows, made.write_objects(tmp_path), "--method", "magic")
    assert result.exit_code == 1
    assert "no method 'magic'; there are auto, symbolic" in result.stderr


def test_a_method_without_its_model_is_one_sentence(tmp_path: Path, rows: Path) -> None:
    result = run("nr3d", rows, made.write_objects(tmp_path), "--method", "memtree")
    assert result.exit_code == 1
    assert "needs a model" in result.stderr


def test_alignment_needs_objects_only(tmp_path: Path) -> None:
    objects, out = write_rooms(tmp_path), tmp_path / "talks.jsonl"
    more = ("--objects", str(objects), "--seed", "2", "--limit", "4", "--out", str(out), "--json")
    result = CliRunner().invoke(app, ["eval", "alignment", *more])
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout.splitlines()[-1])
    assert (found["seed"], found["tasks"]["n"]) == (2, 4)
    assert found["input"].startswith("simulated persons")
    assert found["tasks"]["scores"]["success"] >= 75.0
    talks = [json.loads(line) for line in out.read_text().splitlines()]
    assert [len(talk["exchanges"]) for talk in talks] == [3, 3, 3, 3]


def test_alignment_in_a_table_says_who_was_simulated(tmp_path: Path) -> None:
    objects = write_rooms(tmp_path)
    result = CliRunner().invoke(app, ["eval", "alignment", "--objects", str(objects)])
    assert result.exit_code == 0, result.output
    assert "simulated persons, errors planted" in result.stdout
    assert "paper" in result.stdout


def test_the_agent_is_measured_with_its_query_ratio(tmp_path: Path) -> None:
    out = tmp_path / "talks.jsonl"
    files = ("--objects", str(write_rooms(tmp_path)), "--out", str(out), "--limit", "2")
    look = call(("query_for_objects", {"query": "bookshelf"}))
    with ChatServer(look, call(("final_answer", {"answer": "I see."}))) as server:
        asked = ("--method", "synergai", "--model", "seer", "--endpoint", server.endpoint)
        result = CliRunner().invoke(app, ["eval", "alignment", *files, *asked])
    assert result.exit_code == 0, result.output
    assert "told of the scene graph in an answer: " in result.stdout
    for line in out.read_text().splitlines():
        talk = json.loads(line)
        assert all(0.0 < ratio < 50.0 for ratio in talk["query_ratios"])
        assert len(talk["query_ratios"]) == len(talk["exchanges"]) == 3


def test_others_need_their_data(tmp_path: Path) -> None:
    result = CliRunner().invoke(
        app, ["eval", "nr3d", "--objects", str(made.write_objects(tmp_path))]
    )
    assert result.exit_code != 0
    assert "--data" in result.stderr
