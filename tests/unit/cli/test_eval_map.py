"""`scenemind eval map`: a memory beside boxes made by hand."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from scenemind.cli.main import app


def run(rooms: Path, *words: str) -> str:
    memory = ["--memory", "room", "--memory-root", str(rooms)]
    done = CliRunner().invoke(app, ["eval", "map", *memory, *words])
    assert done.exit_code == 0, done.output
    return done.stdout


def test_a_map_agrees_with_its_own_template(rooms: Path, tmp_path: Path) -> None:
    truth = tmp_path / "truth.json"
    truth.write_text(run(rooms, "--template"))
    result = json.loads(run(rooms, "--truth", str(truth), "--json").splitlines()[-1])
    scores = result["memories"]["room"]
    n = scores["objects"]
    assert n > 5
    assert scores["counted"]["iou_50"] == scores["counted"]["n"] == n
    assert scores["counted"]["mean_iou"] > 0.97, "boxes are rounded to millimetres"
    assert (scores["ghosts"], scores["doubles"]) == ([], [])


def test_a_mended_template_scores_what_was_mended(rooms: Path, tmp_path: Path) -> None:
    document = json.loads(run(rooms, "--template"))
    renamed, moved, *_ = document["objects"]
    renamed["label"] = "aquarium"
    moved["center"][0] += 100.0
    truth = tmp_path / "truth.json"
    truth.write_text(json.dumps(document))
    out = tmp_path / "out"
    printed = run(rooms, "--truth", str(truth), "--out", str(out))
    assert f"at {renamed['id']}" in printed
    of_chance = re.search(r"\(a perfect confidence: (\S+) to (\S+) with (\d+) objects\)", printed)
    assert of_chance is not None
    scores = json.loads((out / "evaluation.json").read_text())["memories"]["room"]
    assert scores["counted"]["n"] - scores["counted"]["found"] == 2
    told = [f"{bound / 100:.2f}" for bound in scores["reliability"]["interval_if_perfect"]]
    assert of_chance.groups() == (*told, str(scores["reliability"]["n"]))
    (wrong,) = (one for one in scores["mapped"] if one["verdict"] == "wrong")
    assert wrong["thing"] == renamed["id"]
    page = (out / "report" / "index.html").read_text()
    assert page.count("data:image/jpeg") >= 2, "both kinds of boxes in a key frame"
    assert 'class="missed" points=' in page
    assert f"would be off by\n{' to '.join(told)}." in page


def test_frames_are_shown_where_a_box_goes_up_behind_the_camera(
    rooms: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    document = json.loads(run(rooms, "--template"))
    for tower in document["objects"]:
        tower["size"][2] = 40.0  # its middle is in view of a camera that looks down
    truth = tmp_path / "truth.json"
    truth.write_text(json.dumps(document))
    run(rooms, "--truth", str(truth), "--out", str(tmp_path / "out"))
    page = (tmp_path / "out" / "report" / "index.html").read_text()
    assert page.count("data:image/jpeg") >= 2
    assert "is not shown" not in caplog.text


def test_without_a_truth_the_way_to_one_is_said(rooms: Path) -> None:
    done = CliRunner().invoke(app, ["eval", "map", "--memory-root", str(rooms), "-m", "room"])
    assert done.exit_code == 1
    assert "--template" in done.stderr
