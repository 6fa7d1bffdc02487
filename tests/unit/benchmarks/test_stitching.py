"""The bench of stitching: its keys, and that every id on its sheets is read."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from benchmarks.__main__ import app


def test_output_has_all_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmarks.stitching._VIEWS", 2)
    result = CliRunner().invoke(app, ["stitching", "--rounds", "1", "--json"])
    assert result.exit_code == 0, result.output
    measured = json.loads(result.stdout.splitlines()[-1])
    for size in ("640x480", "1296x968"):
        assert measured[f"s_84_{size}"] > 0.0
        assert measured[f"ids_read_{size}"] == 1.0
    assert measured["sheets"] == {"4x1": 1, "8x2": 5}
    assert {"machine", "versions"} <= set(measured)
