"""Drawings as files of their own."""

from __future__ import annotations

from xml.etree import ElementTree

from scenemind.report.templating import Markup, render


def standalone_svg(drawing: Markup) -> str:
    """A drawing of this package as an SVG file: with its style in it, and a size in pixels."""
    width, height = drawing_size(drawing)
    return str(render("standalone.svg.j2", drawing=drawing, width=width, height=height))


def drawing_size(drawing: str) -> tuple[float, float]:
    """Width and height in pixels."""
    _, _, width, height = ElementTree.fromstring(drawing).attrib["viewBox"].split()
    return float(width), float(height)
