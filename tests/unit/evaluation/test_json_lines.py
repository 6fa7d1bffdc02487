"""Files of JSON lines, also after a writer was killed."""

from __future__ import annotations

from pathlib import Path

import pytest

from scenemind.evaluation import EvaluationError
from scenemind.evaluation.json_lines import JsonLines

VALUES = [{"row": "a", "said": "x\ny\u2028z"}, {"row": "b", "said": "\ud800 \u00e9"}]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "lines.jsonl"


def write(path: Path) -> bytes:
    with JsonLines(path) as lines:
        for value in VALUES:
            lines.add(value)
    return path.read_bytes()


def test_added_lines_are_read_when_the_file_is_opened_again(path: Path) -> None:
    write(path)
    with JsonLines(path) as lines:
        assert lines.values() == VALUES
        lines.add({"row": "c"})
        assert lines.values() == [*VALUES, {"row": "c"}]


def test_a_writer_killed_at_any_byte_loses_only_the_line_it_was_writing(path: Path) -> None:
    whole = write(path)
    first = whole.index(b"\n") + 1
    for length in range(len(whole) + 1):
        path.write_bytes(whole[:length])
        with JsonLines(path) as lines:
            kept = VALUES[: (length >= first) + (length == len(whole))]
            assert lines.values() == kept
            lines.add({"row": "c"})
            assert lines.values() == [*kept, {"row": "c"}]


def test_two_do_not_write_to_one_file(path: Path) -> None:
    with JsonLines(path), pytest.raises(EvaluationError, match="another run is writing to"):
        JsonLines(path)


def test_a_replaced_file_is_still_locked_and_added_to(path: Path) -> None:
    with JsonLines(path) as lines:
        lines.add(VALUES[0])
        lines.replace(VALUES[1:])
        lines.add(VALUES[0])
        assert lines.values() == [VALUES[1], VALUES[0]]
        with pytest.raises(EvaluationError, match="another run is writing to"):
            JsonLines(path)
    assert [one.name for one in path.parent.iterdir()] == [path.name]


@pytest.mark.parametrize("damage", [b"not JSON\n", b"[1]\n", b"[" * 100_000 + b"\n"])
def test_a_damaged_line_is_named(path: Path, damage: bytes) -> None:
    path.write_bytes(b"{}\n" + damage + b"{}\n")
    with JsonLines(path) as lines, pytest.raises(EvaluationError, match="line 2 is damaged"):
        lines.values()


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(EvaluationError, match=r"lines\.jsonl cannot be written: No such file"):
        JsonLines(tmp_path / "nowhere" / "lines.jsonl")
