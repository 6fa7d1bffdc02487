from __future__ import annotations

import os

import pytest

from scenemind.cli.user import user_name


def test_a_user_without_a_name_has_a_number(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a container that is run with `--user 54321`."""
    monkeypatch.setattr(os, "getuid", lambda: 54321)
    for name in ("LOGNAME", "USER", "LNAME", "USERNAME"):
        monkeypatch.delenv(name, raising=False)
    assert user_name() == "user 54321"
    monkeypatch.setenv("USER", "anna")
    assert user_name() == "anna"
