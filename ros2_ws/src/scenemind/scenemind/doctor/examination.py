"""Examination of evidence: every check that it allows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from scenemind.config import SyncConfig
from scenemind.doctor.evidence import Evidence, Stream
from scenemind.doctor.findings import Finding, worst
from scenemind.doctor.image_checks import (
    check_alignment,
    check_depth_coverage,
    check_depth_units,
    check_encodings,
    check_sizes,
    edge_offset,
)
from scenemind.doctor.pose_checks import (
    check_floor,
    check_motion,
    check_rotations,
    check_upright,
    find_floor,
    surface_points,
)
from scenemind.doctor.stream_checks import (
    check_camera,
    check_odometry_covers,
    check_order,
    check_pairing,
    check_qos,
    check_rate,
)
from scenemind.frames import DepthCalibration, DepthRegistrar, SensorFrame
from scenemind.geometry import GeometryError, PinholeCamera

_NOTHING = Stream("", np.zeros(0, np.int64))


def examine(evidence: Evidence, sync: SyncConfig) -> list[Finding]:
    """All findings, in the order of the data flow; only the reason where nothing was read."""
    is_empty = not any(len(stream.stamps_ns) for stream in evidence.streams.values())
    if is_empty and worst(evidence.found) == "fail":
        return list(evidence.found)
    return [
        *evidence.found,
        *_messages(evidence),
        *_stamps(evidence, sync),
        *_poses(evidence),
        *_pixels(evidence),
    ]


def _messages(evidence: Evidence) -> Iterator[Finding]:
    streams = evidence.streams
    for name in ("color", "depth"):
        if name in streams and streams[name].encodings:
            yield check_encodings(name, streams[name].encodings)
    camera = evidence.camera
    yield check_camera(camera)
    yield check_sizes(
        streams.get("color", _NOTHING).sizes,
        streams.get("depth", _NOTHING).sizes,
        None if camera is None else (camera.width, camera.height),
        evidence.depth_calibration is not None or evidence.is_registered,
    )
    for name, stream in streams.items():
        if stream.offered_qos:
            yield check_qos(name, stream.name, stream.offered_qos)


def _stamps(evidence: Evidence, sync: SyncConfig) -> Iterator[Finding]:
    streams = evidence.streams
    for name in ("color", "depth", "odometry"):
        if name in streams and len(streams[name].stamps_ns):
            yield check_order(name, streams[name].stamps_ns)
            yield check_rate(name, streams[name].stamps_ns)
    color, depth, odometry = (
        streams.get(name, _NOTHING).stamps_ns for name in ("color", "depth", "odometry")
    )
    yield check_pairing(color, depth, sync.tolerance_s)
    yield check_odometry_covers(color, odometry, sync.odometry_gap_s)


def _poses(evidence: Evidence) -> Iterator[Finding]:
    if len(evidence.quaternions) == 0:
        return
    rotations = check_rotations(evidence.quaternions)
    yield rotations
    if rotations.status == "ok":
        stamps_ns = evidence.streams["odometry"].stamps_ns
        yield check_motion(stamps_ns, evidence.positions, evidence.quaternions)


def _pixels(evidence: Evidence) -> Iterator[Finding]:
    frames = evidence.frames
    if not frames:
        return
    every_depth = np.concatenate([frame.depth_m.ravel() for frame in frames])
    yield check_depth_units(every_depth)
    yield check_depth_coverage(every_depth)
    yield check_upright(np.stack([frame.world_T_camera.rotation for frame in frames]))
    camera = _find_camera(evidence)
    if camera is None:
        return
    yield from _alignment(evidence, camera)
    aligned = _registered(evidence, camera)
    if aligned[0].depth_m.shape == (camera.height, camera.width):
        cameras = np.stack([frame.world_T_camera.translation for frame in frames])
        floor = find_floor(*surface_points(aligned, camera), cameras)
        yield check_floor(floor, evidence.world_T_recorded, evidence.gravity_path)


def _alignment(evidence: Evidence, camera: PinholeCamera) -> Iterator[Finding]:
    width = camera.width
    calibration = evidence.depth_calibration
    same_size = all(frame.color.shape[:2] == frame.depth_m.shape for frame in evidence.frames)
    if same_size:
        raw = edge_offset([(frame.color, frame.depth_m) for frame in evidence.frames])
        finding = check_alignment(raw, width)
        if calibration is not None and finding.status != "ok":
            finding = replace(finding, status="warn", fix=_live_registration(calibration))
        yield finding
    if calibration is not None:
        pairs = [(frame.color, frame.depth_m) for frame in _registered(evidence, camera)]
        yield check_alignment(edge_offset(pairs), width, is_registered=True)


def _live_registration(calibration: DepthCalibration) -> str:
    pose = calibration.color_T_depth
    numbers = [*pose.translation.tolist(), *pose.quaternion_xyzw().tolist()]
    values = ", ".join(f"{number:.4f}" for number in numbers)
    return (
        "registered on reading; on a live camera set depth.aligned:=false"
        f' depth.color_T_depth:="[{values}]"'
    )


def _registered(evidence: Evidence, camera: PinholeCamera) -> list[SensorFrame]:
    if evidence.depth_calibration is None:
        return list(evidence.frames)
    registrar = DepthRegistrar(evidence.depth_calibration, camera)
    return [replace(f, depth_m=registrar.register(f.depth_m)) for f in evidence.frames]


def _find_camera(evidence: Evidence) -> PinholeCamera | None:
    """The camera; None where its facts are implausible, which `check_camera` reports."""
    facts = evidence.camera
    if facts is None:
        return None
    try:
        return PinholeCamera(facts.width, facts.height, facts.fx, facts.fy, facts.cx, facts.cy)
    except GeometryError:
        return None
