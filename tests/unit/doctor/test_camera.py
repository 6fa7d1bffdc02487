"""camera_info and QoS."""

from __future__ import annotations

from dataclasses import replace

import pytest

from scenemind.doctor.evidence import CameraFacts, OfferedQos
from scenemind.doctor.stream_checks import check_camera, check_qos

GOOD = CameraFacts(640, 480, 525.0, 525.0, 319.5, 239.5)
RELIABLE, BEST_EFFORT = OfferedQos(True, False), OfferedQos(False, False)
LATCHED = OfferedQos(True, True)


@pytest.mark.parametrize(
    ("camera", "status"),
    [
        (GOOD, "ok"),
        (None, "fail"),
        (replace(GOOD, fx=0.0), "fail"),
        (replace(GOOD, fy=float("nan")), "fail"),
        (replace(GOOD, fy=800.0), "warn"),
        (replace(GOOD, cx=100.0), "warn"),
        (replace(GOOD, fx=5250.0, fy=5250.0), "warn"),
        (replace(GOOD, distortion=(0.0, 0.0, 0.0, 0.0, 0.0)), "ok"),
        (replace(GOOD, distortion=(0.1, -0.3, 0.0, 0.0, 0.0)), "warn"),
    ],
)
def test_cameras(camera: CameraFacts | None, status: str) -> None:
    finding = check_camera(camera)
    assert finding.status == status
    assert bool(finding.fix) == (status != "ok")


def test_the_field_of_view_is_said() -> None:
    # Focal length of half the width: 45 degrees to each side.
    assert "90 degrees across" in check_camera(replace(GOOD, fx=320.0, fy=320.0)).measured


@pytest.mark.parametrize(
    ("stream", "offered", "status"),
    [
        ("color", [RELIABLE], "ok"),
        ("color", [BEST_EFFORT], "warn"),
        ("color", [RELIABLE, BEST_EFFORT], "warn"),
        ("tf_static", [LATCHED], "ok"),
        ("tf_static", [RELIABLE], "warn"),
    ],
)
def test_qos(stream: str, offered: list[OfferedQos], status: str) -> None:
    assert check_qos(stream, f"/{stream}", offered).status == status
