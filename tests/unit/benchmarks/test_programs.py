"""The bench of programs: its keys, and that its question is answered as it says."""

from __future__ import annotations

import json

from typer.testing import CliRunner

from benchmarks.__main__ import app


def test_output_has_all_keys() -> None:
    result = CliRunner().invoke(app, ["programs", "--rounds", "2", "--json"])
    assert result.exit_code == 0, result.output
    measured = json.loads(result.stdout.splitlines()[-1])
    for name in ("", "_right", "_checked"):
        assert measured[f"machinery_llm_tpc{name}_ms"] > 0.0
    assert measured["machinery_vadar_ms"] > 0.0
    assert measured["machinery_vadar_learning_ms"] > 0.0
    assert measured["sandbox_session_ms"] > 0.0
