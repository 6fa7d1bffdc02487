"""The bench of scoring: its keys."""

from __future__ import annotations

import json

from typer.testing import CliRunner

from benchmarks.__main__ import app


def test_output_has_all_keys() -> None:
    result = CliRunner().invoke(app, ["evaluation", "--rows", "60", "--json"])
    assert result.exit_code == 0, result.output
    measured = json.loads(result.stdout.splitlines()[-1])
    assert measured["rows"] == 60
    for name in ("nr3d", "scanrefer", "sqa3d", "openeqa", "omni3d"):
        assert measured[f"{name}_s"] > 0.0
