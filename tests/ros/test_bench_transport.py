"""`scenemind bench transport`, small: frames get into the memory of another process."""

from __future__ import annotations

import json

from typer.testing import CliRunner

from scenemind.cli.main import app


def test_frames_get_into_the_memory_of_another_process() -> None:
    arguments = ["bench", "transport", "--seconds", "2", "--rate", "5", "--json"]
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 0, done.output
    result = json.loads(done.stdout.splitlines()[-1])
    assert result["sent"] == result["received"] == 10
    assert 0.0 < result["latency_ms"] <= result["latency_ms_p99"]
    assert result["machine"]["cores"] >= 1
