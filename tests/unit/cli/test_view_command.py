"""`scenemind view` without a browser; tests/system/test_view.py has the tests with one."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest
from typer.testing import CliRunner

from scenemind.cli.main import app
from scenemind.viewer import browser_view


@pytest.mark.parametrize(
    ("host", "local"),
    [
        ("127.0.0.1", True),
        ("127.1.2.3", True),
        ("::1", True),
        ("localhost", True),
        ("0.0.0.0", False),
        ("::", False),
        ("192.168.1.7", False),
        ("robot", False),
        ("", False),
    ],
)
def test_only_addresses_of_this_machine_need_no_link(host: str, local: bool) -> None:
    gate = pytest.importorskip("scenemind.viewer.gate", reason="no viser")
    assert gate.is_local(host) == local


def test_printed_address_is_valid() -> None:
    view_address = pytest.importorskip("scenemind.viewer.viewer", reason="no viser").view_address
    assert view_address("127.0.0.1", 8080, "") == "http://127.0.0.1:8080/"
    assert view_address("::1", 8080, "") == "http://[::1]:8080/"
    assert view_address("10.0.0.7", 81, "secret") == "http://10.0.0.7:81/?link=secret"
    everywhere = view_address("0.0.0.0", 81, "secret")
    assert re.fullmatch(r"http://[^/:]+:81/\?link=secret", everywhere)
    assert "0.0.0.0" not in everywhere


def refusal(*arguments: str) -> str:
    result = CliRunner().invoke(app, ["view", *arguments])
    assert result.exit_code == 1
    return " ".join(result.stderr.split())


def test_error_names_a_missing_memory(tmp_path: Path) -> None:
    assert "there is no memory nowhere" in refusal(
        "--memory", "nowhere", "--memory-root", str(tmp_path)
    )


def test_running_nodes_have_models_of_their_own() -> None:
    assert "--live takes no --model" in refusal("--live", "--model", "gpt")


def test_error_names_viser_where_it_is_missing(
    rooms: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in sys.modules if name.split(".")[0] == "viser"]:
        monkeypatch.delitem(sys.modules, name)
    for name in [name for name in sys.modules if name.startswith("scenemind.viewer.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "viser", None)
    said = refusal("--memory", "room", "--memory-root", str(rooms))
    assert "pip install -e" in said
    assert "scenemind[view]" in said


def test_browser_is_opened_only_on_a_desktop(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sys, "platform", "linux")
    assert not browser_view.has_display()
    monkeypatch.setenv("DISPLAY", ":0")
    assert browser_view.has_display()


@contextmanager
def served(rooms: Path, *arguments: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """The address that it prints, and the process, which ends cleanly when it is interrupted."""
    pytest.importorskip("viser")
    command = [
        sys.executable,
        "-m",
        "scenemind.cli.main",
        "view",
        "--memory",
        "room",
        "--port",
        "0",
    ]
    command += ["--memory-root", str(rooms), "--no-browser", *arguments]
    view = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ.copy()
    )
    assert view.stdout is not None
    assert view.stderr is not None
    try:
        line = view.stdout.readline()
        found = re.search(r"http://\S+", line)
        assert found, view.stderr.read()
        yield found[0], view
    finally:
        view.send_signal(signal.SIGINT)
        assert view.wait(60.0) == 0, view.stderr.read()
        view.stdout.close()
        view.stderr.close()


def test_the_page_is_served_to_this_machine(rooms: Path) -> None:
    with served(rooms) as (address, _), urlopen(address, timeout=30.0) as page:
        assert b"<html" in page.read()


def test_another_address_wants_the_link_that_it_prints(rooms: Path) -> None:
    with served(rooms, "--host", "0.0.0.0") as (address, view):
        link = re.search(r"\?link=([0-9a-f]{32})$", address)
        assert link
        port = re.search(r":(\d+)/", address)
        assert port
        here = f"http://127.0.0.1:{port[1]}/"
        with pytest.raises(HTTPError, match="403"):
            urlopen(here, timeout=30.0)
        with urlopen(f"{here}?link={link[1]}", timeout=30.0) as page:
            assert page.headers["Set-Cookie"].startswith("scenemind_view_")
        with pytest.raises(HTTPError, match="403"):
            urlopen(f"{here}?link={link[1]}", timeout=30.0)
        assert view.stdout is not None
        assert view.stdout.readline() == "Ctrl-C ends it.\n"
        following = re.search(r"\?link=([0-9a-f]{32})$", view.stdout.readline())
        assert following
        with urlopen(f"{here}?link={following[1]}", timeout=30.0) as page:
            assert page.headers["Set-Cookie"]


def test_an_open_view_blocks_no_command(rooms: Path) -> None:
    named = ["--memory", "room", "--memory-root", str(rooms)]
    with served(rooms) as (address, _):
        with urlopen(address, timeout=30.0) as page:
            assert b"<html" in page.read()
        for command in (
            ["ask", "how many chairs are there?"],
            ["align", "object 1 is a stool"],
            ["map", "sim:1:start=60", "--extend", "--frames", "4"],
            ["align", "undo that"],
        ):
            result = CliRunner().invoke(app, [*command, *named])
            assert result.exit_code == 0, (command, result.output, result.stderr)
