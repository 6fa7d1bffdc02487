"""Whether depth lies on colour: where things end in one image, they should in the other."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from scenemind.cli.doctor.finding import Finding

_REACH_PX = 48  # the largest offset that is looked for; at most a quarter of the image
_JUMP = 0.08  # relative step of depth between an object and what is behind it
_NEIGHBORHOOD = np.ones((5, 5), np.uint8)
_BLUR_PX = 1.5
_MIN_EDGE_PIXELS = 500  # fewer in all frames together say nothing
_FAR_SHARE = 0.0125  # of the image width: 8 px of 640
_TELLING = 1.5  # a peak below this sharpness may be chance


def edge_offset(
    pairs: Sequence[tuple[NDArray[np.uint8], NDArray[np.float32]]],
) -> tuple[float, float, float] | None:
    """How far depth is from colour: x, y in pixels, and how sharply the edges agree there.

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
    """Strength of the gradient (H, W), so that a strong edge counts little more than a weak one."""
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
    name: str, offset: tuple[float, float, float] | None, width: int, fix: str
) -> Finding:
    """Judge an `edge_offset` of images of that width; `fix` is what mends an offset."""
    if offset is None:
        way_out = "point the camera at things in front of others, with depth around them"
        return Finding(name, "warn", "too few depth edges to tell", way_out)
    x, y, sharpness = offset
    apart_px = float(np.hypot(x, y))
    text = f"{apart_px:.0f} px ({x:+.0f}, {y:+.0f}) between edges, sharpness {sharpness:.1f}"
    if apart_px > _FAR_SHARE * width:
        return Finding(name, "fail" if sharpness >= _TELLING else "warn", text, fix)
    return Finding(name, "ok", text)
