"""Checks of streams: stamps, rates, pairing, camera_info and offered QoS."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from scenemind.doctor.evidence import CameraFacts, OfferedQos
from scenemind.doctor.findings import Finding

_GAP = 5.0  # times the median interval
_SLOW_HZ = 2.0  # below, tracks break at a robot's usual speed
_UNPAIRED = 0.02  # share of colour images that may miss depth or a pose
_AHEAD_S, _OLD_S = 0.05, 1.0  # an image from the future, and one that is late
_DAY_S = 86_400.0
_MS_PER_NS = 1e-6


def check_order(stream: str, stamps_ns: NDArray[np.int64]) -> Finding:
    """Do stamps rise, in the order of arrival, with none missing or repeated?"""
    name = f"{stream} stamps"
    missing = int(np.sum(stamps_ns <= 0))
    steps = np.diff(stamps_ns)
    repeated, back = int(np.sum(steps == 0)), int(np.sum(steps < 0))
    if missing:
        fix = f"the publisher of topics.{stream} must fill header.stamp"
        return Finding(name, "fail", f"{missing} of {len(stamps_ns)} are 0", fix)
    if back:
        fix = "play without --loop, with one clock; nodes on two machines need synchronised clocks"
        worst_s = float(-steps.min()) / 1e9
        return Finding(name, "fail", f"{back} go back, by up to {worst_s:.3f} s", fix)
    if repeated:
        fix = f"two publishers on topics.{stream}? Stop one of them"
        return Finding(name, "warn", f"{repeated} of {len(stamps_ns)} repeated", fix)
    return Finding(name, "ok", f"{len(stamps_ns)}, rising")


def check_rate(stream: str, stamps_ns: NDArray[np.int64]) -> Finding:
    """Do messages come often enough, without long gaps?"""
    name = f"{stream} rate"
    steps = np.diff(np.unique(stamps_ns[stamps_ns > 0]))
    if len(steps) == 0:
        fix = f"is the publisher of topics.{stream} running?"
        return Finding(name, "fail", f"{len(stamps_ns)} messages", fix)
    median_ns, longest_ns = float(np.median(steps)), float(steps.max())
    text = f"{1e9 / median_ns:.1f} Hz, longest gap {longest_ns / 1e9:.3f} s"
    if longest_ns > _GAP * median_ns:
        fix = (
            "messages were lost: record on the robot itself, raise the recorder's"
            " --max-cache-size, or lower the camera's rate"
        )
        return Finding(name, "warn", text, fix)
    if 1e9 / median_ns < _SLOW_HZ:
        fix = "raise the rate to 5 Hz or more: objects are tracked from frame to frame"
        return Finding(name, "warn", text, fix)
    return Finding(name, "ok", text)


def check_clock(age_s: float) -> Finding:
    """Is the newest image new when it arrives, by this machine's clock?"""
    days = age_s / _DAY_S
    age = f"{days:.0f} days" if abs(days) > 1 else f"{age_s:.3f} s"
    text = f"images are {age} old on arrival"
    if not -_AHEAD_S < age_s < _OLD_S:
        fix = (
            "synchronise the machines' clocks (chrony); for a recording that is played, set"
            " use_sim_time:=true everywhere and play with --clock"
        )
        return Finding("clock", "warn", text, fix)
    return Finding("clock", "ok", text)


def check_pairing(
    color_ns: NDArray[np.int64], depth_ns: NDArray[np.int64], tolerance_s: float
) -> Finding:
    """Does each colour image have a depth image of nearly the same time?"""
    if len(color_ns) == 0 or len(depth_ns) == 0:
        text = f"{len(color_ns)} colour and {len(depth_ns)} depth images"
        return Finding("colour to depth", "fail", text, "let topics.depth name the depth topic")
    apart_ns = np.abs(_nearest(depth_ns, color_ns) - color_ns)
    unpaired = float(np.mean(apart_ns > tolerance_s * 1e9))
    median_ms = float(np.median(apart_ns)) * _MS_PER_NS
    text = f"median {median_ms:.1f} ms apart, {unpaired:.0%} beyond {tolerance_s * 1e3:g} ms"
    if unpaired > _UNPAIRED:
        needed_s = float(np.percentile(apart_ns, 98)) / 1e9
        fix = f"start the driver with enable_sync:=true, or set sync.tolerance_s:={needed_s:.3f}"
        return Finding("colour to depth", "fail" if unpaired > 0.5 else "warn", text, fix)
    return Finding("colour to depth", "ok", text)


def check_odometry_covers(
    color_ns: NDArray[np.int64], odometry_ns: NDArray[np.int64], gap_s: float
) -> Finding:
    """Do colour images have odometry shortly before and after them?"""
    name = "odometry in time"
    known = np.unique(odometry_ns[odometry_ns > 0])
    if len(known) == 0 or len(color_ns) == 0:
        return Finding(name, "fail", "no odometry", "let topics.odometry name a nav_msgs/Odometry")
    after = np.searchsorted(known, color_ns)
    inside = (color_ns >= known[0]) & (color_ns <= known[-1])
    last = len(known) - 1
    gap_ns = known[np.minimum(after, last)] - known[np.clip(after - 1, 0, last)]
    exact = known[np.minimum(after, last)] == color_ns
    share = float(np.mean(inside & (exact | (gap_ns <= gap_s * 1e9))))
    text = f"{share:.0%} of the colour images have a pose"
    if share >= 1.0 - _UNPAIRED:
        return Finding(name, "ok", text)
    if not inside.any():
        apart_s = float(min(abs(known[0] - color_ns[-1]), abs(color_ns[0] - known[-1]))) / 1e9
        fix = "both need one clock: set use_sim_time alike on all nodes, or synchronise clocks"
        return Finding(name, "fail", f"{text}; the clocks are {apart_s:.1f} s apart", fix)
    if not inside.all():
        fix = "start odometry before the camera; images before it are left out"
        return Finding(name, "warn" if share > 0.5 else "fail", text, fix)
    widest_s = float(np.diff(known).max()) / 1e9
    fix = f"raise the odometry's rate, or set sync.odometry_gap_s:={widest_s:.2f}"
    return Finding(name, "warn" if share > 0.5 else "fail", text, fix)


def _nearest(known: NDArray[np.int64], wanted: NDArray[np.int64]) -> NDArray[np.int64]:
    ordered = np.sort(known)
    after = np.clip(np.searchsorted(ordered, wanted), 1, max(1, len(ordered) - 1))
    low, high = ordered[after - 1], ordered[np.minimum(after, len(ordered) - 1)]
    return np.where(wanted - low <= high - wanted, low, high)


_NARROW_DEG, _WIDE_DEG = 25.0, 125.0
_SQUARE = 0.15  # largest relative difference of fx and fy
_CENTRAL = 0.15  # largest offset of the principal point, relative to the size


def check_camera(camera: CameraFacts | None) -> Finding:
    """Are the intrinsics those of a calibrated camera without distortion?"""
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
    """Can a reliable subscriber receive every message?"""
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
