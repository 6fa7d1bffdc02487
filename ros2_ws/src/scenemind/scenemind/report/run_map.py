"""The map of a run from above."""

from __future__ import annotations

from collections.abc import Mapping

from scenemind.report.content import Run
from scenemind.report.templating import Markup
from scenemind.report.topdown import render_top_down


def render_run_map(run: Run, colors: Mapping[str, str]) -> Markup:
    """With the camera's way, its locations, and the truth where it is known."""
    return render_top_down(run.snapshot, colors, run.path, run.locations, run.truth)
