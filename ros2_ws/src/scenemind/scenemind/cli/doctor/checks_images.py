"""Encodings, sizes and the unit of depth."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from scenemind.cli.doctor.finding import Finding

_COLOR = {"rgb8", "bgr8", "rgba8", "bgra8", "mono8", "jpeg", "png"}
_DEPTH = {"16UC1", "mono16", "32FC1", "png", "compressedDepth"}
_NEAREST_M, _FARTHEST_M = 0.15, 12.0  # medians of a room seen by a robot lie well within
_MM_PER_M = 1000.0
_FEW, _HARDLY_ANY = 0.5, 0.1  # shares of pixels with depth


def check_encodings(stream: str, encodings: Collection[str]) -> Finding:
    """Encodings of the `color` or `depth` stream; of compressed images the last word counts."""
    known = _COLOR if stream == "color" else _DEPTH
    words = {encoding.replace(";", " ").split()[-1] if encoding else "" for encoding in encodings}
    named = ", ".join(sorted(encodings))
    if not words <= known:
        wanted = "rgb8" if stream == "color" else "16UC1"
        return Finding(
            f"{stream} encoding",
            "fail",
            named or "none",
            f"let topics.{stream} name a {stream} topic, or convert it to {wanted}"
            f" (known: {', '.join(sorted(known))})",
        )
    if len(words) > 1:
        fix = f"only one driver should publish on topics.{stream}"
        return Finding(f"{stream} encoding", "warn", f"it changes: {named}", fix)
    return Finding(f"{stream} encoding", "ok", named)


def check_sizes(
    color: Collection[tuple[int, int]],
    depth: Collection[tuple[int, int]],
    camera: tuple[int, int] | None,
    is_calibrated: bool,
) -> Finding:
    """Widths and heights of colour, depth and camera_info; calibrated depth may differ."""
    measured = f"colour {_sizes(color)}, depth {_sizes(depth)}"
    if camera is not None:
        measured += f", camera_info {camera[0]}x{camera[1]}"
    if any(0 in size for size in (*color, *depth)):
        fix = "an image without pixels: did the camera start? Restart its driver"
        return Finding("image sizes", "fail", measured, fix)
    if len(set(color)) > 1 or len(set(depth)) > 1:
        fix = "keep the camera's profile fixed while it runs"
        return Finding("image sizes", "fail", measured, fix)
    if camera is not None and color and camera not in color:
        fix = "let topics.camera_info name the camera_info beside topics.color"
        return Finding("image sizes", "fail", measured, fix)
    if not is_calibrated and color and depth and set(color) != set(depth):
        fix = (
            "start the driver with align_depth.enable:=true, or set depth.aligned:=false and"
            " depth.color_T_depth"
        )
        return Finding("image sizes", "fail", measured, fix)
    return Finding("image sizes", "ok", measured)


def check_depth_units(depth_m: NDArray[np.float32]) -> Finding:
    """Depths in what is taken for metres, 0 not measured: whether their median can be a room's."""
    measured = depth_m[depth_m > 0]
    if len(measured) == 0:
        return Finding("depth units", "fail", "no depth at all", "is the depth sensor switched on?")
    median_m = float(np.median(measured))
    text = f"median {median_m:.3g} m"
    if median_m > _FARTHEST_M:
        unit = "millimetres" if _NEAREST_M < median_m / _MM_PER_M < _FARTHEST_M else "another unit"
        fix = f"the values are {unit}: 32FC1 counts metres, 16UC1 millimetres; scale the source"
        return Finding("depth units", "fail", text, fix)
    if median_m < _NEAREST_M:
        fix = (
            "16UC1 counts millimetres: set the driver's depth unit to 0.001"
            " (RealSense: depth_module.depth_units), or publish 32FC1 in metres"
        )
        return Finding("depth units", "fail", text, fix)
    return Finding("depth units", "ok", text)


def check_depth_coverage(depth_m: NDArray[np.float32]) -> Finding:
    """The share of pixels that have depth."""
    share = float(np.mean(depth_m > 0)) if depth_m.size else 0.0
    text = f"{share:.0%} of the pixels"
    if share < _HARDLY_ANY:
        fix = "clean or uncover the camera, or switch its emitter on (depth_module.emitter_enabled)"
        return Finding("depth coverage", "fail", text, fix)
    if share < _FEW:
        fix = "objects in holes are not mapped; RealSense: hole-filling or temporal filter"
        return Finding("depth coverage", "warn", text, fix)
    return Finding("depth coverage", "ok", text)


def _sizes(sizes: Collection[tuple[int, int]]) -> str:
    return " and ".join(f"{width}x{height}" for width, height in sorted(sizes)) or "none"
