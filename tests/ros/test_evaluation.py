"""A benchmark asked of live nodes: a recording is played, mapped, asked about and scored."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from scenemind.errors import EvaluationError
from scenemind.evaluation.datasets import Question
from scenemind.simulation import make_room
from scenemind_ros.evaluation import asked_rows, check_run, evaluate_live, parse_options
from scenemind_ros.mapping_node import MappingNode
from scenemind_ros.reasoning_node import ReasoningNode
from tests.unit.evaluation import made

from .graph import SIMULATED, RosGraph

SCENE = "scene0001_00"


def test_live_nodes_are_asked_about_their_map(tmp_path: Path) -> None:
    out = tmp_path / "run"
    arguments = ["simulation", "--recording", "sim:3:frames=12", "--out", str(out)]
    options = parse_options([*arguments, "--limit", "3"])
    evaluation = evaluate_live(options)
    assert evaluation.n == 3
    assert "mapped live from sim:3" in evaluation.source
    assert "simulated instance camera" in evaluation.source
    lines = [json.loads(line) for line in (out / "predictions.jsonl").read_text().splitlines()]
    assert [line["row"] for line in lines] == [row.row_id for row in evaluation.rows]
    assert all(line["seconds"] > 0.0 for line in lines)
    assert json.loads((out / "evaluation.json").read_text())["n"] == 3
    assert "mapped live from" in (out / "report" / "index.html").read_text(encoding="utf-8")
    with pytest.raises(EvaluationError, match="earlier replay"):
        evaluate_live(options)
    with pytest.raises(EvaluationError, match="earlier replay"):
        check_run(options)
    with pytest.raises(EvaluationError, match="there is no method 'nosuch'"):
        check_run(parse_options([*arguments, "--method", "nosuch"]))


def write_scanrefer(folder: Path) -> tuple[Path, Path]:
    """A phrase of each unique thing of the stored room, and the room's true objects."""
    things = make_room(1).objects
    labels = [thing.label for thing in things]
    rows = [
        {
            "scene_id": scene,
            "object_id": str(thing.instance_id),
            "object_name": thing.label,
            "ann_id": "0",
            "description": f"the {thing.label}",
        }
        for scene in (SCENE, "scene0000_00")
        for thing in things
        if labels.count(thing.label) == 1
    ]
    objects = [
        {
            "id": thing.instance_id,
            "label": thing.label,
            "center": thing.box.center,
            "size": thing.box.size,
        }
        for thing in things
    ]
    data, truth = folder / "ScanRefer_filtered_val.json", folder / "objects.json"
    data.write_text(json.dumps(rows))
    truth.write_text(json.dumps({SCENE: {"objects": objects}}))
    return data, truth


@pytest.fixture
def running(stored_room: Path, tmp_path: Path) -> Iterator[None]:
    """Nodes that have mapped the room."""
    shutil.copytree(stored_room, tmp_path / "memories" / "room")
    graph = RosGraph(hears_processes=True)
    stored = {"memory.root": str(tmp_path / "memories"), "memory.name": "room"}
    graph.add(MappingNode, SIMULATED | stored)
    graph.add(ReasoningNode, {})
    yield
    graph.close()


@pytest.mark.usefixtures("running")
def test_boxes_of_nodes_that_run_already_are_scored(tmp_path: Path) -> None:
    data, truth = write_scanrefer(tmp_path)
    arguments = ["scanrefer", "--running", "--recording", "room.mcap", "--scene", SCENE]
    arguments += ["--data", str(data), "--objects", str(truth), "--out", str(tmp_path / "run")]
    evaluation = evaluate_live(parse_options([*arguments, "--limit", "6"]))
    assert {row.scene_id for row in evaluation.rows} == {SCENE}
    assert "accuracy" not in evaluation.scores, "ids of a map are not the benchmark's"
    found = evaluation.scores["acc_25"]
    assert found.n == 6
    assert found.percent is not None
    assert found.percent > 60.0, "what is named once is found, but for what the drive hardly saw"


def test_poses_without_an_alignment_are_an_error(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    asked = ["sqa3d", "--recording", f"{made.SCENE}.mcap", "--out", str(tmp_path / "run")]
    asked += ["--data", str(made.write_sqa3d(tmp_path))]
    found = asked_rows(parse_options(asked))
    (row,) = found.rows
    assert isinstance(row, Question)
    assert found.viewpoint_of(row) is None
    assert "in words only" in caplog.text
    caplog.clear()
    found = asked_rows(parse_options([*asked, "--objects", str(made.write_objects(tmp_path))]))
    assert found.viewpoint_of(row) is not None
    assert not caplog.text


def test_a_scene_without_rows_is_named(tmp_path: Path) -> None:
    data, _ = write_scanrefer(tmp_path)
    arguments = ["scanrefer", "--recording", "drives/kitchen.mcap", "--out", str(tmp_path / "run")]
    with pytest.raises(EvaluationError, match=r"no rows about kitchen.*--scene"):
        asked_rows(parse_options([*arguments, "--data", str(data)]))
    with pytest.raises(EvaluationError, match="needs --data"):
        asked_rows(parse_options(arguments))
