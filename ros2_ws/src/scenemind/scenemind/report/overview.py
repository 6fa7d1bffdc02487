"""Several runs side by side: a page of maps, and a page for each run."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from scenemind.report.content import Run
from scenemind.report.page import PAGE, write_report
from scenemind.report.palette import colors_of
from scenemind.report.run_map import render_run_map
from scenemind.report.templating import Markup, render


@dataclass(frozen=True, slots=True, eq=False)
class OverviewEntry:
    """One run and the figures that belong under its map, name -> text."""

    run: Run
    figures: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class _Card:
    title: str
    detector: str
    link: str
    picture: Markup
    figures: Mapping[str, str]


def write_overview(
    title: str, figures: Mapping[str, str], entries: Sequence[OverviewEntry], folder: Path
) -> Path:
    """Write the page and one folder a run beside it; returns the page's path.

    Args:
        figures: of all runs together, name -> text.
    """
    folder.mkdir(parents=True, exist_ok=True)
    cards = []
    for number, entry in enumerate(entries, start=1):
        place = f"{number:02d}-{_slug(entry.run.sequence)}"
        write_report(entry.run, folder / place)
        picture = render_run_map(entry.run, colors_of(entry.run.labels()))
        link = f"{place}/{PAGE}"
        cards.append(_Card(entry.run.sequence, entry.run.detector, link, picture, entry.figures))
    page = folder / PAGE
    style = render("style.css.j2")
    text = render("overview.html.j2", title=title, figures=figures, cards=cards, style=style)
    page.write_text(str(text), encoding="utf-8")
    return page


def _slug(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:40]
