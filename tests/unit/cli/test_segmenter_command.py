"""`scenemind segmenter export`."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from scenemind.cli.main import app


def test_error_of_export_is_one_sentence(tmp_path: Path) -> None:
    """With the extra the file is missing; without it no file can be read."""
    missing = tmp_path / "sam.pth"
    result = CliRunner().invoke(app, ["segmenter", "export", str(missing), "--out", str(tmp_path)])
    assert result.exit_code == 1
    assert result.stderr.startswith("scenemind: ")
    assert "sam.pth" in result.stderr or "scenemind[segment]" in result.stderr


def test_missing_packages_are_an_error_before_weights_are_sought(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Weights may be gigabytes to download."""
    monkeypatch.setitem(sys.modules, "onnx", None)
    missing = tmp_path / "sam.pth"
    result = CliRunner().invoke(app, ["segmenter", "export", str(missing), "--out", str(tmp_path)])
    assert result.exit_code == 1
    assert "exporting SAM needs the extra" in " ".join(result.stderr.split())


@pytest.mark.extras
def test_two_files_are_written_and_the_setting_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "sam"
    result = CliRunner().invoke(
        app, ["segmenter", "export", "mobile_sam.yaml", "--out", str(folder)]
    )
    assert result.exit_code == 0, result.output
    assert {path.name for path in folder.iterdir()} == {
        "mobile_sam_random_weights_encoder.onnx",
        "mobile_sam_random_weights_decoder.onnx",
    }
    assert f"set vlm_grounder.segmenter.weights to {folder}" in result.stdout
