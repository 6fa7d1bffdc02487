"""Models whose tensors lie in other files. The bytes are made here, as `onnx` is an extra."""

from __future__ import annotations

import os
import struct
from pathlib import Path

import numpy as np
import pytest

from scenemind.config import DetectorConfig
from scenemind.perception import PerceptionError
from scenemind.perception.backends.onnx_file import check_external_data
from scenemind.perception.backends.runtimes import open_network

WEIGHT = 7.0


def varint(value: int, *, length: int = 1) -> bytes:
    """As protobuf writes it, or in more bytes than needed, which it accepts too."""
    parts = [value & 127]
    while (value := value >> 7) or len(parts) < length:
        parts.append(value & 127)
    return bytes([*(part | 128 for part in parts[:-1]), parts[-1]])


def field(number: int, content: bytes | str | int, *, length: int = 1) -> bytes:
    if isinstance(content, int):
        return varint(number << 3) + varint(content)
    data = content.encode() if isinstance(content, str) else content
    return varint(number << 3 | 2) + varint(len(data), length=length) + data


def entry(location: str, *, odd: bool = False) -> bytes:
    if odd:  # another order, and a length in four bytes
        return field(13, field(2, location) + field(1, "location", length=4))
    return field(13, field(1, "location") + field(2, location))


def model(location: str, *, odd: bool = False, in_node: bool = False) -> bytes:
    """out = images + w, where w is one float of another file."""
    dims = b"".join(field(1, field(1, side)) for side in (1, 3, 8, 8))
    kind = field(1, field(1, 1) + field(2, dims))
    tensor = field(1, 1) + field(2, 1) + field(8, "w") + entry(location, odd=odd) + field(14, 1)
    value = field(5, field(1, "value") + field(5, tensor) + field(20, 4))
    nodes = field(1, field(2, "w") + field(4, "Constant") + value) if in_node else field(5, tensor)
    add = field(1, field(1, "images") + field(1, "w") + field(2, "out") + field(4, "Add"))
    ends = field(11, field(1, "images") + field(2, kind)) + field(
        12, field(1, "out") + field(2, kind)
    )
    return field(1, 8) + field(7, nodes + add + field(2, "graph") + ends) + field(8, field(2, 13))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where a model may be; data are in its folder, below it, and outside."""
    (tmp_path / "model" / "below").mkdir(parents=True)
    for place in ("secret.bin", "model/beside.bin", "model/below/data.bin"):
        (tmp_path / place).write_bytes(struct.pack("<f", WEIGHT))
    (tmp_path / "model" / "link.bin").symlink_to(tmp_path / "secret.bin")
    return tmp_path / "model" / "any.onnx"


@pytest.mark.parametrize("location", ["beside.bin", "below/data.bin", "below/../beside.bin"])
def test_data_of_its_own_folder_are_read(path: Path, location: str) -> None:
    path.write_bytes(model(location))
    network = open_network(path, DetectorConfig(runtime="onnxruntime"))
    (out,) = network.run(np.zeros((1, 3, 8, 8), np.float32))
    assert np.all(out == WEIGHT)


@pytest.mark.parametrize("in_node", [False, True])
@pytest.mark.parametrize("odd", [False, True])
@pytest.mark.parametrize(
    "location", ["../secret.bin", "below/../../secret.bin", "link.bin", "/dev/zero"]
)
def test_data_outside_are_refused(path: Path, location: str, odd: bool, in_node: bool) -> None:
    path.write_bytes(model(location, odd=odd, in_node=in_node))
    with pytest.raises(PerceptionError, match=r"is refused: it would read .*outside its folder"):
        open_network(path, DetectorConfig(runtime="onnxruntime"))


@pytest.mark.parametrize("cut", [1, 40])
def test_damaged_files_and_pipes_are_no_models(path: Path, cut: int) -> None:
    whole = model("beside.bin")
    for damaged in (b"", whole[:-cut], b"\x0b" + whole, b"\xff" * 20):
        path.write_bytes(damaged)
        with pytest.raises(PerceptionError, match="does not load as an ONNX model"):
            check_external_data(path)
    path.unlink()
    os.mkfifo(path)
    with pytest.raises(PerceptionError, match="no regular file"):
        check_external_data(path)
