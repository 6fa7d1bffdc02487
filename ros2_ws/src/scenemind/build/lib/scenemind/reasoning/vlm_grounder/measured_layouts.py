"""Layouts of sheets by how well a vision model reads them (VLM-Grounder, section 4.3)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal

from pydantic import Field, model_validator
from typing_extensions import Self

from scenemind.config import ConfigError, Settings
from scenemind.config.reasoning import VlmGrounderConfig
from scenemind.reasoning.vlm_grounder.stitching import Layout

MOST_LOSS = 0.05
"""Largest loss of recall of a usable layout, compared with the best layout."""


class LayoutScore(Settings):
    """Requests with so many sheets of one layout (VLM-Grounder, section 4.3).

    Attributes:
        failed: number of requests without a valid reply, by error.
        pictures: in the answered requests.
        recalled: pictures whose id and colour were read.
        wrong: pairs of id and colour that are not true.
        seconds: of an answered request, median; None: there was none.
        prompt_tokens: of an answered request, mean, as the server counts them.
    """

    rows: int = Field(ge=1)
    columns: int = Field(ge=1)
    sheets: int = Field(ge=1)
    requests: int = Field(ge=1)
    failed: dict[str, int] = Field({})
    pictures: int = Field(ge=0)
    recalled: int = Field(ge=0)
    wrong: int = Field(0, ge=0)
    seconds: float | None = None
    prompt_tokens: float = 0.0

    @model_validator(mode="after")
    def _adds_up(self) -> Self:
        if self.recalled > self.pictures or self.failures > self.requests:
            raise ValueError("more was recalled, or failed, than there was")
        return self

    @property
    def layout(self) -> Layout:
        return Layout(self.rows, self.columns)

    @property
    def failures(self) -> int:
        return sum(self.failed.values())

    @property
    def recall(self) -> float | None:
        """Share of pictures that were read; None: no request was answered."""
        return self.recalled / self.pictures if self.pictures else None


class MeasuredLayouts(Settings):
    """The file that `python -m benchmarks visual-retrieval` writes.

    Attributes:
        model: as its server names it.
        longest_px: longer side of the sheets.
        picture_px: width and height of the pictures on them.
        is_whole: nothing ended the measurement before its end.
    """

    version: Literal[1] = 1
    model: str
    longest_px: int
    picture_px: tuple[int, int]
    seed: int
    is_whole: bool
    scores: list[LayoutScore] = Field(min_length=1)


def best_layouts(scores: Iterable[LayoutScore]) -> tuple[Layout, ...]:
    """Layouts with little loss, by growing size. Dynamic stitching takes the smallest that hold all
    pictures.

    A layout is used if at least half of its requests were answered, and its recall is above 0 and
    at most `MOST_LOSS` below the best layout's; of several of one size the best. There may be none.
    """
    by_layout: dict[Layout, list[LayoutScore]] = defaultdict(list)
    for score in scores:
        by_layout[score.layout].append(score)
    recalls = {
        layout: recall
        for layout, rows in by_layout.items()
        if (recall := _find_recall(rows)) is not None
    }
    least = max(recalls.values(), default=0.0) - MOST_LOSS
    kept: dict[int, Layout] = {}
    for layout, recall in sorted(recalls.items(), key=lambda item: -item[1]):
        if recall > 0.0 and recall >= least:
            kept.setdefault(layout.cells, layout)
    return tuple(kept[cells] for cells in sorted(kept))


def layouts_of(config: VlmGrounderConfig, model: str | None = None) -> tuple[Layout, ...]:
    """The layouts to stitch with, by growing size: the best of the file, where one is named.

    Args:
        model: that will see the sheets, as its server names it; None: any.

    Raises:
        ConfigError: the file is missing, damaged, of another model or of an interrupted
            measurement, or holds no layout to use; or layouts without cells, or of one size.
    """
    if not config.layouts_file:
        return _growing([Layout(*pair) for pair in config.layouts])
    measured = MeasuredLayouts.load(Path(config.layouts_file))
    layouts = best_layouts(measured.scores)
    if model not in (None, measured.model):
        why = f"measured with {measured.model!r}, and the vision model is {model!r}"
    elif not measured.is_whole:
        why = "the measurement was ended before its end"
    elif not layouts:
        why = "of no layout anything was read, or most requests failed"
    else:
        return layouts
    raise ConfigError(
        f"{config.layouts_file}: {why}: measure again with"
        " `python -m benchmarks visual-retrieval`, or leave vlm_grounder.layouts_file empty"
    )


def _find_recall(rows: Sequence[LayoutScore]) -> float | None:
    """Over requests with any number of sheets; None: too few were answered."""
    pictures = sum(row.pictures for row in rows)
    failures, requests = sum(r.failures for r in rows), sum(r.requests for r in rows)
    if not pictures or 2 * failures > requests:
        return None
    return sum(row.recalled for row in rows) / pictures


def _growing(layouts: Sequence[Layout]) -> tuple[Layout, ...]:
    """
    Raises:
        ConfigError: there is none, one without cells, or two of one size.
    """
    said = ", ".join(map(str, layouts)) or "empty"
    if not layouts or min(min(layout) for layout in layouts) < 1:
        raise ConfigError(f"vlm_grounder.layouts: {said}: needs rows and columns from 1")
    if len({layout.cells for layout in layouts}) < len(layouts):
        raise ConfigError(f"vlm_grounder.layouts: {said}: two hold as many pictures")
    return tuple(sorted(layouts, key=lambda layout: layout.cells))
