"""Keys of pickles that would take for ever to hash are told without hashing them."""

from __future__ import annotations

import pickle
import zipfile
from collections import OrderedDict
from pathlib import Path
from typing import Any

import pytest

from scenemind.perception.backends.pickled_keys import check_keys

LEVELS = 60
NESTED = b"K\x01" + b"".join(b"q%ch%c\x86" % (n, n) for n in range(LEVELS))  # ((1, 1), (1, 1)) ...
WIDE = b"K\x01" + b"".join(b"q%c(%bt" % (n, b"h%c" % n * 100) for n in range(5))


def saved(path: Path, pickled: bytes) -> Path:
    """As torch.save writes it."""
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("archive/data.pkl", pickled)
        archive.writestr("archive/version", "3\n")
    return path


@pytest.mark.parametrize(
    "pickled",
    [
        b"\x80\x02}" + NESTED + b"K\x01s.",
        b"\x80\x02}(K\x01K\x01" + NESTED + b"K\x01u.",
        b"\x80\x04\x8f(" + NESTED + b"\x90.",  # of a set
        b"\x80\x02}" + WIDE + b"K\x01s.",
        b"\x80\x02" + NESTED + b"Q.",  # the name of a storage
        b"\x80\x02}ccollections\nOrderedDict\n" + NESTED + b"\x85RK\x01s.",
    ],
    ids=["one", "some", "set", "wide", "storage", "made"],
)
def test_keys_that_repeat_themselves_are_refused(tmp_path: Path, pickled: bytes) -> None:
    with pytest.raises(ValueError, match="its keys repeat themselves without end"):
        check_keys(saved(tmp_path / "weights.pt", pickled))


@pytest.mark.parametrize("protocol", range(2, 6))
def test_other_pickles_pass(tmp_path: Path, protocol: int) -> None:
    same = (1, 2, (3, 4))
    values: list[Any] = [same, {same: same, "a": frozenset({1, same})}, {1, "b"}, [None, 2.5, b"x"]]
    content = OrderedDict((f"layer {n}", (values, n)) for n in range(3000))
    check_keys(saved(tmp_path / "weights.pt", pickle.dumps(content, protocol)))


@pytest.mark.parametrize("pickled", [b"", b"\x80\x02h\x05.", b"\x80\x02s.", b"\x80\x02(", b"u."])
def test_what_is_no_pickle_is_damaged(tmp_path: Path, pickled: bytes) -> None:
    with pytest.raises(ValueError, match="its description is damaged"):
        check_keys(saved(tmp_path / "weights.pt", pickled))


def test_other_archives_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "weights.pt"
    path.write_bytes(pickle.dumps({"a": 1}))
    with pytest.raises(ValueError, match="since 2020"):
        check_keys(path)
