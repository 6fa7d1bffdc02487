"""What objects of older versions knew of themselves, in today's terms."""

from __future__ import annotations

from typing import Any

from scenemind.perception.color_names import color_name


def count_colors(summary: dict[str, Any]) -> None:
    """Versions 1 and 2 had the mean colour of an object: all of its pixels bear that one's name."""
    rgb, pixels = summary.pop("rgb"), summary.pop("rgb_pixels")
    summary["colors"] = {color_name(rgb): pixels} if pixels > 0.0 else {}
