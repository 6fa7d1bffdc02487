"""Encodings, sizes and depth units, judged on made values."""

from __future__ import annotations

import numpy as np
import pytest

from scenemind.doctor.image_checks import (
    check_depth_coverage,
    check_depth_units,
    check_encodings,
    check_sizes,
)

VGA, HD = (640, 480), (1280, 720)


@pytest.mark.parametrize(
    ("stream", "encodings", "status"),
    [
        ("color", {"rgb8"}, "ok"),
        ("color", {"rgb8; jpeg compressed bgr8"}, "ok"),
        ("color", {"jpeg"}, "ok"),
        ("color", {"rgb8", "bgr8"}, "warn"),
        ("color", {"16UC1"}, "fail"),
        ("color", {"yuv422_yuy2"}, "fail"),
        ("color", {""}, "fail"),
        ("depth", {"16UC1"}, "ok"),
        ("depth", {"32FC1"}, "ok"),
        ("depth", {"16UC1; compressedDepth png"}, "ok"),
        ("depth", {"rgb8"}, "fail"),
    ],
)
def test_encodings(stream: str, encodings: set[str], status: str) -> None:
    finding = check_encodings(stream, encodings)
    assert finding.status == status
    assert bool(finding.fix) == (status != "ok")


@pytest.mark.parametrize(
    ("color", "depth", "camera", "is_calibrated", "status"),
    [
        ([VGA], [VGA], VGA, False, "ok"),
        ([HD], [VGA], HD, True, "ok"),
        ([HD], [VGA], HD, False, "fail"),
        ([VGA], [VGA], HD, False, "fail"),
        ([VGA, HD], [VGA], VGA, False, "fail"),
        ([(0, 480)], [VGA], VGA, False, "fail"),
        ([VGA], [VGA], None, False, "ok"),
    ],
)
def test_sizes(
    color: list[tuple[int, int]],
    depth: list[tuple[int, int]],
    camera: tuple[int, int] | None,
    is_calibrated: bool,
    status: str,
) -> None:
    assert check_sizes(color, depth, camera, is_calibrated).status == status


def test_unaligned_depth_names_the_parameters() -> None:
    fix = check_sizes([HD], [VGA], HD, is_calibrated=False).fix
    assert "align_depth.enable:=true" in fix
    assert "depth.aligned:=false" in fix


@pytest.mark.parametrize(
    ("scale", "status", "word"),
    [
        (1.0, "ok", "median 2 m"),
        (1000.0, "fail", "millimetres"),  # 32FC1 that holds millimetres
        (0.001, "fail", "depth_units"),  # 16UC1 that holds metres
        (0.0, "fail", "no depth"),
    ],
)
def test_depth_units(scale: float, status: str, word: str) -> None:
    room_m = np.linspace(1.0, 3.0, 101, dtype=np.float32)
    finding = check_depth_units(room_m * np.float32(scale))
    assert finding.status == status
    assert word in finding.measured + finding.fix


@pytest.mark.parametrize(("share", "status"), [(0.9, "ok"), (0.3, "warn"), (0.02, "fail")])
def test_depth_coverage(share: float, status: str) -> None:
    depth_m = (np.arange(1000) < 1000 * share).astype(np.float32)
    finding = check_depth_coverage(depth_m)
    assert finding.status == status
    assert f"{share:.0%}" in finding.measured
