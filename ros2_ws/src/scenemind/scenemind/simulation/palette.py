"""Colours of simulated objects: far enough apart that people and programs name them alike."""

from __future__ import annotations

from scenemind.simulation.primitives import Rgb

COLORS: dict[str, Rgb] = {
    "black": (26, 26, 28),
    "grey": (128, 130, 132),
    "white": (250, 250, 248),
    "red": (200, 30, 36),
    "orange": (245, 130, 25),
    "yellow": (250, 215, 40),
    "green": (35, 140, 60),
    "blue": (30, 75, 200),
    "purple": (120, 45, 150),
    "brown": (115, 72, 40),
}

WOOD: Rgb = (158, 112, 70)
STEEL: Rgb = (168, 170, 174)
SCREEN: Rgb = (30, 44, 66)
LEAF: Rgb = (44, 128, 52)
TERRACOTTA: Rgb = (176, 92, 58)
