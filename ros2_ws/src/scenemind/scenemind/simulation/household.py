"""More things of a household, for rooms that are full of them; sizes in metres."""

from __future__ import annotations

import numpy as np

from scenemind.simulation.blueprint import Blueprint, Surface
from scenemind.simulation.palette import COLORS, STEEL, WOOD
from scenemind.simulation.primitives import Primitive, Spheroid, block, post, shaded


def open_shelf(rng: np.random.Generator) -> Blueprint:
    """Boards between four posts, empty: things go on each of them."""
    x, y, board = float(rng.uniform(0.95, 1.15)), 0.36, 0.025
    tops = (0.3, 0.7, 1.1)
    parts: list[Primitive] = [
        block(0, 0, top - board, (x, y, board), shaded(WOOD, 1.1)) for top in tops
    ]
    dx, dy = x / 2 - 0.015, y / 2 - 0.015
    for px, py in ((-dx, -dy), (dx, -dy), (dx, dy), (-dx, dy)):
        parts.append(block(px, py, 0, (0.03, 0.03, tops[-1] - board), shaded(STEEL, 0.6)))
    half_x, half_y = x / 2 - 0.05, y / 2 - 0.03
    between = tops[1] - tops[0] - board - 0.02
    surfaces = (
        Surface(half_x, half_y, tops[2]),
        *(Surface(half_x, half_y, top, between) for top in tops[:2]),
    )
    return Blueprint("shelf", "brown", tuple(parts), surfaces)


def stool(color: str) -> Blueprint:
    rgb = COLORS[color]
    legs = ((-0.12, -0.12), (0.12, -0.12), (0.12, 0.12), (-0.12, 0.12))
    parts: tuple[Primitive, ...] = (
        post(0, 0, 0.41, 0.18, 0.04, rgb),
        *(block(x, y, 0, (0.035, 0.035, 0.41), shaded(rgb, 0.85)) for x, y in legs),
    )
    return Blueprint("stool", color, parts, plain=True)


def box(rng: np.random.Generator) -> Blueprint:
    """Of cardboard, with tape over the lid."""
    x, y, z = (float(v) for v in rng.uniform((0.3, 0.25, 0.2), (0.45, 0.35, 0.35)))
    parts = (
        block(0, 0, 0, (x, y, z - 0.002), shaded(WOOD, 1.15)),
        block(0, 0, z - 0.002, (x, 0.05, 0.002), shaded(WOOD, 1.45)),
    )
    return Blueprint("box", "brown", parts)


def suitcase(color: str) -> Blueprint:
    rgb = COLORS[color]
    parts: tuple[Primitive, ...] = (
        block(0, 0, 0.04, (0.42, 0.24, 0.58), rgb),
        *(block(x, 0.121, 0.07, (0.03, 0.004, 0.52), shaded(rgb, 0.8)) for x in (-0.12, 0.12)),
        *(post(x, 0, 0, 0.03, 0.04, COLORS["black"]) for x in (-0.16, 0.16)),
        block(0, 0, 0.62, (0.16, 0.03, 0.04), COLORS["black"]),
    )
    return Blueprint("suitcase", color, parts, plain=True)


def backpack(color: str) -> Blueprint:
    rgb = COLORS[color]
    parts = (
        block(0, -0.02, 0, (0.3, 0.16, 0.36), rgb),
        Spheroid((0, -0.02, 0.36), 0.08, 0.06, shaded(rgb, 0.95)),
        block(0, 0.09, 0.03, (0.22, 0.06, 0.16), shaded(rgb, 0.85)),
    )
    return Blueprint("backpack", color, parts, plain=True)


def sports_ball(color: str) -> Blueprint:
    return Blueprint("sports ball", color, (Spheroid((0, 0, 0.11), 0.11, 0.11, COLORS[color]),))


def apple(color: str) -> Blueprint:
    rgb = COLORS[color]
    parts = (Spheroid((0, 0, 0.036), 0.04, 0.036, rgb), post(0, 0, 0.07, 0.004, 0.015, WOOD))
    return Blueprint("apple", color, parts, plain=True)


def can(color: str) -> Blueprint:
    rgb = COLORS[color]
    parts = (post(0, 0, 0, 0.033, 0.115, rgb), post(0, 0, 0.115, 0.029, 0.004, STEEL))
    return Blueprint("soda can", color, parts, plain=True)


def wine_glass() -> Blueprint:
    rgb = (214, 226, 232)
    parts = (
        post(0, 0, 0, 0.035, 0.006, rgb),
        post(0, 0, 0.006, 0.006, 0.09, rgb),
        Spheroid((0, 0, 0.14), 0.04, 0.05, rgb),
    )
    return Blueprint("wine glass", "white", parts)


def clock() -> Blueprint:
    """A table clock, its face towards +y."""
    parts = (
        block(0, 0, 0, (0.16, 0.07, 0.16), COLORS["black"]),
        block(0, 0.036, 0.015, (0.13, 0.003, 0.13), COLORS["white"]),
        block(0, 0.039, 0.08, (0.012, 0.003, 0.05), COLORS["black"]),
        block(0.02, 0.039, 0.075, (0.05, 0.003, 0.012), COLORS["red"]),
    )
    return Blueprint("clock", "black", parts)


def teddy_bear() -> Blueprint:
    """Sitting, looking to +y."""
    rgb = shaded(COLORS["brown"], 1.35)
    dark = shaded(rgb, 0.7)
    parts = (
        Spheroid((0, 0, 0.12), 0.1, 0.12, rgb),
        Spheroid((0, 0.01, 0.28), 0.075, 0.075, rgb),
        *(Spheroid((x, 0, 0.35), 0.03, 0.03, dark) for x in (-0.055, 0.055)),
        *(Spheroid((x, 0.1, 0.045), 0.045, 0.045, dark) for x in (-0.07, 0.07)),
        Spheroid((0, 0.08, 0.265), 0.025, 0.02, dark),
    )
    return Blueprint("teddy bear", "brown", parts)


def remote() -> Blueprint:
    parts = (
        block(0, 0, 0, (0.05, 0.18, 0.022), COLORS["black"]),
        block(0, 0.06, 0.022, (0.03, 0.03, 0.003), COLORS["red"]),
    )
    return Blueprint("remote", "black", parts)
