"""Files of strangers: only regular ones, and bounded before they are unpacked."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest

from scenemind.exchange import ExchangeError, load_objects
from scenemind.untrusted import load_json, read_regular


@pytest.mark.parametrize("follow", [True, False])
def test_a_pipe_is_no_file_and_nobody_waits_for_it(tmp_path: Path, follow: bool) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="no regular file"):
        read_regular(tmp_path / "pipe", 100, follow=follow)


def test_a_name_with_a_null_byte_is_that_of_no_file() -> None:
    with pytest.raises(FileNotFoundError, match="null byte"):
        read_regular(Path("a\0b"), 10)


def test_a_link_is_read_only_where_it_may_be_followed(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"text")
    (tmp_path / "link").symlink_to("file")
    assert read_regular(tmp_path / "link", 4, follow=True) == b"text"
    with pytest.raises(OSError, match="no regular file"):
        read_regular(tmp_path / "link", 4)
    with pytest.raises(OSError, match="4 bytes, more than 3"):
        read_regular(tmp_path / "file", 3)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (gzip.compress(b" " * 200_000_000, 1), "unpacks to more"),
        (b"[" * 100_000, "nested too deeply"),
        (b"[" + b"{}," * 5_000_000 + b"{}]", "values"),
        (b" " * 70_000_000, "more than"),
    ],
    ids=["gzip", "deep", "wide", "long"],
)
def test_json_without_end_is_refused(data: bytes, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        load_json(data)


def test_gzip_that_ends_early_is_an_error_of_the_file() -> None:
    with pytest.raises(OSError, match="damaged gzip"):
        load_json(gzip.compress(b"[1, 2, 3]")[:-4])


def test_objects_files_of_strangers_are_errors_in_words(tmp_path: Path) -> None:
    path = tmp_path / "objects.json"
    row = '{"id": 0, "label": "cup", "center": [0, 0, 0], "size": [1, 1, 1]}'
    path.write_text(f"[{','.join([row] * 100_001)}]")
    with pytest.raises(ExchangeError, match="100001 objects"):
        load_objects(path)
    path.write_text("[" * 100_000)
    with pytest.raises(ExchangeError, match="nested too deeply"):
        load_objects(path)
