"""Files of strangers: only regular ones, and bounded before they are unpacked."""

from __future__ import annotations

import gzip
import os
import zipfile
from copy import copy
from pathlib import Path

import pytest

from scenemind.exchange import ExchangeError, load_objects
from scenemind.untrusted import check_archive, check_yaml, load_json, read_regular


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


@pytest.mark.parametrize("is_large", [False, True])
def test_an_archive_of_parts_without_end_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_large: bool
) -> None:
    if is_large:  # written as one of more parts than the usual end can tell
        monkeypatch.setattr(zipfile, "ZIP_FILECOUNT_LIMIT", 1)
    path = tmp_path / "weights.pt"
    with zipfile.ZipFile(path, "w") as archive:
        for number in range(500):
            archive.writestr(f"archive/data/{number}", b"")
        archive.comment = b"a comment" * 100
    check_archive(path)
    monkeypatch.setattr("scenemind.untrusted._LONGEST_DIRECTORY", 20_000)
    with pytest.raises(ValueError, match="far more parts"):
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


def yaml_bomb(join: str) -> str:
    """Seven levels, each of ten times the one before."""
    lines = ["a0: &a0 {x: 1}"]
    for n in range(1, 8):
        many = ", ".join([f"*a{n - 1}"] * 10)
        lines.append(f"a{n}: &a{n} {join.format(many)}")
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (yaml_bomb("[{}]"), "by reference"),
        (yaml_bomb("{{<<: [{}]}}"), "by reference"),  # PyYAML copies what it merges
        ("[" * 100_000, "too deeply"),
        ("fx: 1" + ":59" * 10_000, "without quotes"),  # a number of base 60
    ],
)
def test_yaml_without_end_is_refused(text: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        check_yaml(text)


def test_yaml_of_recorders_is_not_refused() -> None:
    check_yaml(f"a: {{b: [1, 2.5]}}\nlong: |\n  {'x' * 20_000}\nquoted: '{'9' * 20_000}'\n")
