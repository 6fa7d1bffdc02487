"""One run as a page with pictures, readable without a network or JavaScript."""

from scenemind.report.content import Run, Step, TrueObject
from scenemind.report.keyframes import draw_key_frame
from scenemind.report.overview import OverviewEntry, write_overview
from scenemind.report.page import render_page, write_report
from scenemind.report.topdown import render_top_down

__all__ = [
    "OverviewEntry",
    "Run",
    "Step",
    "TrueObject",
    "draw_key_frame",
    "render_page",
    "render_top_down",
    "write_overview",
    "write_report",
]
