"""The folder of what can be had again."""

from __future__ import annotations

from pathlib import Path

import pytest

from scenemind.perception.cache_root import cache_root


def test_it_is_in_the_home_unless_the_environment_says_otherwise(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    for unset in (None, ""):
        monkeypatch.delenv("SCENEMIND_CACHE", raising=False)
        if unset is not None:
            monkeypatch.setenv("SCENEMIND_CACHE", unset)
        assert cache_root() == tmp_path / ".cache/scenemind"
    monkeypatch.setenv("SCENEMIND_CACHE", "~/elsewhere")
    assert cache_root() == tmp_path / "elsewhere"
