"""A mapped room for commands that only read it, and Open3D for the tests that need it."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest
from typer.testing import CliRunner

from scenemind.cli.main import app
from scenemind.geometry.open3d import MissingOpen3DError, load_open3d


@pytest.fixture(scope="session")
def rooms(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder with the memory `room` of the first frames of a simulated room."""
    folder = tmp_path_factory.mktemp("rooms")
    line = ["map", "sim:1", "--memory", "room", "--memory-root", str(folder), "--frames", "12"]
    result = CliRunner().invoke(app, line)
    assert result.exit_code == 0, result.output
    return folder


@pytest.fixture(scope="session")
def open3d() -> ModuleType:
    """Open3D; the test is skipped where it is missing."""
    try:
        return load_open3d("this test")
    except MissingOpen3DError as error:
        pytest.skip(str(error))
