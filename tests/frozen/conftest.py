"""Values that must not change by accident: compared with `data/`, or written there (`--freeze`)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

_DATA = Path(__file__).parent / "data"


class FrozenValues:
    """The files of `data/`: JSON objects of named parts.

    Attributes:
        is_freezing: what is measured now replaces what was recorded.
    """

    def __init__(self, is_freezing: bool) -> None:
        self.is_freezing = is_freezing
        self._files: dict[str, dict[str, Any]] = {}
        self._changed: set[str] = set()

    def get(self, file: str, part: str, now: Any) -> Any:
        """The recorded value; `now`, where values are being recorded."""
        if self.is_freezing:
            self._content(file)[part] = json.loads(json.dumps(now))
            self._changed.add(file)
        assert part in self._content(file), f"{file} has no {part!r}: record it with --freeze"
        return self._content(file)[part]

    def recorded(self, file: str, part: str) -> Any:
        """The value as it was recorded last; None: never."""
        return self._content(file).get(part)

    def save(self) -> None:
        for file in self._changed:
            (_DATA / file).write_text(_as_text(self._files[file]), encoding="utf-8")

    def _content(self, file: str) -> dict[str, Any]:
        if file not in self._files:
            path = _DATA / file
            self._files[file] = json.loads(path.read_text("utf-8")) if path.exists() else {}
        return self._files[file]


@pytest.fixture(scope="session")
def all_rows(request: pytest.FixtureRequest) -> bool:
    """Whether everything is asked and mapped, not a fixed sample of it."""
    return bool(request.config.getoption("--all-rows"))


@pytest.fixture(scope="session")
def frozen(request: pytest.FixtureRequest) -> Iterator[FrozenValues]:
    values = FrozenValues(bool(request.config.getoption("--freeze")))
    yield values
    values.save()


def _as_text(content: dict[str, Any]) -> str:
    """JSON with one line for each entry of each part, so that differences are small."""
    return "{\n" + ",\n".join(_part(key, content[key]) for key in sorted(content)) + "\n}\n"


def _part(key: str, value: Any) -> str:
    if isinstance(value, dict):
        lines, brackets = [f"{_line(k)}: {_line(v)}" for k, v in value.items()], "{}"
    else:
        lines, brackets = [_line(v) for v in value], "[]"
    body = ",\n  ".join(lines)
    return f" {_line(key)}: {brackets[0]}\n  {body}\n {brackets[1]}"


def _line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
