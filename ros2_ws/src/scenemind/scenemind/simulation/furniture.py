"""Parametric furniture; sizes in metres, drawn by the caller's random generator."""

from __future__ import annotations

import numpy as np

from scenemind.simulation.blueprint import Blueprint, Surface
from scenemind.simulation.palette import COLORS, STEEL, WOOD
from scenemind.simulation.primitives import Primitive, Rgb, block, post, shaded


def table(label: str, size: tuple[float, float, float], color: str, rgb: Rgb) -> Blueprint:
    """A top on four legs."""
    x, y, z = size
    thickness, leg = 0.04, 0.06
    parts: list[Primitive] = [block(0, 0, z - thickness, (x, y, thickness), rgb)]
    parts += _legs(x - 0.02, y - 0.02, z - thickness, leg, shaded(rgb, 0.85))
    return Blueprint(label, color, tuple(parts), (Surface(x / 2 - 0.06, y / 2 - 0.06, z),))


def dining_table(rng: np.random.Generator) -> Blueprint:
    size = (float(rng.uniform(1.4, 1.6)), float(rng.uniform(0.85, 0.92)), 0.74)
    return table("dining table", size, "brown", WOOD)


def side_table(rng: np.random.Generator) -> Blueprint:
    side = float(rng.uniform(0.42, 0.5))
    return table("side table", (side, side, 0.5), "white", COLORS["white"])


def desk(rng: np.random.Generator) -> Blueprint:
    """A top on two side panels with a drawer block."""
    x, y, z = float(rng.uniform(1.3, 1.5)), 0.68, 0.74
    rgb = shaded(COLORS["grey"], 1.4)
    parts = (
        block(0, 0, z - 0.03, (x, y, 0.03), rgb),
        block(-x / 2 + 0.02, 0, 0, (0.03, y - 0.04, z - 0.03), rgb),
        block(x / 2 - 0.22, 0, 0.05, (0.4, y - 0.06, z - 0.08), shaded(rgb, 0.85)),
        *(
            block(x / 2 - 0.22, y / 2 - 0.025, height, (0.12, 0.02, 0.015), STEEL)
            for height in (0.2, 0.4, 0.6)
        ),
    )
    return Blueprint("desk", "grey", parts, (Surface(x / 2 - 0.06, y / 2 - 0.05, z),))


def chair(color: str) -> Blueprint:
    """Four legs, a seat, and a back with an open stretch below it; faces +y."""
    rgb = COLORS[color]
    width, depth, seat = 0.44, 0.44, 0.45
    back_y = -depth / 2 + 0.02
    parts: list[Primitive] = [
        block(0, 0, seat - 0.05, (width, depth, 0.05), rgb),
        block(0, back_y, 0.6, (width, 0.04, 0.3), rgb),
        block(-width / 2 + 0.03, back_y, seat, (0.04, 0.04, 0.15), shaded(rgb, 0.9)),
        block(width / 2 - 0.03, back_y, seat, (0.04, 0.04, 0.15), shaded(rgb, 0.9)),
    ]
    parts += _legs(width, depth, seat - 0.05, 0.04, shaded(rgb, 0.9))
    return Blueprint("chair", color, tuple(parts), plain=True)


def couch(color: str) -> Blueprint:
    """Base, back, two arms and two seat cushions."""
    rgb = COLORS[color]
    x, y = 1.9, 0.88
    cushion = (x / 2 - 0.19, y - 0.25, 0.14)
    parts = (
        block(0, 0, 0.08, (x, y, 0.22), shaded(rgb, 0.85)),
        block(0, -y / 2 + 0.11, 0.3, (x, 0.22, 0.5), rgb),
        block(-x / 2 + 0.09, 0.11, 0.3, (0.18, y - 0.22, 0.3), shaded(rgb, 0.92)),
        block(x / 2 - 0.09, 0.11, 0.3, (0.18, y - 0.22, 0.3), shaded(rgb, 0.92)),
        block(-x / 4 + 0.09, 0.12, 0.3, cushion, shaded(rgb, 1.08)),
        block(x / 4 - 0.09, 0.12, 0.3, cushion, shaded(rgb, 1.08)),
        *_legs(x - 0.06, y - 0.06, 0.08, 0.06, WOOD),
    )
    return Blueprint("couch", color, parts, (Surface(x / 2 - 0.24, 0.2, 0.44),), plain=True)


def bookshelf(rng: np.random.Generator) -> Blueprint:
    """An open shelf filled with books of many colours."""
    x, y, z, board = float(rng.uniform(0.85, 1.1)), 0.3, 1.8, 0.03
    parts: list[Primitive] = [
        block(0, -y / 2 + 0.01, 0, (x, 0.02, z), shaded(WOOD, 0.8)),
        block(-x / 2 + board / 2, 0, 0, (board, y, z), WOOD),
        block(x / 2 - board / 2, 0, 0, (board, y, z), WOOD),
    ]
    for level in np.linspace(0.05, z - board, 6):
        parts.append(block(0, 0, float(level), (x - 2 * board, y, board), WOOD))
    for level in np.linspace(0.05, z - board, 6)[:-1]:
        parts += _row_of_books(rng, x - 2 * board - 0.04, float(level) + board)
    return Blueprint("bookshelf", "brown", tuple(parts))


def cabinet(rng: np.random.Generator) -> Blueprint:
    """A sideboard with doors and knobs."""
    x, y, z = float(rng.uniform(1.1, 1.4)), 0.42, 0.82
    rgb = COLORS["brown"]
    door = (x / 3 - 0.02, 0.015, z - 0.14)
    parts: list[Primitive] = [
        block(0, 0, 0.06, (x, y - 0.03, z - 0.06), rgb),
        block(0, -0.02, 0, (x - 0.1, y - 0.1, 0.06), shaded(rgb, 0.6)),
        *(block(i * x / 3, y / 2 - 0.012, 0.1, door, shaded(rgb, 1.15)) for i in (-1, 0, 1)),
        *(post(i * x / 3 + 0.12, y / 2, 0.5, 0.012, 0.05, STEEL) for i in (-1, 0, 1)),
    ]
    return Blueprint("cabinet", "brown", tuple(parts), (Surface(x / 2 - 0.06, y / 2 - 0.06, z),))


def refrigerator(color: str) -> Blueprint:
    """Two doors, one above the other, with handles."""
    rgb = COLORS[color]
    parts = (
        block(0, -0.02, 0, (0.64, 0.6, 1.75), rgb),
        block(0, 0.3, 0.04, (0.63, 0.04, 1.05), shaded(rgb, 0.97)),
        block(0, 0.3, 1.11, (0.63, 0.04, 0.62), shaded(rgb, 0.97)),
        block(-0.27, 0.335, 0.55, (0.025, 0.03, 0.45), STEEL),
        block(-0.27, 0.335, 1.18, (0.025, 0.03, 0.3), STEEL),
    )
    return Blueprint("refrigerator", color, parts, plain=True)


def _legs(x: float, y: float, height: float, side: float, rgb: Rgb) -> list[Primitive]:
    dx, dy = (x - side) / 2, (y - side) / 2
    places = ((-dx, -dy), (dx, -dy), (dx, dy), (-dx, dy))
    return [block(px, py, 0, (side, side, height), rgb) for px, py in places]


def _row_of_books(rng: np.random.Generator, width: float, bottom_z: float) -> list[Primitive]:
    """Blocks of books of one series each, side by side until the row is nearly full."""
    books: list[Primitive] = []
    names = [name for name in COLORS if name != "black"]
    left = -width / 2
    while True:
        thick = float(rng.uniform(0.06, 0.16))
        if left + thick > width / 2:
            return books
        rgb = shaded(COLORS[names[int(rng.integers(len(names)))]], 0.8)
        size = (thick - 0.006, 0.2, float(rng.uniform(0.2, 0.27)))
        books.append(block(left + thick / 2, 0.01, bottom_z, size, rgb))
        left += thick
