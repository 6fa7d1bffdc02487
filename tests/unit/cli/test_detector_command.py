"""`scenemind detector export`."""

from __future__ import annotations

import importlib.util
import json
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
    assert "scenemind[ultralytics]" in text
    assert list(tmp_path.iterdir()) == []


def test_get_lists_what_is_known_and_says_where_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCENEMIND_CACHE", str(tmp_path))
    monkeypatch.setenv("SCENEMIND_OFFLINE", "1")

    def got(*arguments: str) -> tuple[int, str]:
        result = CliRunner().invoke(app, ["detector", "get", *arguments])
        return result.exit_code, " ".join(result.output.split())

    code, text = got("--json")
    assert code == 0
    rows = {row["name"]: row for row in json.loads(text)["weights"]}
    assert rows["ViT-B-32.pt"]["licence"] == "MIT"
    assert len(rows["sam_vit_b_01ec64.pth"]["sha256"]) == 64
    code, text = got("yoloe-26n-seg")
    assert code == 1
    assert "--accept-unpinned" in text
    place = tmp_path / "weights" / "yoloe-26n-seg.pt"
    place.parent.mkdir()
    place.write_bytes(b"weights")
    code, text = got("yoloe-26n-seg", "--accept-unpinned")
    assert code == 0
    for word in ("AGPL-3.0", "github.com/ultralytics", str(place)):
        assert word in text
    assert "no SHA-256" in got("yoloe-26n-seg", "--sha256", "abc")[1]
    assert "did you mean yoloe-26n-seg.pt" in got("yoloe-26n-sg")[1]


@pytest.mark.extras
def test_export_writes_both_formats(tmp_path: Path) -> None:
    path = tmp_path / "new" / "yoloe.onnx"
    code, text = run("yoloe-26n-seg.yaml", "--out", str(path), "--slots", "8", "--size", "192x256")
    assert code == 0, text
    assert sorted(p.suffix for p in path.parent.iterdir()) == [".bin", ".onnx", ".xml"]
    assert str(path) in text
