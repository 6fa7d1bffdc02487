"""`scenemind detector export`."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest
from typer.testing import CliRunner

from scenemind.cli.main import app


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["detector", "export", *arguments])
    return result.exit_code, result.output


@pytest.mark.parametrize("size", ["640", "480x", "axb", "-32x64"])
def test_error_names_an_invalid_size(size: str, tmp_path: Path) -> None:
    code, text = run("yoloe-26n-seg", "--out", str(tmp_path / "a.onnx"), f"--size={size}")
    assert code == 1
    assert f"{size!r} is no HEIGHTxWIDTH" in text


@pytest.mark.skipif(importlib.util.find_spec("torch") is not None, reason="torch is installed here")
def test_error_without_the_extra_says_what_to_install(tmp_path: Path) -> None:
    code, text = run("yoloe-26n-seg.yaml", "--out", str(tmp_path / "a.onnx"))
    assert code == 1
    assert "pip install 'scenemind[ultralytics]'" in text
    assert list(tmp_path.iterdir()) == []


@pytest.mark.extras
def test_export_writes_both_formats(tmp_path: Path) -> None:
    path = tmp_path / "new" / "yoloe.onnx"
    code, text = run("yoloe-26n-seg.yaml", "--out", str(path), "--slots", "8", "--size", "192x256")
    assert code == 0, text
    assert sorted(p.suffix for p in path.parent.iterdir()) == [".bin", ".onnx", ".xml"]
    assert str(path) in text
