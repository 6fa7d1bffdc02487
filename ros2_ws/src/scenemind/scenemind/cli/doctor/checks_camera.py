"""The colour camera's camera_info, and what publishers promise."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from scenemind.cli.doctor.evidence import CameraFacts, OfferedQos
from scenemind.cli.doctor.finding import Finding

_NARROW_DEG, _WIDE_DEG = 25.0, 125.0
_SQUARE = 0.15  # fx and fy differ by no more, relatively
_CENTRAL = 0.15  # the principal point is no further off the centre, relative to the size


def check_camera(camera: CameraFacts | None) -> Finding:
    """Whether the intrinsics can be those of a calibrated camera without distortion."""
    if camera is None:
        fix = "let topics.camera_info name the camera_info that the driver publishes"
        return Finding("camera_info", "fail", "none", fix)
    values = (camera.fx, camera.fy, camera.cx, camera.cy)
    if not np.isfinite(values).all() or min(camera.fx, camera.fy) <= 0:
        fix = "calibrate it: ros2 run camera_calibration cameracalibrator"
        return Finding("camera_info", "fail", f"fx {camera.fx:g}, fy {camera.fy:g}", fix)
    across_deg = float(np.degrees(2 * np.arctan(camera.width / 2 / camera.fx)))
    text = f"fx {camera.fx:.1f}, fy {camera.fy:.1f}, {across_deg:.0f} degrees across"
    off = max(abs(camera.cx / camera.width - 0.5), abs(camera.cy / camera.height - 0.5))
    is_odd = abs(camera.fx / camera.fy - 1) > _SQUARE or off > _CENTRAL
    if is_odd or not _NARROW_DEG < across_deg < _WIDE_DEG:
        fix = (
            "camera_info is of another resolution or camera: let topics.camera_info name the one"
            " beside topics.color"
        )
        return Finding(
            "camera_info", "warn", f"{text}, centre {camera.cx:.0f} {camera.cy:.0f}", fix
        )
    if np.any(camera.distortion):
        fix = "distortion is not removed: run image_proc and set topics.color to image_rect"
        largest = max(np.abs(camera.distortion))
        return Finding("camera_info", "warn", f"{text}, distortion up to {largest:.3g}", fix)
    return Finding("camera_info", "ok", text)


def check_qos(stream: str, topic: str, offered: Sequence[OfferedQos]) -> Finding:
    """Whether a subscriber that wants every message can have it."""
    name = f"{stream} QoS"
    text = " and ".join(sorted({_describe(qos) for qos in offered}))
    if stream == "tf_static" and not all(qos.latched for qos in offered):
        fix = f"{topic} must be transient_local: publish it with a StaticTransformBroadcaster"
        return Finding(name, "warn", text, fix)
    if len({qos.reliable for qos in offered}) > 1:
        fix = f"publishers of {topic} differ: stop one, or set qos.reliability:=best_effort"
        return Finding(name, "warn", text, fix)
    if not all(qos.reliable for qos in offered):
        fix = (
            "frames may be lost on the way: let the driver publish reliable"
            f" ({stream}_qos:=DEFAULT on RealSense); keep qos.reliability:=auto or best_effort,"
            " since reliable would hear nothing"
        )
        return Finding(name, "warn", text, fix)
    return Finding(name, "ok", text)


def _describe(qos: OfferedQos) -> str:
    reliability = "reliable" if qos.reliable else "best effort"
    return f"{reliability}, {'transient local' if qos.latched else 'volatile'}"
