"""What `make setup` prints while it works."""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

TOOLS = Path(__file__).parents[2] / "tools"


@pytest.fixture
def setup(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ModuleType:
    monkeypatch.syspath_prepend(str(TOOLS))
    found = importlib.util.spec_from_file_location("setup_workspace", TOOLS / "setup_workspace.py")
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    monkeypatch.setattr(module, "WORKSPACE", tmp_path)
    return module


def test_a_step_says_what_it_does_how_long_that_takes_and_that_it_goes_on(
    setup: ModuleType,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    monkeypatch.setattr(setup, "SIGN_OF_LIFE_S", 0.05)
    # The command ends when it reads a byte, which is sent when a sign of life is printed.
    go = tmp_path / "go"
    os.mkfifo(go)
    sender = os.open(go, os.O_RDWR)

    def heard(*said: str, **how: Any) -> None:
        print(*said, **how)
        if said == (".",):
            os.write(sender, b"g")

    monkeypatch.setattr(setup, "print", heard, raising=False)
    waits = f"open({str(go)!r}, 'rb', buffering=0).read(1); print('built')"
    with setup.step("messages compiled", "about three minutes"):
        assert setup.run([sys.executable, "-c", waits], os.environ) == "built\n"
    os.close(sender)
    printed = capsys.readouterr().out
    assert printed.startswith("  messages compiled (about three minutes) .")
    assert printed.endswith(" s\n")


def test_a_command_that_fails_ends_it_with_its_last_words(setup: ModuleType) -> None:
    fails = "import sys; print('no such package'); sys.exit(3)"
    with pytest.raises(setup.SetupError, match=r"(?s)no network.*no such package"):
        setup.run([sys.executable, "-c", fails], os.environ, "no network")
