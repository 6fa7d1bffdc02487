"""Many pictures on few sheets, as large as a model sees them."""

from scenemind.reasoning.vlm_grounder.stitching.layouts import Layout, SheetPlan, plan_sheets
from scenemind.reasoning.vlm_grounder.stitching.measured_layouts import (
    LayoutScore,
    MeasuredLayouts,
    best_layouts,
    layouts_of,
)
from scenemind.reasoning.vlm_grounder.stitching.sheets import draw_sheets

__all__ = [
    "Layout",
    "LayoutScore",
    "MeasuredLayouts",
    "SheetPlan",
    "best_layouts",
    "draw_sheets",
    "layouts_of",
    "plan_sheets",
]
