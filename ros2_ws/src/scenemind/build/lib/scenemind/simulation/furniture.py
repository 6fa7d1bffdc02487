"""Parametric objects of a household; sizes in metres, drawn by the caller's random generator."""

from __future__ import annotations

import numpy as np

from scenemind.simulation.primitives import (
    COLORS,
    LEAF,
    SCREEN,
    STEEL,
    TERRACOTTA,
    WOOD,
    Blueprint,
    Primitive,
    Rgb,
    Spheroid,
    Surface,
    block,
    post,
    shaded,
)


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


def cup(color: str) -> Blueprint:
    rgb = COLORS[color]
    parts = (
        post(0, 0, 0, 0.042, 0.1, rgb),
        post(0, 0, 0.1, 0.035, 0.001, shaded(rgb, 0.6)),
        block(0.052, 0, 0.03, (0.025, 0.012, 0.05), shaded(rgb, 0.95)),
    )
    return Blueprint("cup", color, parts, plain=True)


def bottle(color: str) -> Blueprint:
    rgb = COLORS[color]
    parts = (
        post(0, 0, 0, 0.038, 0.18, rgb),
        Spheroid((0, 0, 0.18), 0.038, 0.04, rgb),
        post(0, 0, 0.2, 0.015, 0.07, shaded(rgb, 0.9)),
    )
    return Blueprint("bottle", color, parts, plain=True)


def bowl(color: str) -> Blueprint:
    rgb = COLORS[color]
    parts = (
        post(0, 0, 0, 0.05, 0.02, shaded(rgb, 0.9)),
        post(0, 0, 0.02, 0.11, 0.06, rgb),
        post(0, 0, 0.08, 0.098, 0.001, shaded(rgb, 0.8)),
    )
    return Blueprint("bowl", color, parts, plain=True)


def book(color: str) -> Blueprint:
    rgb = COLORS[color]
    parts = (
        block(0, 0, 0, (0.17, 0.24, 0.006), rgb),
        block(0.004, 0, 0.006, (0.158, 0.23, 0.028), (236, 230, 214)),
        block(0, 0, 0.034, (0.17, 0.24, 0.006), rgb),
    )
    return Blueprint("book", color, parts)


def laptop() -> Blueprint:
    """An open laptop with the screen towards +y."""
    rgb = shaded(COLORS["grey"], 1.2)
    parts = (
        block(0, 0.02, 0, (0.34, 0.22, 0.018), rgb),
        block(0, 0.03, 0.018, (0.29, 0.1, 0.003), COLORS["black"]),
        block(0, -0.1, 0.018, (0.34, 0.015, 0.22), rgb),
        block(0, -0.091, 0.03, (0.31, 0.004, 0.19), SCREEN),
    )
    return Blueprint("laptop", "grey", parts)


def monitor() -> Blueprint:
    """A monitor on a stand, with the screen towards +y."""
    rgb = COLORS["black"]
    parts = (
        block(0, 0, 0, (0.24, 0.18, 0.015), rgb),
        block(0, -0.03, 0.015, (0.05, 0.04, 0.2), rgb),
        block(0, 0, 0.12, (0.6, 0.035, 0.35), rgb),
        block(0, 0.019, 0.137, (0.57, 0.004, 0.316), SCREEN),
    )
    return Blueprint("monitor", "black", parts)


def keyboard() -> Blueprint:
    rgb = COLORS["black"]
    rows = (block(0, y, 0.02, (0.41, 0.021, 0.006), (58, 58, 62)) for y in (-0.045, -0.015, 0.045))
    keys = block(0, 0.015, 0.02, (0.41, 0.021, 0.006), (58, 58, 62))
    return Blueprint("keyboard", "black", (block(0, 0, 0, (0.43, 0.14, 0.02), rgb), *rows, keys))


def mouse() -> Blueprint:
    rgb = COLORS["black"]
    parts = (post(0, 0, 0, 0.034, 0.018, rgb), Spheroid((0, 0, 0.018), 0.034, 0.018, rgb))
    return Blueprint("mouse", "black", parts)


def pillow(color: str) -> Blueprint:
    rgb = COLORS[color]
    parts = (
        block(0, 0, 0, (0.38, 0.13, 0.34), rgb),
        block(0, 0, 0.05, (0.42, 0.09, 0.24), shaded(rgb, 0.95)),
    )
    return Blueprint("pillow", color, parts, plain=True)


def vase(color: str) -> Blueprint:
    rgb = COLORS[color]
    parts = (
        Spheroid((0, 0, 0.12), 0.085, 0.12, rgb),
        post(0, 0, 0.2, 0.04, 0.1, rgb),
        post(0, 0, 0.3, 0.05, 0.015, shaded(rgb, 0.9)),
    )
    return Blueprint("vase", color, parts, plain=True)


def lamp(color: str) -> Blueprint:
    """A table lamp; the shade gives its colour."""
    parts = (
        post(0, 0, 0, 0.075, 0.02, STEEL),
        post(0, 0, 0.02, 0.012, 0.24, STEEL),
        post(0, 0, 0.24, 0.13, 0.2, COLORS[color]),
    )
    return Blueprint("lamp", color, parts)


def potted_plant(rng: np.random.Generator, height: float) -> Blueprint:
    """A pot, a stem and a crown of leaves."""
    pot = 0.26 * height
    crown = 0.2 * height
    parts: list[Primitive] = [
        post(0, 0, 0, 0.42 * pot, 0.75 * pot, TERRACOTTA),
        post(0, 0, 0.75 * pot, 0.5 * pot, 0.25 * pot, TERRACOTTA),
        post(0, 0, pot, 0.02 * height + 0.004, 0.35 * height, WOOD),
        Spheroid((0, 0, height - crown), crown, crown, LEAF),
    ]
    for angle in np.linspace(0, 2 * np.pi, 6, endpoint=False) + rng.uniform(0, 1):
        x, y = 0.75 * crown * np.cos(angle), 0.75 * crown * np.sin(angle)
        z = height * float(rng.uniform(0.52, 0.72))
        leaf = shaded(LEAF, float(rng.uniform(0.75, 1.2)))
        parts.append(Spheroid((float(x), float(y), z), 0.6 * crown, 0.8 * crown, leaf))
    return Blueprint("potted plant", "green", tuple(parts))


def trash_can(color: str) -> Blueprint:
    rgb = COLORS[color]
    parts = (
        post(0, 0, 0, 0.14, 0.36, rgb),
        post(0, 0, 0.36, 0.15, 0.02, shaded(rgb, 0.9)),
        post(0, 0, 0.38, 0.13, 0.001, shaded(rgb, 0.5)),
    )
    return Blueprint("trash can", color, parts, plain=True)


def door(color: str) -> Blueprint:
    """A door leaf in a frame, its back on the wall (local y = 0 is the wall)."""
    rgb = COLORS[color]
    parts = (
        block(-0.46, 0.02, 0, (0.06, 0.04, 2.06), shaded(rgb, 0.8)),
        block(0.46, 0.02, 0, (0.06, 0.04, 2.06), shaded(rgb, 0.8)),
        block(0, 0.02, 2.0, (0.86, 0.04, 0.06), shaded(rgb, 0.8)),
        block(0, 0.015, 0, (0.86, 0.03, 2.0), rgb),
        block(0, 0.033, 1.15, (0.6, 0.006, 0.7), shaded(rgb, 1.15)),
        block(0, 0.033, 0.2, (0.6, 0.006, 0.7), shaded(rgb, 1.15)),
        block(0.36, 0.05, 1.0, (0.12, 0.03, 0.03), STEEL),
    )
    return Blueprint("door", color, parts, plain=True)


def window(width: float) -> Blueprint:
    """Panes with a bright sky in a white frame over a sill, its back on the wall."""
    rgb, sky, height, bar = COLORS["white"], (176, 212, 246), 1.1, 0.06
    pane = ((width - 3 * bar) / 2, 0.02, height - 2 * bar)
    offset = pane[0] / 2 + bar / 2
    parts = (
        block(0, 0.06, 0, (width, 0.12, bar), rgb),
        block(0, 0.02, height - bar, (width, 0.04, bar), rgb),
        *(block(x, 0.02, bar, (bar, 0.04, pane[2]), rgb) for x in (-2 * offset, 0, 2 * offset)),
        block(-offset, 0.01, bar, pane, sky),
        block(offset, 0.01, bar, pane, sky),
    )
    return Blueprint("window", "white", parts)


def picture(rng: np.random.Generator) -> Blueprint:
    """A framed painting of a landscape, its back on the wall."""
    x, z = float(rng.uniform(0.55, 0.8)), float(rng.uniform(0.45, 0.6))
    names = ("orange", "yellow", "blue", "green", "purple", "red")
    ground, tree, house = (COLORS[names[i]] for i in rng.permutation(len(names))[:3])
    parts = (
        block(0, 0.02, 0, (x, 0.04, z), COLORS["black"]),
        block(0, 0.042, 0.04, (x - 0.08, 0.004, z - 0.08), (232, 226, 206)),
        block(0, 0.046, 0.06, (x - 0.12, 0.004, 0.4 * z), ground),
        block(0.12 * x, 0.05, 0.3 * z, (0.25 * x, 0.004, 0.4 * z), tree),
        block(-0.2 * x, 0.05, 0.2 * z, (0.15 * x, 0.004, 0.3 * z), house),
    )
    return Blueprint("picture", "black", parts)


def open_shelf(rng: np.random.Generator) -> Blueprint:
    """Empty boards between four posts; things can stand on each of them."""
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
    """A cardboard box with tape over the lid."""
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
    """A sitting teddy bear that faces +y."""
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
