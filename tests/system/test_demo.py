"""The demo as it is typed, on a shortened simulated room: nodes, questions, report, exit status."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import scenemind
from scenemind.config import SceneMindConfig
from scenemind.memory import Memory

FRAMES = 40
SCENEMIND = Path(sys.executable).with_name("scenemind")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report's folder."""
    folder = tmp_path_factory.mktemp("demo") / "report"
    command = [SCENEMIND, "demo", "--frames", str(FRAMES), "--report", folder]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=180, env=_plain_environment()
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{FRAMES} frames processed, 0 dropped" in done.stdout
    assert f'scenemind ask "..." -m {folder / "memory"}' in done.stdout
    return folder


@pytest.fixture(scope="module")
def record(folder: Path) -> Any:
    return json.loads((folder / "report.json").read_text(encoding="utf-8"))


def _plain_environment() -> dict[str, str]:
    """The environment of a person's shell, without the ROS variables of this test."""
    return {name: value for name, value in os.environ.items() if name != "RECORDING"}


def test_every_step_was_right(record: Any) -> None:
    assert len(record["steps"]) >= 8
    assert [step for step in record["steps"] if not step["ok"]] == []


def test_all_kinds_of_requests_were_made(record: Any) -> None:
    names = {step["name"] for step in record["steps"]}
    assert names >= {
        "is there", "how many", "where is", "what is on", "what is next to", "what colour",
        "which is closest", "ground (attribute)", "ground (closest to)", "align",
        "ask by the new name", "undo", "ask for the undone name", "ask by the old name",
    }  # fmt: skip


def test_record_has_the_documented_keys(record: Any) -> None:
    assert (record["frames"], record["dropped"], record["simulated"]) == (FRAMES, 0, True)
    assert record["sequence"] == "simulated room (seed 1)"
    assert record["objects"] == len(record["labels"]) > 10
    assert {"detect", "track", "lift", "fuse"} <= set(record["stages_ms"])
    for step in record["steps"]:
        assert {"name", "ok", "answer", "expected", "seconds"} <= set(step)


def test_the_map_meets_the_room(record: Any) -> None:
    seen = [item["iou"] for item in record["truth"] if item["seen"]]
    assert sum(iou >= 0.25 for iou in seen) >= 0.8 * len(seen)


def test_the_page_has_all_parts(folder: Path, record: Any) -> None:
    page = (folder / "index.html").read_text(encoding="utf-8")
    for part in ("map", "questions", "objects", "truth", "timings", "drops", "locations"):
        assert f'<section id="{part}">' in page
    assert "SIMULATED" in page
    assert page.count("<article") == len(record["steps"])
    assert page.count("data:image/jpeg;base64,") >= len(record["steps"]) / 2


def test_nothing_is_left_running(folder: Path) -> None:
    """A process would hold the lock of the memory, which can be asked again."""
    with scenemind.open(folder / "memory") as scene:
        assert scene.ask("is there a dining table?").text.startswith("Yes")


def test_logs_of_the_nodes_are_kept(folder: Path) -> None:
    assert "playing simulated room" in (folder / "logs" / "sequence_player.log").read_text()
    assert (folder / "logs" / "scenemind_node.log").stat().st_size > 0


def test_a_recorded_sequence_is_mapped_with_a_real_detector(
    shared_data: Path, tmp_path: Path
) -> None:
    sequence = shared_data / "sequences" / "hololens"
    weights = shared_data / "weights" / "yolox_nano.onnx"
    command = [SCENEMIND, "demo", "--frames", "15", "--detector", weights, "--report", tmp_path]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=180,
        env={**_plain_environment(), "RECORDING": str(sequence)},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    record = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    assert (record["frames"], record["dropped"], record["simulated"]) == (15, 0, False)
    assert record["detector"].startswith("yolox_nano")
    assert len(record["steps"]) >= 8
    assert "SIMULATED" not in (tmp_path / "index.html").read_text(encoding="utf-8")


def test_an_interrupted_demo_takes_its_nodes_with_it(tmp_path: Path) -> None:
    demo = subprocess.Popen([SCENEMIND, "demo", "--report", tmp_path], env=_plain_environment())
    log = tmp_path / "logs" / "sequence_player.log"
    deadline = time.monotonic() + 60.0
    while not (log.is_file() and "playing" in log.read_text()):
        assert time.monotonic() < deadline
        time.sleep(0.1)
    demo.send_signal(signal.SIGINT)
    assert demo.wait(60.0) == 130
    # The memory is locked as long as a node has it open.
    Memory.open(tmp_path / "memory", SceneMindConfig()).close()


def test_error_names_a_missing_sequence(tmp_path: Path) -> None:
    done = subprocess.run(
        [SCENEMIND, "demo", "/no/such/place"],
        capture_output=True, text=True, check=False, timeout=60, cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 1
    assert "/no/such/place" in done.stderr
    assert "Traceback" not in done.stderr
