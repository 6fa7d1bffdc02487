"""Options without an effect on a benchmark are refused, not ignored."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from scenemind.cli.main import app


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ("simulation --live sim:1 --judge gpt-4", "--live takes no --judge: leave it out"),
        ("simulation --live sim:1 --no-report", "--live takes no --report"),
        ("alignment --workers 2 --budget 1", "alignment takes no --workers, --budget"),
        ("simulation --data rows.json", "simulation takes no --data"),
        ("nr3d --rooms 3", "nr3d takes no --rooms"),
        ("nr3d --no-clicks --scene kitchen", "nr3d takes no --scene, --clicks"),
        ("nr4d", "there is no benchmark 'nr4d'; there are scanrefer, nr3d"),
        ("nr4d", "simulation, alignment, map"),
        ("nr3d --truth boxes.json --template", "nr3d takes no --truth, --template"),
        ("map --truth boxes.json --method memtree", "map takes no --method"),
    ],
)
def test_error_names_the_option(typed: str, message: str) -> None:
    result = CliRunner().invoke(app, ["eval", *typed.split()])
    assert result.exit_code == 1, result.output
    assert message in result.stderr


def test_defaults_are_no_error() -> None:
    result = CliRunner().invoke(app, ["eval", "nr3d"])
    assert "nr3d needs --data" in result.stderr
