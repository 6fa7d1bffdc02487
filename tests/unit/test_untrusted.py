"""Files of strangers: only regular ones, and bounded before they are unpacked."""

from __future__ import annotations

import gzip
import os
import zipfile
from copy import copy
from pathlib import Path

import pytest

from scenemind.exchange import ExchangeError, load_objects
from scenemind.untrusted import check_archive, load_json, read_regular


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


def archive(path: Path, method: int) -> Path:
    with zipfile.ZipFile(path, "w", method) as file:
        file.writestr("weights/data.pkl", b"P" * 1000)
        file.writestr("weights/data/0", bytes(2**20))
    return path


def test_an_archive_of_parts_as_they_are_is_read(tmp_path: Path) -> None:
    check_archive(archive(tmp_path / "weights.pt", zipfile.ZIP_STORED))
    (tmp_path / "old.pt").write_bytes(b"\x80\x02}q\x00.")
    check_archive(tmp_path / "old.pt")


def test_an_archive_that_unpacks_to_more_than_it_is_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="compressed"):
        check_archive(archive(tmp_path / "bomb.pt", zipfile.ZIP_DEFLATED))


def test_an_archive_whose_parts_lie_over_each_other_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "many.pt"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("weights/data/0", bytes(2**20))
        first = file.infolist()[0]
        for number in range(1, 50):  # further entries for the same bytes
            entry = copy(first)
            entry.filename = f"weights/data/{number}"
            file.filelist.append(entry)
    with pytest.raises(ValueError, match="larger than its"):
        check_archive(path)


def test_an_archive_without_its_end_is_no_archive(tmp_path: Path) -> None:
    path = archive(tmp_path / "weights.pt", zipfile.ZIP_STORED)
    path.write_bytes(path.read_bytes()[:-60])
    check_archive(path)


def test_objects_files_of_strangers_are_errors_in_words(tmp_path: Path) -> None:
    path = tmp_path / "objects.json"
    row = '{"id": 0, "label": "cup", "center": [0, 0, 0], "size": [1, 1, 1]}'
    path.write_text(f"[{','.join([row] * 100_001)}]")
    with pytest.raises(ExchangeError, match="100001 objects"):
        load_objects(path)
    path.write_text("[" * 100_000)
    with pytest.raises(ExchangeError, match="nested too deeply"):
        load_objects(path)
