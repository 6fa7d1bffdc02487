"""`scenemind bench transport`, small: frames get into the memory of another process."""

from __future__ import annotations

import json
from collections import Counter

from typer.testing import CliRunner

from scenemind.cli.main import app
from scenemind_ros.commands.bench_transport import _STREAMS, losses


def test_frames_get_into_the_memory_of_another_process() -> None:
    arguments = ["bench", "transport", "--seconds", "2", "--rate", "5", "--json"]
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 0, done.output
    result = json.loads(done.stdout.splitlines()[-1])
    assert result["sent"] == 10
    assert result["received"] + sum(result["lost"].values()) >= 10, "what is lost has a cause"
    assert 0.0 < result["latency_ms"] <= result["latency_ms_p99"]
    assert result["machine"]["cores"] >= 1


def test_losses_are_told_by_where_frames_went() -> None:
    counted = Counter(
        color_messages=60, depth_messages=55, instances_messages=60, odometry_messages=60
    )
    counted += Counter(replaced_by_newer=3, color_unmatched=5)
    assert losses(60, counted) == {
        "depth_on_the_way": 5,
        "replaced_by_newer": 3,
        "color_unmatched": 5,
    }
    assert losses(60, Counter({f"{name}_messages": 60 for name in _STREAMS})) == {}
