"""Images: files, ROS encodings, compressed depth."""

from __future__ import annotations

import struct
import time
from array import array
from pathlib import Path
from zlib import compress, crc32

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from scenemind.frames import FrameError
from scenemind.frames.images import (
    COMPRESSED_DEPTH_FORMAT,
    DEPTH_PNG_FORMAT,
    decode_color,
    decode_color_file,
    decode_compressed_depth,
    decode_depth,
    encode_color_file,
    encode_color_png,
    encode_compressed_depth,
    encode_depth,
    encode_depth_png,
    find_file_size,
    read_color,
    read_depth,
)


def test_colour_is_rgb(tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "red.png"), np.array([[(0, 0, 255)]], np.uint8))  # OpenCV's BGR
    assert read_color(tmp_path / "red.png").tolist() == [[[255, 0, 0]]]


def test_depth_is_metres_with_holes_at_zero(tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "d.png"), np.array([[0, 65535, 2500]], np.uint16))
    depth_m = read_depth(tmp_path / "d.png", 5000.0)
    assert depth_m.dtype == np.float32
    assert depth_m.tolist() == [[0.0, 0.0, 0.5]]


def test_a_file_that_is_missing_or_damaged(tmp_path: Path) -> None:
    (tmp_path / "cut.png").write_bytes(b"\x89PNG")
    with pytest.raises(FrameError, match=r"cut\.png is no image"):
        read_color(tmp_path / "cut.png")
    with pytest.raises(FrameError, match=r"gone\.png is not there"):
        read_depth(tmp_path / "gone.png", 1000.0)


def test_a_colour_image_is_no_depth(tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "c.png"), np.zeros((2, 2, 3), np.uint8))
    with pytest.raises(FrameError, match="one channel of 16 bits"):
        read_depth(tmp_path / "c.png", 1000.0)


RED_GREEN = np.array([[(255, 0, 0), (0, 255, 0)]], dtype=np.uint8)


@pytest.mark.parametrize(
    ("encoding", "pixels"),
    [
        ("rgb8", [255, 0, 0, 0, 255, 0]),
        ("bgr8", [0, 0, 255, 0, 255, 0]),
        ("rgba8", [255, 0, 0, 9, 0, 255, 0, 9]),
        ("bgra8", [0, 0, 255, 9, 0, 255, 0, 9]),
    ],
)
def test_every_colour_encoding_becomes_rgb(encoding: str, pixels: list[int]) -> None:
    image = decode_color(array("B", pixels), encoding, 1, 2, len(pixels))
    assert image.tolist() == RED_GREEN.tolist()


def test_grey_becomes_three_equal_channels() -> None:
    assert decode_color(bytes([7, 8]), "mono8", 2, 1, 1).tolist() == [[[7] * 3], [[8] * 3]]


def test_row_padding_is_left_out() -> None:
    data = bytes([1, 2, 3, 99, 4, 5, 6, 99])
    assert decode_color(data, "rgb8", 2, 1, 4).tolist() == [[[1, 2, 3]], [[4, 5, 6]]]
    depth = bytes([0xE8, 0x03, 99, 99, 0xD0, 0x07, 99, 99])
    assert decode_depth(depth, "16UC1", 2, 1, 4).tolist() == [[1.0], [2.0]]


def test_big_endian_depth() -> None:
    assert decode_depth(bytes([0x03, 0xE8]), "16UC1", 1, 1, 2, is_bigendian=True).item() == 1.0


def test_unmeasured_depth_is_zero() -> None:
    metres = np.array([[np.nan, np.inf, -np.inf, -1.0, 0.0, 1.5]], dtype=np.float32)
    assert decode_depth(metres.tobytes(), "32FC1", 1, 6, 24).tolist() == [[0, 0, 0, 0, 0, 1.5]]
    saturated = np.array([[0, 65535, 1500]], dtype=np.uint16)
    assert decode_depth(saturated.tobytes(), "16UC1", 1, 3, 6).tolist() == [[0, 0, 1.5]]


@given(arrays(np.float32, (3, 4), elements=st.floats(0.0, 60.0, width=32)))
def test_depth_survives_every_way_to_within_a_millimetre(depth_m: np.ndarray) -> None:
    exact = decode_depth(encode_depth(depth_m, "32FC1"), "32FC1", 3, 4, 16)
    assert exact.tolist() == depth_m.tolist()
    whole_mm = decode_depth(encode_depth(depth_m, "16UC1"), "16UC1", 3, 4, 8)
    assert np.abs(whole_mm - depth_m).max() <= 0.00051
    assert np.array_equal(
        decode_compressed_depth(encode_compressed_depth(depth_m), COMPRESSED_DEPTH_FORMAT), whole_mm
    )
    assert np.array_equal(
        decode_compressed_depth(encode_depth_png(depth_m), DEPTH_PNG_FORMAT), whole_mm
    )


def test_depth_that_16_bits_of_millimetres_cannot_hold_is_a_hole() -> None:
    depth_m = np.array([[np.nan, np.inf, -1.0, 65.535, 1e30, 65.534]], dtype=np.float32)
    stored = np.frombuffer(encode_depth(depth_m, "16UC1"), "<u2")
    assert stored.tolist() == [0, 0, 0, 0, 0, 65534]


def test_inverse_depth_quantisation() -> None:
    """image_transport stores 32FC1 as round(A / depth + B), with A and B in the header."""
    scale, shift = 100.0, 10.0
    depth_m = np.array([[0.5, 1.0, 4.0]])
    stored = np.append(np.rint(scale / depth_m + shift), [[0]], axis=1).astype(np.uint16)
    header = np.array([0, 0, 0], np.int32).tobytes()[:4]
    header += np.array([scale, shift], np.float32).tobytes()
    data = header + cv2.imencode(".png", stored)[1].tobytes()
    decoded = decode_compressed_depth(data, "32FC1; compressedDepth png")
    assert decoded.tolist() == [[0.5, 1.0, 4.0, 0.0]]


def test_a_jpeg_keeps_its_channels_in_order() -> None:
    red = np.zeros((16, 16, 3), np.uint8)
    red[..., 0] = 255
    decoded = decode_color_file(encode_color_file(red))
    assert np.abs(decoded.astype(int) - red).max() < 8


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((b"", "rgb8", 0, 0, 0), "0x0 pixels"),
        ((b"12", "16UC1", 1, 1, 2), "encoding '16UC1'"),
        ((b"12", "rgb8", 1, 1, 3), "holds 2 bytes"),
        ((b"123", "rgb8", 1, 1, 1), "rows need 3"),
    ],
)
def test_a_colour_image_that_cannot_be(arguments: tuple, message: str) -> None:
    with pytest.raises(FrameError, match=message):
        decode_color(*arguments)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((b"", "16UC1", 0, 4, 0), "4x0 pixels"),
        ((b"123", "rgb8", 1, 1, 3), "encoding 'rgb8'"),
        ((b"1234", "32FC1", 2, 1, 4), "holds 4 bytes"),
    ],
)
def test_a_depth_image_that_cannot_be(arguments: tuple, message: str) -> None:
    with pytest.raises(FrameError, match=message):
        decode_depth(*arguments)


@pytest.mark.parametrize("data", [b"", b"not a picture"])
def test_compressed_bytes_that_are_no_image(data: bytes) -> None:
    with pytest.raises(FrameError, match="cut short"):
        decode_color_file(data)
    with pytest.raises(FrameError, match="cut short"):
        decode_compressed_depth(data, "16UC1; compressedDepth png")


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", crc32(kind + data))


def test_an_image_of_more_pixels_than_can_be_held_is_refused_by_its_header() -> None:
    header = struct.pack(">IIBBBBB", 40_000, 40_000, 8, 2, 0, 0, 0)
    png = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", compress(b"\0" * 99))
    with pytest.raises(FrameError, match="40000x40000 pixels"):
        decode_color_file(png + chunk(b"IEND", b""))


@pytest.mark.parametrize("length", [100_000, 0x7FFFFFFF])
def test_a_part_that_is_said_to_be_longer_than_the_file_is_refused(
    length: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    png = encode_color_png(np.zeros((4, 4, 3), np.uint8))
    at = png.index(b"IDAT")
    assert decode_color_file(png + b"\n").shape == (4, 4, 3)  # what follows its end is not read
    monkeypatch.setattr(cv2, "imdecode", None)  # it would make room for so many bytes
    with pytest.raises(FrameError, match=r"no JPEG or PNG \(cut short"):
        decode_color_file(png[: at - 4] + struct.pack(">I", length) + png[at:])


def png_of(width: int, height: int, bits: int, color: int, *more: bytes) -> bytes:
    """A PNG that is all 0."""
    channels = {0: 1, 2: 3, 6: 4}[color]
    header = struct.pack(">IIBBBBB", width, height, bits, color, 0, 0, 0)
    rows = compress(bytes((1 + width * channels * bits // 8) * height))
    parts = (chunk(b"IHDR", header), *more, chunk(b"IDAT", rows), chunk(b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def test_a_png_of_too_many_bytes_is_refused_by_its_header(tmp_path: Path) -> None:
    """Of 50 megapixels of depth with colour and transparency OpenCV makes 770 MB."""
    path = tmp_path / "depth.png"
    path.write_bytes(png_of(6000, 6000, 16, 6))
    with pytest.raises(FrameError, match="6000x6000 pixels of 4 channels of 16 bits"):
        read_depth(path, 1000.0)
    path.write_bytes(png_of(60, 60, 16, 0))
    assert read_depth(path, 1000.0).shape == (60, 60)


def test_an_animation_is_no_image_of_a_camera() -> None:
    animated = chunk(b"acTL", struct.pack(">II", 1000, 0))
    with pytest.raises(FrameError, match="is an animation"):
        decode_color_file(png_of(8, 8, 8, 2, animated))


def progressive(scans: int) -> bytes:
    """A JPEG whose last pass is repeated, which changes no pixel and takes time each time."""
    flags = [cv2.IMWRITE_JPEG_PROGRESSIVE, 1]
    jpeg = cv2.imencode(".jpg", np.full((64, 64), 128, np.uint8), flags)[1].tobytes()
    last = jpeg[jpeg.rindex(b"\xff\xda") : -2]
    return jpeg[:-2] + last * scans + jpeg[-2:]


def test_a_jpeg_of_passes_without_end_is_refused() -> None:
    """30,000 passes in 360 kB took 7 s at 640x480 pixels, 300 in 200 kB 12 s at 7000x7000."""
    assert decode_color_file(progressive(20)).shape == (64, 64, 3)
    with pytest.raises(FrameError, match="in more than 50 passes"):
        decode_color_file(progressive(60))
    followed = progressive(1) + b"\xff\xda" * 1000  # as by a film, which is not read
    assert decode_color_file(followed).shape == (64, 64, 3)


def test_a_jpeg_of_one_pass_has_no_second_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """What cameras send is not searched for passes, and libjpeg reads none that follows."""
    monkeypatch.setattr("scenemind.frames.images._scans", None)
    for shape in ((64, 64), (64, 64, 3)):
        jpeg = cv2.imencode(".jpg", np.full(shape, 128, np.uint8))[1].tobytes()
        assert decode_color_file(jpeg).shape == (64, 64, 3)
        scan = jpeg[jpeg.rindex(b"\xff\xda") : -2]
        slow = jpeg[:-2] + scan * 20_000 + jpeg[-2:]
        started = time.process_time()
        decode_color_file(slow)
        assert time.process_time() - started < 0.5


@pytest.mark.parametrize("part", [b"\xff", b"\xff\xfe\x00\x02", b"\xff\xe1\x00\x00"])
def test_a_header_without_end_is_none(part: bytes) -> None:
    assert find_file_size(b"\xff\xd8" + part * 1_000_000) is None
    scan = b"\xff\xda\x00\x02" * 51
    with pytest.raises(FrameError):
        decode_color_file(progressive(1)[:-2] + part * 1_000_000 + scan)


def test_a_png_of_parts_without_end_is_refused() -> None:
    with pytest.raises(FrameError, match="is no image"):
        decode_color_file(png_of(8, 8, 8, 2, chunk(b"tEXt", b"") * 100_000))


def test_compressed_depth_in_a_format_that_cannot_be_read() -> None:
    with pytest.raises(FrameError, match="format to png"):
        decode_compressed_depth(bytes(40), "16UC1; compressedDepth rvl")
    jpeg = encode_color_file(np.zeros((8, 8, 3), np.uint8))
    with pytest.raises(FrameError, match="does not survive JPEG"):
        decode_compressed_depth(jpeg, "16UC1; jpeg compressed bgr8")
    png = encode_compressed_depth(np.ones((2, 2), np.float32))
    with pytest.raises(FrameError, match="lacks its quantisation"):
        decode_compressed_depth(png, "32FC1; compressedDepth png")
