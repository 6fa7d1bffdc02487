"""Checks of images: encodings, sizes, the unit of depth, and its alignment with colour."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from scenemind.doctor.findings import Finding

_COLOR = {"rgb8", "bgr8", "rgba8", "bgra8", "mono8", "jpeg", "png"}
_DEPTH = {"16UC1", "mono16", "32FC1", "png", "compressedDepth"}
_NEAREST_M, _FARTHEST_M = 0.15, 12.0  # medians of a room seen by a robot lie well within
_MM_PER_M = 1000.0
_FEW, _HARDLY_ANY = 0.5, 0.1  # shares of pixels with depth


def check_encodings(stream: str, encodings: Collection[str]) -> Finding:
    """Can the encoding of the images be read?

    Of compressed images its last word counts.
    """
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
    """Do colour, depth and camera_info have one size? Calibrated depth may have another."""
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
    """Is the median depth that of a room, in metres? 0 is not measured."""
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
    """Do enough pixels have depth?"""
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


_REACH_PX = 48  # largest offset that is searched; at most a quarter of the image
_JUMP = 0.08  # relative step of depth between an object and what is behind it
_NEIGHBORHOOD = np.ones((5, 5), np.uint8)
_BLUR_PX = 1.5
_MIN_EDGE_PIXELS = 500  # in all frames together; fewer are no evidence
_FAR_SHARE = 0.0125  # of the image width: 8 px of 640
# Least sharpness of a peak that shows an offset. Aligned recordings reach 4 to 6; the peak of an
# aligned one with less was seen 16 px away.
_SHARP = 3.5


def edge_offset(
    pairs: Sequence[tuple[NDArray[np.uint8], NDArray[np.float32]]],
) -> tuple[float, float, float] | None:
    """Offset of depth from colour: x, y in pixels, and the sharpness of the agreement of edges.

    Depth edges are moved over the colour gradient; the offset is where they meet the most of it,
    summed over the frames. Sharpness is that peak's height over the mean of all offsets, in
    standard deviations. None where depth has hardly any edge.

    Args:
        pairs: colour (H, W, 3) uint8 and depth (H, W) float32 in metres, all of the same size.
    """
    reach = min(_REACH_PX, *(side // 4 for side in pairs[0][1].shape))
    total = np.zeros((2 * reach + 1, 2 * reach + 1))
    edge_pixels = 0
    for color, depth_m in pairs:
        edges = depth_edges(depth_m)
        edge_pixels += int(edges.sum())
        total += _correlation(color_edges(color), edges, reach)
    if edge_pixels < _MIN_EDGE_PIXELS:
        return None
    row, column = np.unravel_index(int(total.argmax()), total.shape)
    sharpness = float((total.max() - total.mean()) / total.std())
    return float(column) - reach, float(row) - reach, sharpness


def color_edges(color: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Compressed strength of the gradient (H, W): strong edges count little more than weak."""
    grey = cv2.GaussianBlur(cv2.cvtColor(color, cv2.COLOR_RGB2GRAY), (0, 0), _BLUR_PX)
    x, y = (cv2.Sobel(grey, cv2.CV_32F, *order) for order in ((1, 0), (0, 1)))
    strength = np.hypot(x, y)
    return strength / (strength + strength.mean() + 1.0)


def depth_edges(depth_m: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Nearer sides of depth steps (H, W); a hole is no step."""
    farthest = cv2.dilate(depth_m, _NEIGHBORHOOD)
    edges: NDArray[np.bool_] = (depth_m > 0) & (farthest > depth_m * (1.0 + _JUMP))
    return edges


def _correlation(
    strength: NDArray[np.float32], edges: NDArray[np.bool_], reach: int
) -> NDArray[np.float64]:
    """Sum of the strength under the edges for every offset of the edges back onto colour.

    Entry [reach + y, reach + x]: the edges lie (x, y) pixels away from where colour has them.
    """
    inner = np.zeros_like(strength)
    window = (slice(reach, -reach), slice(reach, -reach))
    inner[window] = edges[window]
    spectrum = np.fft.rfft2(strength - strength.mean()).conj() * np.fft.rfft2(inner)
    whole = np.fft.fftshift(np.fft.irfft2(spectrum, s=strength.shape))
    y, x = strength.shape[0] // 2, strength.shape[1] // 2
    return whole[y - reach : y + reach + 1, x - reach : x + reach + 1]


def check_alignment(
    offset: tuple[float, float, float] | None, width: int, *, is_registered: bool = False
) -> Finding:
    """Do the edges of depth lie on those of colour?

    Args:
        offset: see `edge_offset`.
        width: of the images.
        is_registered: depth was registered here, with the calibration of the recording.
    """
    name = "registered depth" if is_registered else "depth on colour"
    if offset is None:
        fix = "point the camera at things in front of others, with depth around them"
        return Finding(name, "warn", "too few depth edges to tell", fix)
    fix = (
        "the calibration does not fit: check color_T_depth and both intrinsics"
        if is_registered
        else "start the driver with align_depth.enable:=true, or set depth.aligned:=false and"
        " depth.color_T_depth (7-Scenes folder: add calibration.json)"
    )
    x, y, sharpness = offset
    apart_px = float(np.hypot(x, y))
    text = f"{apart_px:.0f} px ({x:+.0f}, {y:+.0f}) between edges, sharpness {sharpness:.1f}"
    if apart_px <= _FAR_SHARE * width:
        return Finding(name, "ok", text)
    if sharpness < _SHARP:
        return Finding(name, "warn", f"cannot tell: {text} is too low", f"if it is so: {fix}")
    return Finding(name, "fail", text, fix)
