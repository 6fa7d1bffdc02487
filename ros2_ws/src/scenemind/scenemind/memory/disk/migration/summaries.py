"""What objects of older versions knew of themselves, in today's terms."""

from __future__ import annotations

from typing import Any

from scenemind.perception.color_names import color_name


def note_arrival(summary: dict[str, Any]) -> None:
    """Versions 1 and 2 did not note when an object came to where it is (or was last): at the latest
    when it was found to have left the place before."""
    stays = summary.get("stays", [])  # each ends in its `gone_ns`; version 1 had none
    before = stays if summary.get("gone_ns") is None else stays[:-1]
    arrived_ns = before[-1][-1] if before else summary["first_seen_ns"]
    summary["here_since_ns"] = min(arrived_ns, summary["last_seen_ns"])


def count_colors(summary: dict[str, Any]) -> None:
    """Versions 1 and 2 had the mean colour of an object: all of its pixels bear that one's name."""
    rgb, pixels = summary.pop("rgb"), summary.pop("rgb_pixels")
    summary["colors"] = {color_name(rgb): pixels} if pixels > 0.0 else {}
