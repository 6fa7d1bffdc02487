"""`python -m benchmarks view`, small and without a browser."""

from __future__ import annotations

import json
import sys
from importlib.util import find_spec
from typing import Any

import pytest
from typer.testing import CliRunner

from benchmarks.__main__ import app
from benchmarks.view import ThinnedCloud
from scenemind.config import SceneMindConfig
from scenemind.errors import UsageError
from scenemind.memory import Memory
from tests.unit.viewer.room import map_room

needs_viser = pytest.mark.skipif(find_spec("viser") is None, reason="viser is not installed")


def bench(*arguments: str) -> dict[str, Any]:
    result = CliRunner().invoke(app, ["view", *arguments, "--json"])
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout.splitlines()[-1])


@needs_viser
def test_bench_measures_the_requested_numbers_of_points() -> None:
    small = ("--objects", "25", "--points", "3000", "--rounds", "1", "--no-browser")
    measured = bench(*small)
    assert (measured["building"], measured["objects"], measured["points"]) == (
        "simulated", 25, 3000,
    )  # fmt: skip
    server = measured["server"]
    assert all(value > 0.0 for value in server.values())
    # 12 bytes of place and 3 of colour a point; what is around them is small.
    assert 0.045 < server["client_mb"] < 0.3
    assert max(server["mark_kb"], server["said_kb"]) < 1e3 * server["client_mb"]
    assert "browser" not in measured
    assert {"machine", "versions"} <= measured.keys()


def test_fewer_points_than_were_wanted_are_refused() -> None:
    with Memory.create(None, SceneMindConfig()) as memory:
        map_room(memory, frame_count=3)
        with pytest.raises(UsageError, match="choose fewer --points"):
            ThinnedCloud(10_000_000).update(memory)


def test_bench_without_viser_is_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "viser", None)
    result = CliRunner().invoke(app, ["view", "--json"])
    assert result.exit_code == 0
    assert "SKIPPED: viser is not installed" in result.stderr
    assert "viser" in json.loads(result.stdout.splitlines()[-1])["skipped"]
