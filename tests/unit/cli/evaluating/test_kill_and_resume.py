"""A real run that is killed in the middle, resumed without loss of kept predictions."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from scenemind.cli.main import app
from tests.unit.evaluation import made
from tests.waiting import wait_until

ROWS = 600


@pytest.fixture
def command(tmp_path: Path) -> list[str]:
    rows = [made.zsvg3d_row("the chair closest to the desk")] * ROWS
    data = made.write_json(tmp_path, "nr3d.json", rows)
    objects = made.write_objects(tmp_path)
    files = ["--data", str(data), "--objects", str(objects)]
    return ["eval", "nr3d", *files, "--no-report", "--json"]


def lines(folder: Path) -> list[dict[str, Any]]:
    text = (folder / "predictions.jsonl").read_text()
    return [json.loads(line) for line in text.splitlines(keepends=True) if line.endswith("\n")]


def without_seconds(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{**one, "seconds": 0} for one in found]


def test_killed_and_resumed(tmp_path: Path, command: list[str]) -> None:
    out, whole = tmp_path / "killed", tmp_path / "whole"
    kept = out / "predictions.jsonl"
    start = [sys.executable, "-m", "scenemind.cli.main", *command, "--out", str(out)]
    with subprocess.Popen(start, stdout=subprocess.DEVNULL) as process:
        wait_until(lambda: kept.exists() and kept.stat().st_size > 20_000)
        process.send_signal(signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL
    before = lines(out)
    assert 0 < len(before) < ROWS

    again = CliRunner().invoke(app, [*command, "--out", str(out)])
    assert again.exit_code == 0, again.output
    assert f"{len(before)} of {ROWS} rows were answered before" in again.stderr
    after = lines(out)
    assert after[: len(before)] == before  # seconds too: nothing of it was asked again

    once = CliRunner().invoke(app, [*command, "--out", str(whole)])
    assert once.exit_code == 0, once.output
    assert without_seconds(after) == without_seconds(lines(whole))
    results = [json.loads(run.stdout.splitlines()[-1]) for run in (again, once)]
    assert results[0]["scores"] == results[1]["scores"]
