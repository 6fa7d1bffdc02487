"""How long the keys of a pickle take to hash, told without reading it into objects.

A tuple of the same tuple twice, and so on, takes a byte or three a level and twice as long to hash
at each: 32 levels take minutes, in which nothing can interrupt Python. torch's safe reader builds
dictionaries with such keys too.
"""

from __future__ import annotations

import pickletools
import zipfile
from pathlib import Path
from typing import IO, Any

_CONTENT = "data.pkl"
_MOST_BYTES = 8 * 2**20  # models have one or two; a megabyte takes half a second
_MOST_HASHED = 20_000_000  # values, about half a second
_KEEPS = frozenset(
    ("TUPLE", "TUPLE1", "TUPLE2", "TUPLE3", "FROZENSET", "REDUCE", "NEWOBJ", "BUILD")
)
_HASHES = frozenset(("SETITEM", "SETITEMS", "ADDITEMS", "FROZENSET", "DICT", "BINPERSID"))
_PUTS = frozenset(("PUT", "BINPUT", "LONG_BINPUT"))
_GETS = frozenset(("GET", "BINGET", "LONG_BINGET"))


def check_keys(path: Path) -> None:
    """Check the pickles of a file of torch.

    Raises:
        ValueError: it is no ZIP file, as torch has written them since 2020, it is damaged, or
            hashing takes long.
        OSError: it cannot be read.
    """
    if not zipfile.is_zipfile(path):
        raise ValueError("it is not of the form that torch.save writes since 2020")
    try:
        with zipfile.ZipFile(path) as archive:
            for part in archive.infolist():
                if part.filename.endswith(_CONTENT):
                    if part.file_size > _MOST_BYTES:
                        raise ValueError(f"its description has {part.file_size} bytes")
                    with archive.open(part) as file:
                        _check(file)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError) as error:
        raise ValueError(f"it is a damaged archive: {error}") from error


def _check(file: IO[bytes]) -> None:
    try:
        hashed = _hashed(file)
    except (KeyError, IndexError, ValueError) as error:
        raise ValueError(f"its description is damaged: {error}") from error
    if hashed > _MOST_HASHED:
        raise ValueError("its keys repeat themselves without end")


def _hashed(file: IO[bytes]) -> int:
    """How many values are hashed at most, counted until they are too many.

    What the pickle puts on the stack is followed, by how many values hashing each takes.
    """
    stack: list[int] = []
    marks: list[int] = []  # where on the stack slices begin
    memo: dict[Any, int] = {}
    hashed = 0
    for opcode, value, _ in pickletools.genops(file):
        name = opcode.name
        if name in _GETS:
            stack.append(memo[value])
        elif name in _PUTS:
            memo[value] = stack[-1]
        elif name == "MEMOIZE":
            memo[len(memo)] = stack[-1]
        elif name == "MARK":
            marks.append(len(stack))
        elif name == "DUP":
            stack.append(stack[-1])
        else:
            cost = 1 + sum(_taken(stack, marks, opcode.stack_before))
            hashed += cost if name in _HASHES else 0
            stack += [cost if name in _KEEPS else 1] * len(opcode.stack_after)
        if hashed > _MOST_HASHED or (stack and stack[-1] > _MOST_HASHED):
            return _MOST_HASHED + 1
    return hashed


def _taken(stack: list[int], marks: list[int], kinds: list[Any]) -> list[int]:
    """What an operation takes off the stack: to the last mark, where it takes a slice."""
    if pickletools.markobject in kinds:
        begin = marks.pop() - kinds.index(pickletools.markobject)  # with what lies below the mark
    else:
        begin = len(stack) - len(kinds)
    if begin < 0:
        raise IndexError("an operation without its values")
    taken = stack[begin:]
    del stack[begin:]
    return taken
