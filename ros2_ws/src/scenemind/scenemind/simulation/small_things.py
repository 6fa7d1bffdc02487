"""Things that stand on furniture or in corners, and what hangs on walls; sizes in metres."""

from __future__ import annotations

import numpy as np

from scenemind.simulation.blueprint import Blueprint
from scenemind.simulation.palette import COLORS, LEAF, SCREEN, STEEL, TERRACOTTA, WOOD
from scenemind.simulation.primitives import Primitive, Spheroid, block, post, shaded


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
    """Open, with the screen towards +y."""
    rgb = shaded(COLORS["grey"], 1.2)
    parts = (
        block(0, 0.02, 0, (0.34, 0.22, 0.018), rgb),
        block(0, 0.03, 0.018, (0.29, 0.1, 0.003), COLORS["black"]),
        block(0, -0.1, 0.018, (0.34, 0.015, 0.22), rgb),
        block(0, -0.091, 0.03, (0.31, 0.004, 0.19), SCREEN),
    )
    return Blueprint("laptop", "grey", parts)


def monitor() -> Blueprint:
    """On a stand, with the screen towards +y."""
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
    """A leaf in a frame, its back on the wall (local y = 0 is the wall)."""
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
