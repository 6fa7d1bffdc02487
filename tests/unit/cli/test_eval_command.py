"""`scenemind eval`: a table, or one JSON object, of how right a method is."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from scenemind.cli.main import app
from scenemind.config import SceneMindConfig
from scenemind.memory import Memory
from tests.chat_server import ChatServer, call, say
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
    assert ("reliability" in found) == (method == "symbolic"), "programs say no confidence"


def test_a_table_names_the_baseline(tmp_path: Path, rows: Path) -> None:
    result = run("nr3d", rows, made.write_objects(tmp_path))
    assert result.exit_code == 0, result.output
    assert "ground-truth objects" in result.stdout
    assert "any object of the right class" in result.stdout


def test_a_run_is_kept_and_goes_on(tmp_path: Path, rows: Path) -> None:
    objects, out = made.write_objects(tmp_path), tmp_path / "run"
    more = ("--limit", "2", "--out", str(out), "--json")
    first = run("nr3d", rows, objects, *more)
    assert first.exit_code == 0, first.output
    assert {path.name for path in out.iterdir()} == {
        *("run.json", "predictions.jsonl", "judgements.jsonl"),
        *("evaluation.json", "submission.csv", "report"),
    }
    kept = (out / "predictions.jsonl").read_text()
    assert len(kept.splitlines()) == 2
    again = run("nr3d", rows, objects, *more)
    assert "2 of 2 rows were answered before" in again.stderr
    assert (out / "predictions.jsonl").read_text() == kept
    assert again.stdout.splitlines()[-1] == first.stdout.splitlines()[-1]
    other = run("nr3d", rows, objects, *more, "--policy", "strict")
    assert other.exit_code == 1
    assert "policy was always_answer, and is strict" in other.stderr


def test_an_interrupt_says_how_it_goes_on(
    tmp_path: Path, rows: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("scenemind.cli.eval_run.run", interrupted)
    objects, out = made.write_objects(tmp_path), tmp_path / "run"
    result = run("nr3d", rows, objects, "--out", str(out))
    assert result.exit_code == 130
    assert f"finished rows are kept in {out}: the same command continues" in result.stderr
    assert "nothing is kept" in run("nr3d", rows, objects).stderr


def test_only_rows_of_a_group(tmp_path: Path, rows: Path) -> None:
    objects = made.write_objects(tmp_path)
    result = run("nr3d", rows, objects, "--only", "easy", "--json")
    assert json.loads(result.stdout.splitlines()[-1])["n"] == 3
    result = run("nr3d", rows, objects, "--only", "hard")
    assert result.exit_code == 1
    assert "no row is in the group 'hard'; the groups of its file: easy" in result.stderr


def test_scenes_come_from_one_place(tmp_path: Path, rows: Path) -> None:
    objects = made.write_objects(tmp_path)
    both = ("--instances", str(objects), "--memories", str(tmp_path))
    assert "say one of --memories, --instances" in run("nr3d", rows, objects, *both).stderr
    nothing = CliRunner().invoke(app, ["eval", "nr3d", "--data", str(rows)])
    assert "say what is known of the scenes" in nothing.stderr


def test_instances_of_a_detector_are_named_and_compared_by_boxes(
    tmp_path: Path, rows: Path
) -> None:
    objects = made.write_objects(tmp_path)
    (tmp_path / "found").mkdir()
    found = [{**thing, "id": thing["id"] + 50, "score": 0.7} for thing in made.OBJECTS]
    instances = made.write_objects(tmp_path / "found", objects=found)
    result = run("nr3d", rows, objects, "--instances", str(instances), "--json")
    assert result.exit_code == 0, result.output
    said = json.loads(result.stdout.splitlines()[-1])
    assert said["source"] == "predicted instances"
    assert said["scores"]["acc_50"] == 100.0
    assert "accuracy" not in said["scores"]


def test_poses_need_the_alignment(tmp_path: Path) -> None:
    data, instances = made.write_sqa3d(tmp_path), made.write_objects(tmp_path)
    asked = ["eval", "sqa3d", "--data", str(data), "--instances", str(instances)]
    result = CliRunner().invoke(app, asked)
    assert result.exit_code == 1
    assert "give --objects" in result.stderr
    result = CliRunner().invoke(app, [*asked, "--no-pose", "--json"])
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout.splitlines()[-1])["scores"]["sense_match"] == 100.0


def test_blind_questions_go_to_a_model(tmp_path: Path) -> None:
    data = made.write_sqa3d(tmp_path)
    with ChatServer(say("Two.")) as server:
        asked = ["eval", "sqa3d", "--data", str(data), "--blind", "--json"]
        model = ["--model", "guesser", "--endpoint", server.endpoint]
        result = CliRunner().invoke(app, [*asked, *model])
        assert result.exit_code == 0, result.output
        prompt = server.requests[0].body["messages"][-1]["content"]
    said = json.loads(result.stdout.splitlines()[-1])
    assert (said["method"], said["source"]) == ("blind", "no scene")
    assert said["scores"]["sense_match"] == 100.0
    assert said["usage"]["calls"] == 1
    assert "How many chairs are there?" in str(prompt)
    without = CliRunner().invoke(app, asked)
    assert "--blind asks a language model" in without.stderr


def test_stored_memories_are_asked(tmp_path: Path) -> None:
    row = {"question": "How many chairs are there?", "answer": "none", "category": "counting"}
    episodes = ("hm3d-v0/000", "hm3d-v0/000", "hm3d-v0/001")
    data = made.write_json(
        tmp_path,
        "open-eqa-v0.json",
        [{**row, "question_id": f"{k}", "episode_history": e} for k, e in enumerate(episodes)],
    )
    memories = tmp_path / "memories"
    (memories / "hm3d-v0").mkdir(parents=True)
    Memory.create(memories / "hm3d-v0" / "000", SceneMindConfig()).close()
    line = ["eval", "openeqa", "--data", str(data), "--memories", str(memories), "--json"]
    refused = CliRunner().invoke(app, line)
    assert refused.exit_code == 1
    assert "there is no memory of hm3d-v0/001" in refused.stderr
    way_out = refused.stderr.split("`")[1].replace("RECORDING", "sim:1:frames=1").split()
    assert way_out[:2] == ["scenemind", "map"]
    mapped = CliRunner().invoke(app, way_out[1:])
    assert mapped.exit_code == 0, mapped.output
    assert CliRunner().invoke(app, line).exit_code == 0
    shutil.rmtree(memories / "hm3d-v0" / "001")
    result = CliRunner().invoke(app, [*line, "--skip-missing"])
    assert result.exit_code == 0, result.output
    said = json.loads(result.stdout.splitlines()[-1])
    assert (said["n"], said["source"]) == (2, "mapped memories")
    assert "left out: 1 of 3 rows" in result.stderr


def test_a_judge_marks_each_answer_once(tmp_path: Path) -> None:
    row = {"question_id": "a", "question": "What stands at the wall?", "answer": "A bed."}
    data = made.write_json(
        tmp_path,
        "open-eqa-v0.json",
        [{**row, "category": "object recognition", "episode_history": made.SCENE}],
    )
    objects, out = made.write_objects(tmp_path), tmp_path / "run"
    with ChatServer(say("Your mark: 4")) as server:
        judge = ("--judge", "strict", "--judge-endpoint", server.endpoint)
        more = (*judge, "--out", str(out), "--no-report", "--json")
        for _ in range(2):
            result = run("openeqa", data, objects, *more)
            assert result.exit_code == 0, result.output
            said = json.loads(result.stdout.splitlines()[-1])
            assert (said["scores"]["llm_match"], said["scored"]["llm_match"]) == (75.0, 1)
        assert len(server.requests) == 1
    assert not (out / "report").exists()
    assert [one["answer"] for one in json.loads((out / "submission.json").read_text())] != [None]


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


def test_a_mixed_up_file_is_named_with_the_way_out(tmp_path: Path) -> None:
    objects = made.write_objects(tmp_path)
    sr3d = made.write_nr3d_csv(tmp_path, "sr3d.csv", coarse_reference_type="horizontal")
    result = run("nr3d", sr3d, objects)
    assert result.exit_code == 1
    assert f"`scenemind eval sr3d --data {sr3d}` asks them" in " ".join(result.stderr.split())
    assert "which --objects takes" in run("scanqa", objects, objects).stderr
    assert "which --data takes" in run("sr3d", sr3d, sr3d).stderr


def test_objects_of_other_scenes_are_counted(tmp_path: Path) -> None:
    scenes = (made.SCENE, "scene0002_00", "scene0003_00")
    rows = [{**made.zsvg3d_row(), "scan_id": scene} for scene in scenes]
    data, objects = made.write_json(tmp_path, "nr3d.json", rows), made.write_objects(tmp_path)
    some = run("nr3d", data, objects)
    assert some.exit_code == 1
    assert "2 of the 3 scenes of the rows are not there" in some.stderr
    assert "has no scene scene0002_00" in some.stderr
    assert "--skip-missing leaves their rows out" in some.stderr
    left = run("nr3d", data, objects, "--skip-missing", "--json")
    assert json.loads(left.stdout.splitlines()[-1])["n"] == 1
    elsewhere = made.write_objects(tmp_path, scene="scene0707_00")
    none = run("nr3d", data, elsewhere, "--skip-missing")
    assert "none of the 3 scenes of the rows is there" in none.stderr


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


def test_table_of_alignment_names_the_simulated_persons(tmp_path: Path) -> None:
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


def test_other_benchmarks_need_their_data(tmp_path: Path) -> None:
    result = CliRunner().invoke(
        app, ["eval", "nr3d", "--objects", str(made.write_objects(tmp_path))]
    )
    assert result.exit_code != 0
    assert "--data" in result.stderr
