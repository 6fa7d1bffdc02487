"""Words and their vectors from the command line."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from scenemind.cli import detectors as vocabulary_command
from scenemind.cli.main import app
from scenemind.perception.text import default_vocabulary


def run(*arguments: object) -> tuple[int, str]:
    """Exit status, and both outputs together."""
    result = CliRunner().invoke(app, ["vocabulary", *map(str, arguments)])
    return result.exit_code, result.output


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCENEMIND_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Requests that would go to the running nodes."""
    requests: list[Any] = []
    monkeypatch.setattr(
        vocabulary_command, "run_live", lambda *request, **more: requests.append((request, more))
    )
    return requests


def published(folder: Path) -> tuple[Path, Path]:
    np.save(folder / "words.npy", np.eye(2, 512, dtype=np.float16))
    (folder / "words.txt").write_text("chair\nunicorn\n", encoding="utf-8")
    return folder / "words.npy", folder / "words.txt"


def test_imported_words_are_listed_as_present(tmp_path: Path) -> None:
    status, output = run("import", *published(tmp_path))
    assert status == 0, output
    assert "added 2 words; 2 of clip_vit_b32" in output
    assert "added 0 words" in run("import", *published(tmp_path))[1]
    status, output = run("list", "--json")
    listed = json.loads(output.splitlines()[-1])
    assert listed["vocabulary"] == list(default_vocabulary())
    assert listed["embedded"] == ["chair"]
    status, output = run("list")
    assert f"{len(default_vocabulary())} words, 1 with a vector" in output
    assert "0 with a vector" in run("list", "--encoder", "mobileclip")[1]


def test_present_words_are_not_embedded_again(tmp_path: Path) -> None:
    run("import", *published(tmp_path))
    status, output = run("embed", "Chair", "unicorn", "--json")
    assert status == 0, output
    assert json.loads(output.splitlines()[-1])["added"] == 0


def test_the_words_of_the_settings_are_listed(tmp_path: Path) -> None:
    settings = tmp_path / "settings.yaml"
    settings.write_text("detector: {vocabulary: [Lamp, '[red] box']}", encoding="utf-8")
    status, output = run("list", "--config", settings)
    assert status == 0, output
    assert "lamp" in output
    assert "[red] box" in output


@pytest.mark.parametrize(
    ("arguments", "labels"),
    [
        (("Chair", "fire extinguisher", "chair"), ("chair", "fire extinguisher")),
        (("--default",), default_vocabulary()),
        (("--file", "words.txt"), ("cup", "a; rm -rf $home")),
    ],
)
def test_words_go_to_the_running_nodes_as_data(
    arguments: tuple[str, ...], labels: tuple[str, ...], sent: list[Any],
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    Path("words.txt").write_text("Cup\n\na; rm -rf $HOME\n", encoding="utf-8")
    assert run("set", *arguments)[0] == 0
    assert sent == [(("set_vocabulary", ""), {"labels": labels, "as_json": False})]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("set",), "takes one of"),
        (("set", "cup", "--default"), "takes one of"),
        (("set", "cup", "?!"), "'?!' is no name"),
        (("set", "--file", "missing.txt"), "cannot read missing.txt"),
        (("embed", "cup", "--file", "words.txt"), "takes one of"),
        (("embed", "cup", "--encoder", "t5"), "'t5'"),
        (("import", "missing.npy", "missing.txt"), "missing.npy"),
        (("list", "--encoder", "t5"), "'t5'"),
    ],
)
def test_invalid_requests_are_an_error(
    arguments: tuple[str, ...], said: str, sent: list[Any]
) -> None:
    status, output = run(*arguments)
    assert status == 1
    assert said in output
    assert "Traceback" not in output
    assert sent == []


def test_a_pipe_is_not_waited_for_and_no_list_is_without_end(
    sent: list[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe")
    Path("endless.txt").write_bytes(b"x" * 2_000_000)
    for name, said in (("pipe", "no regular file"), ("endless.txt", "has 2000000 bytes")):
        status, output = run("set", "--file", name)
        assert status == 1
        assert f"cannot read {name}" in output
        assert said in " ".join(output.split())
    assert sent == []
