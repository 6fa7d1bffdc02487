"""The programs in `examples/` and the first one of the README run as they are printed."""

from __future__ import annotations

import os
import re
import runpy
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.chat_exchange import Request
from tests.chat_server import ChatServer, say
from tests.unit.reasoning.chair_row import honest

FRAMES = 25  # of the recording: by then its cup is known


@pytest.fixture
def main_of(repository: Path) -> Callable[[str], Callable[..., None]]:
    """The function `main` of an example."""
    return lambda name: runpy.run_path(str(repository / "examples" / f"{name}.py"))["main"]


def test_every_example_has_a_test(repository: Path) -> None:
    here = Path(__file__).read_text(encoding="utf-8")
    for path in (repository / "examples").glob("*.py"):
        assert f'main_of("{path.stem}")' in here


def test_map_and_ask(main_of: Any, capsys: pytest.CaptureFixture[str]) -> None:
    main_of("map_and_ask")("sim:1:frames=12")
    output = capsys.readouterr().out
    assert re.search(r"^There are \d chairs", output, re.MULTILINE)
    assert re.search(r"^chair \d+ is at \(", output, re.MULTILINE)
    assert re.search(r"^frame \d+ shows it at \(", output, re.MULTILINE)


def test_camera_loop(main_of: Any, capsys: pytest.CaptureFixture[str]) -> None:
    main_of("camera_loop")(40)
    output = capsys.readouterr().out
    assert re.match(r"frame 39: \d+ ms, \d+ objects\nThe chair \(object \d+\) is next to", output)


def test_correct_and_replay(main_of: Any, capsys: pytest.CaptureFixture[str]) -> None:
    main_of("correct_and_replay")("sim:1:frames=12", "sim:1:frames=15")
    output = capsys.readouterr().out
    assert "is a stool.\n" in output
    assert "is made of oak - taken back\n" in output
    assert "1 made, 0 left out\n" in output


def test_ask_with_a_model(main_of: Any, capsys: pytest.CaptureFixture[str]) -> None:
    def reply(request: Request) -> str:
        if "response_format" in request.body:
            return honest(request)
        return "Thought: a guess\nAction: Final Answer\nAction Input: a cup\nObjects: 4"

    with ChatServer(say(reply)) as server:
        main_of("ask_with_a_model")(server.endpoint, "scripted")
        assert len(server.requests) >= 3
    output = capsys.readouterr().out
    assert re.search(r"^by (llm_tpc|memtree), \d calls", output, re.MULTILINE)
    assert "failed" not in output


@pytest.mark.slow
def test_the_program_of_the_readme(repository: Path, tmp_path: Path) -> None:
    readme = (repository / "README.md").read_text(encoding="utf-8")
    program = re.search(r"^```python\n(.*?)^```", readme, re.MULTILINE | re.DOTALL)
    assert program is not None
    done = subprocess.run(
        [sys.executable, "-c", program[1]],
        cwd=tmp_path,
        env={**os.environ, "SCENEMIND_HOME": str(tmp_path / "home")},
        capture_output=True,
        text=True,
        timeout=300.0,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert re.search(r"^mug Box3D\(center=", done.stdout, re.MULTILINE)
    assert (tmp_path / "home" / "room").is_dir()
