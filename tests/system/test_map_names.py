"""Names in the map from above, as a real browser draws them."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import pytest

from scenemind.report.drawing import colors_of, standalone_svg
from scenemind.report.topdown import render_run_map
from tests.unit.report.made import make_object, make_run

pytestmark = [pytest.mark.extras, pytest.mark.browser]

LABELS = ("monitor", "cup", "potted plant", "WMW swimming mammoth", "illicit ill", "冰箱", "tv")
# left, top, right and bottom of the drawing, then of each name.
_NAMES = """() => {
    const boxOf = (it) => it.getBoundingClientRect();
    const drawn = [document.querySelector("svg"), ...document.querySelectorAll(".labels text")];
    return drawn.map(boxOf).map((box) => [box.left, box.top, box.right, box.bottom]);
}"""
_GLYPHS_PX = 2.0  # of a line's height, which letters leave free above and below


def test_no_name_covers_another_or_is_cut(page: Any) -> None:
    things = [
        make_object(i, LABELS[i % len(LABELS)], (0.45 * (i % 9), 0.4 * (i // 9), 0.4), (0.2,) * 3)
        for i in range(1, 70)
    ]
    run = make_run(things)
    page.set_content(standalone_svg(render_run_map(run, colors_of(run.labels()))).split("?>")[-1])
    drawing, *names = page.evaluate(_NAMES)
    assert len(names) > 50
    for left, top, right, bottom in names:
        assert drawing[0] <= left < right <= drawing[2]
        assert drawing[1] <= top < bottom <= drawing[3]
    for a, b in combinations(names, 2):
        beside = a[2] <= b[0] + 0.5 or b[2] <= a[0] + 0.5
        assert beside or a[3] <= b[1] + _GLYPHS_PX or b[3] <= a[1] + _GLYPHS_PX
