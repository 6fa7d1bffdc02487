"""VLM-Grounder's Algorithm 1, line by line as the paper prints it (supplement A)."""

from __future__ import annotations

from math import ceil, floor

Stitched = tuple[tuple[int, int], list[int]]
"""A layout, rows and columns, and the pictures on one sheet of it."""


def stitch_image(images: list[int], layout: tuple[int, int]) -> list[Stitched]:
    """The paper's helper, which it does not print: sheets of one layout, one after the other."""
    cells = layout[0] * layout[1]
    return [(layout, images[at : at + cells]) for at in range(0, len(images), cells)]


def dynamic_stitching(images: list[int], limit: int) -> list[Stitched]:
    """Its lines 1 to 37. Slices are inclusive there; no pictures are no sheets, as `stitch_image`
    has it, of which the paper says nothing (line 35 can be called with none)."""
    n = len(images)
    res: list[Stitched] = []
    if n <= 4 * limit:
        res = stitch_image(images, (4, 1))
    elif n <= 8 * limit:
        n_8 = ceil((n - 4 * limit) / 4)
        n_4 = limit - n_8
        res += stitch_image(images[0 : 4 * n_4], (4, 1))
        res += stitch_image(images[4 * n_4 :], (2, 4))
    elif n <= 16 * limit:
        n_16 = ceil((n - 8 * limit) / 8)
        n = max(n - 16 * n_16, 0)
        n_4_8 = limit - n_16
        n_8 = ceil((n - 4 * n_4_8) / 4)
        n_4 = n_4_8 - n_8
        res += stitch_image(images[0 : 4 * n_4], (4, 1))
        res += stitch_image(images[4 * n_4 : 4 * n_4 + 8 * n_8], (2, 4))
        res += stitch_image(images[4 * n_4 + 8 * n_8 :], (8, 2))
    elif n <= 27 * limit:
        n_27 = ceil((n - 16 * limit) / 11)
        n_4_8_16 = limit - n_27
        n = max(n - 27 * n_27, 0)
        n_16 = ceil((n - 8 * n_4_8_16) / 8)
        n_4_8 = n_4_8_16 - n_16
        n = max(n - 16 * n_16, 0)
        n_8 = ceil((n - 4 * n_4_8) / 4)
        n_4 = n_4_8 - n_8
        of_small = 4 * n_4 + 8 * n_8
        res += stitch_image(images[0 : 4 * n_4], (4, 1))
        res += stitch_image(images[4 * n_4 : of_small], (2, 4))
        res += stitch_image(images[of_small : of_small + 16 * n_16], (8, 2))
        res += stitch_image(images[of_small + 16 * n_16 :], (9, 3))
    else:
        n_27 = floor(n / 27)
        res += stitch_image(images[0 : 27 * n_27], (9, 3))
        res += dynamic_stitching(images[27 * n_27 :], 1)
    return res
