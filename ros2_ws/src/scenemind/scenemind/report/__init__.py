"""Pages and drawings of a memory, readable without a network or JavaScript."""

from scenemind.report.asked import Asked
from scenemind.report.asked_page import write_asked
from scenemind.report.content import Run, Step, TrueObject
from scenemind.report.curves import Chart, Series, render_curves
from scenemind.report.keyframes import draw_key_frame
from scenemind.report.levels import render_levels
from scenemind.report.overview import OverviewEntry, write_overview
from scenemind.report.page import render_page, write_report
from scenemind.report.palette import colors_of
from scenemind.report.photograph_page import write_photograph
from scenemind.report.shown_relations import neighbourhood, shown_relations
from scenemind.report.standalone import drawing_size, standalone_svg
from scenemind.report.support_tree import Branch, support_tree
from scenemind.report.topdown import render_top_down

__all__ = [
    "Asked",
    "Branch",
    "Chart",
    "OverviewEntry",
    "Run",
    "Series",
    "Step",
    "TrueObject",
    "colors_of",
    "draw_key_frame",
    "drawing_size",
    "neighbourhood",
    "render_curves",
    "render_levels",
    "render_page",
    "render_top_down",
    "shown_relations",
    "standalone_svg",
    "support_tree",
    "write_asked",
    "write_overview",
    "write_photograph",
    "write_report",
]
