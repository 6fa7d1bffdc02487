"""The report's page: one HTML file with everything in it."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from scenemind.memory import KeyFrame, MapObject, MemorySnapshot
from scenemind.memory.graph.relations.names import CARRYING
from scenemind.report.content import Run, Step
from scenemind.report.earlier_places import earlier_places
from scenemind.report.keyframes import draw_key_frame
from scenemind.report.levels import render_levels
from scenemind.report.palette import colors_of
from scenemind.report.run_map import render_run_map
from scenemind.report.shown_relations import shown_relations
from scenemind.report.templating import Markup, render
from scenemind.report.topdown import render_top_down

PAGE = "index.html"
# The relation worth a column: the first of these that an object has.
_TELLING = (*CARRYING, "next to", "near")


@dataclass(frozen=True, slots=True)
class _Row:
    """One object of the table."""

    item: MapObject
    color: str
    relation: str


@dataclass(frozen=True, slots=True)
class _Picture:
    """A key frame with boxes, as a data URL."""

    source: str
    frame_number: int


@dataclass(frozen=True, slots=True)
class _Card:
    """One question with its pictures."""

    step: Step
    pictures: tuple[_Picture, ...]


def write_report(run: Run, folder: Path) -> Path:
    """Write the page into a folder, which is made; returns the page's path."""
    folder.mkdir(parents=True, exist_ok=True)
    page = folder / PAGE
    page.write_text(render_page(run), encoding="utf-8")
    return page


def render_page(run: Run) -> str:
    """The page as HTML; it needs no other file."""
    objects = list(run.snapshot.objects.values())
    spoken = (label for step in run.steps for label in step.labels.values())
    colors = colors_of([*run.labels(), *spoken])
    relations = _relations(run.snapshot)
    rows = [_Row(o, colors[o.label], relations.get(o.object_id, "")) for o in objects]
    slowest = max(run.stages_ms.values(), default=0.0)
    page = render(
        "report.html.j2",
        run=run,
        style=_style(),
        top_down=render_run_map(run, colors),
        levels=render_levels(run.snapshot, colors),
        related=render_top_down(run.snapshot, colors, relations=shown_relations(run.snapshot)),
        has_structure=bool(run.snapshot.structure),
        people_said=any(relation.source == "user" for relation in run.snapshot.relations),
        rows=rows,
        has_earlier=bool(earlier_places(run.snapshot)),
        cards=[_card(step, run.snapshot, colors) for step in run.steps],
        dropped=sum(run.dropped.values()),
        bars=[(name, ms, 100.0 * ms / slowest if slowest else 0.0)
              for name, ms in run.stages_ms.items()],
        total_ms=sum(run.stages_ms.values()),
        labels={obj.object_id: obj.label for obj in objects},
        mean_iou=_mean_iou(run),
    )  # fmt: skip
    return str(page)


def _card(step: Step, snapshot: MemorySnapshot, colors: Mapping[str, str]) -> _Card:
    objects = snapshot.objects
    shown = {i: objects[i].label for i in step.object_ids if i in objects} | dict(step.labels)
    return _Card(step, tuple(_picture(frame, shown, colors) for frame in step.key_frames))


def _picture(frame: KeyFrame, labels: Mapping[int, str], colors: Mapping[str, str]) -> _Picture:
    data = base64.b64encode(draw_key_frame(frame, labels, colors)).decode("ascii")
    return _Picture(f"data:image/jpeg;base64,{data}", frame.frame_number)


def _relations(snapshot: MemorySnapshot) -> dict[int, str]:
    """Object id -> its most telling relation in words; standing on a floor says nothing."""
    names = {thing.object_id: thing.label for thing in snapshot.objects.values()}
    names |= {p.plane_id: p.kind for p in snapshot.structure.values() if p.kind != "floor"}
    best: dict[int, tuple[int, float, str]] = {}
    for relation in snapshot.relations:
        if relation.predicate not in _TELLING or relation.object_id not in names:
            continue
        text = f"{relation.predicate} {names[relation.object_id]} {relation.object_id}"
        rank = (_TELLING.index(relation.predicate), -relation.confidence, text)
        subject = relation.subject_id
        best[subject] = min(best.get(subject, rank), rank)
    return {subject: text for subject, (_, _, text) in best.items()}


def _mean_iou(run: Run) -> float:
    seen = [item.iou for item in run.truth if item.was_seen]
    return sum(seen) / len(seen) if seen else 0.0


def _style() -> Markup:
    return render("style.css.j2")
