"""Colour names against an independent conversion and against plain examples."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenemind.geometry import Box3D
from scenemind.memory.objects.colors import PALETTE, color_name, size_name


def lab(rgb: tuple[int, int, int]) -> np.ndarray:
    """CIELAB (D65) by the standard's formulas (IEC 61966-2-1, CIE 15)."""
    c = np.array(rgb) / 255.0
    linear = np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)
    matrix = np.array(
        [
            [0.412453, 0.357580, 0.180423],
            [0.212671, 0.715160, 0.072169],
            [0.019334, 0.119193, 0.950227],
        ]
    )
    xyz = matrix @ linear / np.array([0.950456, 1.0, 1.088754])
    f = np.where(xyz > (6 / 29) ** 3, np.cbrt(xyz), xyz / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize(
    ("rgb", "name"),
    [
        ((0, 0, 0), "black"),
        ((255, 255, 255), "white"),
        ((128, 128, 128), "grey"),
        ((255, 0, 0), "red"),
        ((150, 40, 40), "red"),
        ((0, 128, 0), "green"),
        ((0, 0, 255), "blue"),
        ((255, 255, 0), "yellow"),
        ((255, 140, 0), "orange"),
        ((139, 69, 19), "brown"),
        ((245, 222, 179), "beige"),
        ((255, 182, 193), "pink"),
        ((128, 0, 128), "purple"),
    ],
)
def test_plain_colors(rgb: tuple[int, int, int], name: str) -> None:
    assert color_name(np.array(rgb, np.float32)) == name


@given(st.tuples(*[st.integers(0, 255)] * 3))
def test_the_name_is_that_of_the_nearest_reference(rgb: tuple[int, int, int]) -> None:
    distances = {
        name: min(float(np.linalg.norm(lab(rgb) - lab(c))) for c in colors)
        for name, colors in PALETTE.items()
    }
    # OpenCV interpolates the curves: its Lab is within 0.4 of the exact one.
    assert distances[color_name(np.array(rgb, np.float32))] <= min(distances.values()) + 0.8


@pytest.mark.parametrize(
    ("longest", "name"), [(0.1, "small"), (0.3, "medium"), (0.99, "medium"), (1.0, "large")]
)
def test_size_goes_by_the_longest_side(longest: float, name: str) -> None:
    assert size_name(Box3D((0.0, 0.0, 0.0), (0.1, longest, 0.05))) == name
