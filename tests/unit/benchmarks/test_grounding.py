"""The bench of grounding in images: its keys, and that every stage is in them."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from benchmarks.__main__ import app


def test_output_has_all_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmarks.grounding._ROUND_FRAMES", 40)
    small = ("--frames", "40", "--queries", "2")
    result = CliRunner().invoke(app, ["grounding", *small, "--json"])
    assert result.exit_code == 0, result.output
    measured = json.loads(result.stdout.splitlines()[-1])
    assert measured["machinery_ms_max"] >= measured["machinery_ms"] > 0.0
    stages = measured["stages_ms"]
    assert {"analyze", "preselect", "stitch", "look", "measure"} <= set(stages)
    assert sum(stages.values()) == pytest.approx(measured["machinery_ms"], rel=0.5)
    assert measured["frames"] >= 40
    assert measured["images"] >= 1
    assert measured["views"] >= 1
    assert {"machine", "versions"} <= set(measured)
