"""A mapped room for commands that only read it."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from scenemind.cli.main import app


@pytest.fixture(scope="session")
def rooms(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder with the memory `room` of the first frames of a simulated room."""
    folder = tmp_path_factory.mktemp("rooms")
    line = ["map", "sim:1", "--memory", "room", "--memory-root", str(folder), "--frames", "12"]
    result = CliRunner().invoke(app, line)
    assert result.exit_code == 0, result.output
    return folder
