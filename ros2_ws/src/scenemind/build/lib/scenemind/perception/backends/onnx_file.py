"""Where an ONNX file says that its tensors lie: in files of its own folder, or it is refused.

ONNX Runtime checks this since 1.24, which Python 3.10 cannot have; an older one reads any file of
the machine. Only the nesting of the format (onnx.proto3) is read here, without decoding a tensor.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from pathlib import Path

from scenemind.perception.types import PerceptionError
from scenemind.untrusted import open_regular

# Message -> number of a field -> the message in it; other fields are passed over.
_PARTS = {
    "model": {7: "graph", 20: "training", 25: "function"},
    "training": {1: "graph", 2: "graph"},
    "function": {7: "node", 11: "attribute"},
    "graph": {1: "node", 5: "tensor", 15: "sparse"},
    "node": {5: "attribute"},
    "attribute": {5: "tensor", 6: "graph", 10: "tensor", 11: "graph", 22: "sparse", 23: "sparse"},
    "sparse": {1: "tensor", 2: "tensor"},
    "tensor": {13: "entry"},
}
_KEY, _VALUE = 1, 2  # of an entry
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5  # kinds of fields in protobuf
_MOST_VARINT_BYTES = 10
_MOST_FIELDS = 5_000_000  # large models have some ten thousand


def check_external_data(path: Path) -> None:
    """Check that a model reads no file outside its folder.

    Raises:
        PerceptionError: it would, or is no ONNX file.
    """
    folder = path.resolve().parent
    try:
        with (
            open(open_regular(path, follow=True), "rb") as file,
            mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data,
        ):
            locations = set(_locations(data))
        for location in locations:
            if not (folder / location).resolve().is_relative_to(folder):
                raise PerceptionError(
                    f"{path} is refused: it would read {location!r}, which lies outside its folder"
                )
    except (OSError, ValueError) as error:  # also of an empty file
        raise PerceptionError(f"{path} does not load as an ONNX model: {error}") from error


def _locations(data: mmap.mmap) -> Iterator[str]:
    """
    Raises:
        ValueError: it is damaged, or larger than any model.
    """
    waiting = [("model", 0, len(data))]
    fields = 0
    while waiting:
        message, at, end = waiting.pop()
        parts = _PARTS.get(message, {})
        keys, values = set(), []
        while at < end:
            fields += 1
            number, start, at = _field(data, at, end)
            if message == "entry" and number == _KEY:
                keys.add(data[start:at])
            elif message == "entry" and number == _VALUE:
                values.append(data[start:at])
            elif number in parts:
                waiting.append((parts[number], start, at))
        if fields > _MOST_FIELDS:
            raise ValueError(f"it has more than {_MOST_FIELDS} fields")
        if b"location" in keys:
            yield from (value.decode() for value in values)


def _field(data: mmap.mmap, at: int, end: int) -> tuple[int, int, int]:
    """Number of the field at a place, and where its content begins and ends."""
    tag, at = _varint(data, at, end)
    kind = tag & 7
    start = at
    if kind == _VARINT:
        _, after = _varint(data, at, end)
    elif kind == _BYTES:
        length, start = _varint(data, at, end)
        after = start + length
    elif kind in (_FIXED64, _FIXED32):
        after = at + (8 if kind == _FIXED64 else 4)
    else:
        raise ValueError(f"a field of kind {kind}, which the format does not have")
    if after > end:
        raise ValueError("it is cut short")
    return tag >> 3, start, after


def _varint(data: mmap.mmap, at: int, end: int) -> tuple[int, int]:
    value = 0
    for place in range(at, min(end, at + _MOST_VARINT_BYTES)):
        byte = data[place]
        value |= (byte & 127) << 7 * (place - at)
        if byte < 128:
            return value, place + 1
    raise ValueError("it is cut short")
