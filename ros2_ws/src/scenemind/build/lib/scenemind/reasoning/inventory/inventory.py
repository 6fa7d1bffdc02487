"""An inventory by sight: a vision model names what stands in key frames and has no object yet.

It gives a robot with a closed-set detector, or none, an open vocabulary. One call a picture; what
the map knows, and what this inventory has found, is marked in it. Named boxes become masks, points
and boxes in the world as VLM-Grounder makes them (section 3.4 of its paper), and then objects. What
the map is not sure of is asked about first, in crops (`review`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from scenemind.config import VlmGrounderConfig
from scenemind.frames import FrameError
from scenemind.memory import MapObject, Memory, MemoryAccess, SceneMemoryError
from scenemind.models import ChatMessage, ChatModel, ModelError, Usage
from scenemind.models.structured import BadFormError
from scenemind.reasoning.inventory.coverage import Coverage
from scenemind.reasoning.inventory.pictures import Drawn, Known, Mark, draw, find_marks
from scenemind.reasoning.inventory.replies import (
    MOST_THINGS,
    NOTHING,
    Seen,
    Sighting,
    make_check,
    usable,
)
from scenemind.reasoning.inventory.review import TOGETHER, UNSURE, doubtful, review
from scenemind.reasoning.inventory.things import (
    NamedThing,
    find_object,
    is_contradicted,
    write,
)
from scenemind.reasoning.method import Asking
from scenemind.reasoning.prompts import ask_form, fill_prompt
from scenemind.reasoning.query import ReasoningError
from scenemind.reasoning.shared_models import SharedSegmenter
from scenemind.reasoning.vlm_grounder.projection import measure
from scenemind.reasoning.vlm_grounder.targets import StoredScene, Target

_PACKAGE = "scenemind.reasoning.inventory"
_LONGEST_PX = 1024


@dataclass(frozen=True, slots=True)
class InventoryBudget:
    """Limits of one inventory.

    Attributes:
        calls: of the model: a picture each, or crops of some objects; a repair takes one of them.
        reviews: of these calls, that ask about objects that the map is not sure of.
        tokens: of all calls; 0: no limit.
        seconds: of all work.
    """

    calls: int = 12
    reviews: int = 3
    tokens: int = 0
    seconds: float = 900.0


@dataclass(frozen=True, slots=True, eq=False)
class InventoryReport:
    """The result of an inventory.

    Attributes:
        things: what was named and found in depth, in the order of naming.
        renamed: object id -> the label that the model gave for a wrong one.
        confirmed: object id -> the label that was doubtful, and that the model agrees with.
        doubted: object id -> in how many pictures the model said that no single thing is there; it
            stays, as one look at a part of it proves nothing.
        reviewed: ids of the objects that it was asked about in crops.
        left_out: why named boxes became no thing -> how many.
        pictures: stored frames that were shown.
        stopped: why it ended before its calls were used; empty: they were, or all was seen.
        steps: one line a picture.
    """

    things: tuple[NamedThing, ...]
    renamed: Mapping[int, str]
    confirmed: Mapping[int, str]
    doubted: Mapping[int, int]
    reviewed: tuple[int, ...]
    left_out: Mapping[str, int]
    pictures: tuple[int, ...]
    usage: Usage
    stopped: str = ""
    steps: tuple[str, ...] = ()


@dataclass(slots=True)
class _Findings:
    things: list[NamedThing] = field(default_factory=list)
    renamed: dict[int, str] = field(default_factory=dict)
    confirmed: dict[int, str] = field(default_factory=dict)
    reviewed: list[int] = field(default_factory=list)
    doubted: Counter[int] = field(default_factory=Counter)
    left_out: Counter[str] = field(default_factory=Counter)
    pictures: list[int] = field(default_factory=list)


class Inventory:
    """Names things with one vision model. Reports the stages review, choose, look and measure."""

    def __init__(
        self, vision: ChatModel, segmenter: SharedSegmenter, config: VlmGrounderConfig
    ) -> None:
        """
        Args:
            config: how named boxes are measured.
        """
        self._vision = vision
        self._segmenter = segmenter
        self._config = config

    def propose(
        self,
        memory: MemoryAccess,
        budget: InventoryBudget,
        asking: Asking,
        coverage: Coverage | None = None,
        reviewed: Collection[int] = (),
    ) -> InventoryReport:
        """Look at doubtful objects and key frames; nothing is written. A budget that ends is no
        error: what was found by then counts.

        Args:
            coverage: what was shown before; None: nothing.
            reviewed: ids of objects that are not to be asked about again.

        Raises:
            ReasoningError: no frame is stored.
            ModelError: cancelled, or nothing was answered.
        """
        scene = StoredScene.of(memory)
        found, stopped = _Findings(), ""
        before = asking.allowance.used.calls

        def left() -> int:
            return budget.calls - (asking.allowance.used.calls - before)

        try:
            self._review(scene, budget.calls - budget.reviews, left, reviewed, found, asking)
            asking.progress.report("choose", f"of {len(scene.index)} stored frames")
            for number in (coverage or Coverage()).take(scene, left(), asking):
                if left() <= 0:
                    stopped = "the calls are used up"
                    break
                self._look(number, scene, found, asking)
        except ModelError as error:
            if error.kind == "cancelled" or not (found.pictures or found.reviewed):
                raise
            stopped = str(error)
        return InventoryReport(
            tuple(found.things),
            found.renamed,
            {i: name for i, name in found.confirmed.items() if i not in found.renamed},
            {i: count for i, count in found.doubted.items() if i not in found.renamed},
            tuple(found.reviewed),
            found.left_out,
            tuple(found.pictures),
            asking.allowance.used,
            stopped,
            tuple(asking.progress.steps),
        )

    def keep(self, report: InventoryReport, memory: Memory) -> InventoryReport:
        """Write what was proposed; the report with the ids of the new objects. What mapping has
        found since is left out.

        Raises:
            SceneMemoryError: the disk failed.
        """
        by, written = self._vision.name, []
        left_out = Counter(report.left_out)
        objects = list(memory.snapshot().objects.values())
        for thing in report.things:
            if find_object(thing, objects) is not None:
                left_out["known already"] += 1
                continue
            try:
                written.append(replace(thing, object_id=write(thing, memory, by)))
            except FrameError:
                left_out["a damaged image"] += 1
        for object_id, name in (*report.renamed.items(), *report.confirmed.items()):
            memory.settle_label(object_id, name, by)
        return replace(report, things=tuple(written), left_out=left_out)

    def _review(
        self,
        scene: StoredScene,
        spared: int,
        left: Callable[[], int],
        reviewed: Collection[int],
        found: _Findings,
        asking: Asking,
    ) -> None:
        """Ask about doubtful objects, some in one call, as long as more than `spared` are left."""
        due = [t for t in doubtful(scene.snapshot.objects.values()) if t.object_id not in reviewed]
        while due and left() > max(0, spared):
            some, due = due[:TOGETHER], due[TOGETHER:]
            verdicts = review(self._vision, scene.memory, some, asking)
            found.reviewed += [thing.object_id for thing in some]
            for said in verdicts:
                if said.confirms:
                    found.confirmed[said.object_id] = said.label
                elif said.name == NOTHING:
                    found.doubted[said.object_id] += 1
                elif said.name != UNSURE:
                    found.renamed[said.object_id] = said.name
            asking.progress.note(
                f"reviewed: {len(some)} doubtful objects, {sum(v.confirms for v in verdicts)}"
                f" confirmed"
            )

    def _look(self, number: int, scene: StoredScene, found: _Findings, asking: Asking) -> None:
        """Show one picture, and measure what is named in it."""
        try:
            frame, depth = scene.memory.key_frame(number), scene.memory.depth_image(number)
            marks = find_marks(_known(scene, found), frame, depth)
            drawn = draw(frame, marks, _LONGEST_PX)
        except (SceneMemoryError, FrameError):
            found.left_out["pictures that cannot be read"] += 1
            return
        asking.progress.report("look", f"frame {number}, {len(marks)} known things", (frame,))
        reply = self._ask(drawn, marks, asking)
        found.pictures.append(number)
        if reply is None:
            found.left_out["replies of no use"] += 1
            return
        seen, renamed = usable(reply, drawn, marks)
        found.left_out["impossible, or marked already"] += max(0, len(reply.things) - len(seen))
        for mark, name in renamed:
            _rename(mark.known, name, found)
        before = len(found.things)
        for one in seen:
            asking.allowance.check()
            self._find(one, Target(frame, one.box_px), scene, found, asking)
        asking.progress.note(
            f"frame {number}: {len(marks)} marked, {len(seen)} named,"
            f" {len(found.things) - before} new"
        )

    def _ask(self, drawn: Drawn, marks: Sequence[Mark], asking: Asking) -> Sighting | None:
        """The reply to a picture; None where two were of no use."""
        task = fill_prompt(
            _PACKAGE,
            "name_things",
            most=str(MOST_THINGS),
            width=str(drawn.width),
            height=str(drawn.height),
        )
        messages = [ChatMessage("system", task), ChatMessage("user", "The picture:", (drawn.jpeg,))]
        try:
            check = make_check(drawn, marks)
            return ask_form(self._vision, messages, Sighting, asking, "look", check)
        except BadFormError as error:
            return error.form if isinstance(error.form, Sighting) else None

    def _find(
        self, seen: Seen, target: Target, scene: StoredScene, found: _Findings, asking: Asking
    ) -> None:
        """Measure a named box, and keep it where it is a new thing."""
        segmenter = self._segmenter.within(asking.allowance)
        try:
            measured = measure(target, scene, segmenter, self._config, asking)
        except ReasoningError:
            found.left_out["without depth"] += 1
            return
        thing = NamedThing.find(seen.name, measured)
        if thing is None:
            found.left_out["hidden, or not to be cut out"] += 1
            return
        for place, other in enumerate(found.things):
            if other.is_same_as(thing.name, thing.box):
                found.things[place] = other.seen_also(thing)
                return
        known = find_object(thing, _objects(scene, found))
        if known is not None:
            # Something is there after all.
            is_doubted = bool(found.doubted.pop(known.object_id, 0))
            if is_doubted and thing.name != known.label:
                found.renamed[known.object_id] = thing.name
            else:
                found.left_out["known already"] += 1
        elif is_contradicted(thing, scene):
            found.left_out["contradicted by depth"] += 1
        else:
            found.things.append(thing)
            asking.progress.report("measure", thing.name)


def _rename(known: Known, name: str, found: _Findings) -> None:
    """Note the right name of a marked thing; one that this inventory found may be nothing."""
    if known.object_id:
        if name == NOTHING:
            found.doubted[known.object_id] += 1
        elif name != known.name:
            found.renamed[known.object_id] = name
        return
    (thing,) = (one for one in found.things if one.points is known.points)
    place = found.things.index(thing)
    if name == NOTHING:
        del found.things[place]
        found.left_out["taken back"] += 1
    else:
        found.things[place] = replace(thing, name=name)


def _objects(scene: StoredScene, found: _Findings) -> list[MapObject]:
    """The objects of the map, with the labels that the model gave them since."""
    objects = scene.snapshot.objects.items()
    return [replace(one, label=found.renamed.get(i, one.label)) for i, one in objects]


def _known(scene: StoredScene, found: _Findings) -> list[Known]:
    """The objects of the map, and what was found so far."""
    known = [Known(one.object_id, one.label, one.points) for one in _objects(scene, found)]
    return [*known, *(Known(0, one.name, one.points) for one in found.things)]
