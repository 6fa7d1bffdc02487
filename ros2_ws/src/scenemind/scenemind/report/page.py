"""The report of a mapped sequence as one HTML file, and an overview of several runs."""

from __future__ import annotations

import base64
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from markupsafe import Markup

from scenemind.memory import KeyFrame, MapObject, MemorySnapshot, Relation
from scenemind.memory.graph.relations import CARRYING, INVERSE
from scenemind.memory.history import staying
from scenemind.report.content import Run, Step
from scenemind.report.drawing import colors_of, render
from scenemind.report.keyframes import draw_key_frame
from scenemind.report.levels import render_levels
from scenemind.report.terminal import object_counts
from scenemind.report.topdown import (
    earlier_places,
    render_run_map,
)

# From the most to the least informative one.
_DRAWN_RELATIONS = (*CARRYING, "above", "below", "next to", "besides", "near")
PAGE = "index.html"
_SHOWN_CARDS = 3  # with their pictures; all others are folded
# An object's table row shows the first of these relations that it has.
_LISTED_RELATIONS = (*CARRYING, "next to", "near")


def shown_relations(
    snapshot: MemorySnapshot,
    predicates: Collection[str] = CARRYING,
    object_id: int | None = None,
) -> list[Relation]:
    """At most one relation between two nodes: a person's, else the most informative one.

    Args:
        predicates: predicates to show; relations of people are always shown.
        object_id: only relations of this object.
    """
    best: dict[tuple[int, int], tuple[bool, int, float, int, Relation]] = {}
    for relation in snapshot.relations:
        ends = (relation.subject_id, relation.object_id)
        is_users = relation.source == "user"
        if not is_users and relation.predicate not in predicates:
            continue
        if object_id is not None and object_id not in ends:
            continue
        rank = (
            not is_users,
            _rank(relation.predicate),
            -relation.confidence,
            # The direction whose subject is the object, else whose subject has the lower id.
            0 if relation.subject_id == object_id else 1 + relation.subject_id,
            relation,
        )
        pair = (min(ends), max(ends))
        if pair not in best or rank[:4] < best[pair][:4]:
            best[pair] = rank
    return [rank[4] for rank in best.values()]


def neighbourhood(object_id: int, relations: Iterable[Relation]) -> set[int]:
    """Ids of an object and of its neighbours in these relations."""
    ends = ((r.subject_id, r.object_id) for r in relations)
    return {object_id, *(node for pair in ends if object_id in pair for node in pair)}


def _rank(predicate: str) -> int:
    """Rank of a predicate; inverse predicates have the same rank."""
    names = {predicate, INVERSE.get(predicate, predicate)}
    return min(
        (_DRAWN_RELATIONS.index(name) for name in names if name in _DRAWN_RELATIONS),
        default=len(_DRAWN_RELATIONS),
    )


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


@dataclass(frozen=True, slots=True, eq=False)
class _ObjectCard:
    """One question with its pictures; numbers count from 1."""

    number: int
    step: Step
    pictures: tuple[_Picture, ...]


def write_report(run: Run, folder: Path) -> Path:
    """Write the page into a folder, which is created; returns the page's path."""
    folder.mkdir(parents=True, exist_ok=True)
    page = folder / PAGE
    page.write_text(render_page(run), encoding="utf-8")
    return page


def render_page(run: Run) -> str:
    """The page as HTML, which needs no other file."""
    objects = list(run.snapshot.objects.values())
    spoken = (label for step in run.steps for label in step.labels.values())
    colors = colors_of([*run.labels(), *spoken])
    relations = _relations(run.snapshot)
    rows = [_Row(o, colors[o.label], relations.get(o.object_id, "")) for o in objects]
    slowest = max(run.stages_ms.values(), default=0.0)
    cards = [_card(n, step, run.snapshot, colors) for n, step in enumerate(run.steps, start=1)]
    failed = [card for card in cards if card.step.verdict == "failed"]
    others = [card for card in cards if card not in failed]
    pictured = [card for card in others if card.pictures] or others
    shown = [*failed, *pictured[:_SHOWN_CARDS]]
    page = render(
        "report.html.j2",
        run=run,
        style=_style(),
        top_down=render_run_map(run, colors),
        levels=render_levels(run.snapshot, colors),
        has_structure=bool(run.snapshot.structure),
        people_said=any(relation.source == "user" for relation in run.snapshot.relations),
        rows=rows,
        counted=object_counts(run.snapshot).removeprefix(f"{len(objects)} "),
        gone=list(staying(run.snapshot.gone).values()),
        has_earlier=bool(earlier_places(run.snapshot)),
        cards=cards,
        shown=shown,
        folded=[card for card in cards if card not in shown],
        dropped=sum(run.dropped.values()),
        bars=[(name, ms, 100.0 * ms / slowest if slowest else 0.0)
              for name, ms in run.stages_ms.items()],
        total_ms=sum(run.stages_ms.values()),
        labels={obj.object_id: obj.label for obj in objects},
        mean_iou=_mean_iou(run),
    )  # fmt: skip
    return str(page)


def _card(
    number: int, step: Step, snapshot: MemorySnapshot, colors: Mapping[str, str]
) -> _ObjectCard:
    objects = snapshot.objects
    shown = {i: objects[i].label for i in step.object_ids if i in objects} | dict(step.labels)
    return _ObjectCard(
        number, step, tuple(_picture(frame, shown, colors) for frame in step.key_frames)
    )


def _picture(frame: KeyFrame, labels: Mapping[int, str], colors: Mapping[str, str]) -> _Picture:
    data = base64.b64encode(draw_key_frame(frame, labels, colors)).decode("ascii")
    return _Picture(f"data:image/jpeg;base64,{data}", frame.frame_number)


def _relations(snapshot: MemorySnapshot) -> dict[int, str]:
    """Object id -> its most informative relation in words; "on the floor" is left out."""
    names = {thing.object_id: thing.label for thing in snapshot.objects.values()}
    names |= {p.plane_id: p.kind for p in snapshot.structure.values() if p.kind != "floor"}
    best: dict[int, tuple[int, float, str]] = {}
    for relation in snapshot.relations:
        if relation.predicate not in _LISTED_RELATIONS or relation.object_id not in names:
            continue
        text = f"{relation.predicate} {names[relation.object_id]} {relation.object_id}"
        rank = (_LISTED_RELATIONS.index(relation.predicate), -relation.confidence, text)
        subject = relation.subject_id
        best[subject] = min(best.get(subject, rank), rank)
    return {subject: text for subject, (_, _, text) in best.items()}


def _mean_iou(run: Run) -> float:
    seen = [item.iou for item in run.truth if item.was_seen]
    return sum(seen) / len(seen) if seen else 0.0


def _style() -> Markup:
    return render("style.css.j2")


@dataclass(frozen=True, slots=True, eq=False)
class OverviewEntry:
    """One run, and the figures under its map, name -> text."""

    run: Run
    figures: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class _RunCard:
    title: str
    detector: str
    link: str
    picture: Markup
    figures: Mapping[str, str]


def write_overview(
    title: str, figures: Mapping[str, str], entries: Sequence[OverviewEntry], folder: Path
) -> Path:
    """Write an overview page, and the page of each run in a folder beside it.

    Args:
        figures: of all runs together, name -> text.

    Returns:
        The overview's path.
    """
    folder.mkdir(parents=True, exist_ok=True)
    cards = []
    for number, entry in enumerate(entries, start=1):
        place = f"{number:02d}-{_slug(entry.run.sequence)}"
        write_report(entry.run, folder / place)
        picture = render_run_map(entry.run, colors_of(entry.run.labels()))
        link = f"{place}/{PAGE}"
        cards.append(_RunCard(entry.run.sequence, entry.run.detector, link, picture, entry.figures))
    page = folder / PAGE
    style = render("style.css.j2")
    text = render("overview.html.j2", title=title, figures=figures, cards=cards, style=style)
    page.write_text(str(text), encoding="utf-8")
    return page


def _slug(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:40]
