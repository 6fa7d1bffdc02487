"""A table of alignment tasks over the scenes of an objects file, the same for the same seed."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from scenemind.errors import EvaluationError
from scenemind.evaluation.alignment.planting import (
    Confusions,
    Planting,
    TrueScene,
    all_words,
    may_be_joined,
    other_colours,
)
from scenemind.evaluation.alignment.tasks import (
    AlignmentTask,
    Category,
    Difficulty,
    PlantedError,
    TaskQuestion,
)
from scenemind.evaluation.scenes import Scenes
from scenemind.geometry import Pose, gap_m
from scenemind.language.english import number_word, plural, read_table, with_article
from scenemind.memory import MapObject

_MOST_COUNTED = 8
_FEWEST, _MOST_ERRORS = 2, 4
# Distance of the viewpoint from the middle between two objects beside each other.
_FROM_M, _BESIDE_M, _LEVEL_M, _EYES_M = 3.0, (0.8, 3.0), 1.0, 1.6
# The closest object is at least this much closer than the next.
_CLOSER_M = 0.3
# Materials of which one is a kind of the other.
_KINDS = ({"metal", "stainless steel"}, {"stone", "marble"}, {"paper", "cardboard"})
# Number of passes through the scenes, with other random choices, to find a kind of task.
_ROUNDS = 5


@dataclass(frozen=True, slots=True, eq=False)
class TaskContext:
    """A scene in which a task is searched for."""

    scene: TrueScene
    planting: Planting
    rng: random.Random

    def ask(self, kind: str, *answers: str, noun: str = "", **words: str) -> TaskQuestion:
        """A question in a random wording.

        Args:
            kind: of the question, in the table of wordings.
            words: words of the question, by name.
        """
        wording = self.rng.choice(read_wordings()["questions"][kind])
        return TaskQuestion(fill_wording(wording, noun=noun, **words), answers)


@dataclass(frozen=True, slots=True, eq=False)
class TaskDraft:
    """A task without its errors, which are in the context's `planting`."""

    wanted: TaskQuestion
    viewpoint: Pose | None = None


def fill_wording(wording: str, **words: str) -> str:
    """Fill a wording: "{a_noun}" stands for a noun with its article, "{nouns}" for its plural."""
    more = {f"a_{name}": with_article(word) for name, word in words.items() if word}
    return wording.format(nouns=plural(words.get("noun", "")), **more, **words)


@cache
def read_wordings(file: str = "person.yaml") -> Mapping[str, Any]:
    """A table of wordings of this package."""
    table: Mapping[str, Any] = read_table("scenemind.evaluation.alignment", file)
    return table


def shuffled(context: TaskContext, things: Sequence[Any]) -> list[Any]:
    """Things in random order, by the context's generator."""
    return context.rng.sample(list(things), len(things))


def color(context: TaskContext) -> TaskDraft | None:
    """ "What is the color of the screen?": perceived with a wrong colour."""
    for thing in _with(context, "color"):
        context.planting.miscolor(thing)
        return TaskDraft(context.ask("color", thing.attributes["color"], noun=thing.label))
    return None


def material(context: TaskContext) -> TaskDraft | None:
    """ "What is the tv made from?": a wrong material, or none."""
    for thing in _with(context, "material"):
        context.planting.misjudge(thing, "material", context.rng.choice((None, None, "")))
        return TaskDraft(context.ask("material", thing.attributes["material"], noun=thing.label))
    return None


def shape(context: TaskContext) -> TaskDraft | None:
    """ "What is the shape of the door?"."""
    for thing in _with(context, "shape"):
        context.planting.misjudge(thing, "shape")
        return TaskDraft(context.ask("shape", thing.attributes["shape"], noun=thing.label))
    return None


def is_shaped(context: TaskContext) -> TaskDraft | None:
    """ "Is the blue box triangular in shape?": it is not, but is perceived as such."""
    for thing in _with(context, "shape"):
        wrong = context.rng.choice(_others(thing, "shape"))
        context.planting.misjudge(thing, "shape", wrong)
        return TaskDraft(context.ask("is_shaped", "no", noun=thing.label, value=wrong))
    return None


def is_made_of(context: TaskContext) -> TaskDraft | None:
    """ "Is the armchair made from wood?"."""
    for thing in _with(context, "material"):
        wrong = context.rng.choice(_others(thing, "material"))
        context.planting.misjudge(thing, "material", wrong)
        return TaskDraft(context.ask("is_made_of", "no", noun=thing.label, value=wrong))
    return None


def is_there_colored(context: TaskContext) -> TaskDraft | None:
    """ "Is there any white recycling bin in the room?": perceived with a wrong colour."""
    for thing in _with(context, "color"):
        true = thing.attributes["color"]
        context.planting.miscolor(thing)
        return TaskDraft(context.ask("is_there_colored", "yes", noun=thing.label, value=true))
    return None


def same_color(context: TaskContext) -> TaskDraft | None:
    """ "Are the shelf and the desk of the same color?": one is perceived with a wrong colour."""
    for first, second in _pairs(context, "color"):
        is_same = first.attributes["color"] == second.attributes["color"]
        theirs = second.attributes["color"]
        if not is_same and theirs not in other_colours(first.attributes["color"]):
            continue
        context.planting.miscolor(first, "" if is_same else theirs)
        answer = "yes" if is_same else "no"
        return TaskDraft(context.ask("same_color", answer, noun=first.label, other=second.label))
    return None


def two_same_color(context: TaskContext) -> TaskDraft | None:
    """ "Are the two doors in the same color?"."""
    for thing in shuffled(context, context.scene.things):
        both = context.scene.counted(thing.label) or ()
        colours = {other.attributes.get("color", "") for other in both}
        if len(both) == 2 and len(colours) == 1 and "" not in colours:
            context.planting.miscolor(thing)
            return TaskDraft(context.ask("two_same_color", "yes", noun=thing.label))
    return None


def same_material(context: TaskContext) -> TaskDraft | None:
    """ "Are the sink and the bathtub made from the same materials?"."""
    for first, second in _pairs(context, "material"):
        is_same = first.attributes["material"] == second.attributes["material"]
        theirs = second.attributes["material"]
        context.planting.misjudge(first, "material", None if is_same else theirs)
        answer = "yes" if is_same else "no"
        return TaskDraft(context.ask("same_material", answer, noun=first.label, other=second.label))
    return None


def unknown_material(context: TaskContext) -> TaskDraft | None:
    """ "What is the partition made from?": perceived with a wrong label and material."""
    for thing in _with(context, "material"):
        if context.planting.mislabel(thing):
            context.planting.misjudge(thing, "material")
            return TaskDraft(
                context.ask("material", thing.attributes["material"], noun=thing.label)
            )
    return None


def unknown_shape(context: TaskContext) -> TaskDraft | None:
    """ "Is the red backpack oblong in shape?": perceived with a wrong label, colour and shape."""
    for thing in _with(context, "shape"):
        true = thing.attributes.get("color")
        if true is None or not context.planting.mislabel(thing):
            continue
        context.planting.miscolor(thing)
        wrong = context.rng.choice(_others(thing, "shape"))
        context.planting.misjudge(thing, "shape", wrong)
        words = {"noun": thing.label, "value": wrong, "color": true}
        return TaskDraft(context.ask("is_shaped_colored", "no", **words))
    return None


def _with(context: TaskContext, key: str) -> Iterator[MapObject]:
    yield from (o for o in shuffled(context, context.scene.unique) if o.attributes.get(key))


def _pairs(context: TaskContext, key: str) -> Iterator[tuple[MapObject, MapObject]]:
    things = list(_with(context, key))
    yield from zip(things[::2], things[1::2], strict=False)


def _others(thing: MapObject, key: str) -> list[str]:
    true = thing.attributes[key].split()[-1]
    return [word for word in all_words(key) if word.split()[-1] != true]


def counted_once_more(context: TaskContext) -> TaskDraft | None:
    """ "How many chairs are there in the room?": one is perceived as two."""
    for group in _groups(context):
        context.planting.see_twice(context.rng.choice(group))
        return _how_many(context, group)
    return None


def counted_ghost(context: TaskContext) -> TaskDraft | None:
    """ "How many chairs are there in the room?": one is perceived where there is none."""
    for group in _groups(context):
        context.planting.see_ghost(context.rng.choice(group))
        return _how_many(context, group)
    return None


def missed_one(context: TaskContext) -> TaskDraft | None:
    """ "How many chairs are there in the room?": one is perceived with a wrong label."""
    for group in _groups(context):
        if context.planting.mislabel(context.rng.choice(group)):
            return _how_many(context, group)
    return None


def miscounted(context: TaskContext) -> TaskDraft | None:
    """ "How many chairs are there in the room?": two to four errors of different objects."""
    wanted = context.rng.randint(_FEWEST, _MOST_ERRORS)
    for group in _groups(context):
        if len(group) < 2:
            continue
        left = shuffled(context, group)
        for plant in shuffled(context, (_join, _halve, _hide, _invent, _halve, _hide)):
            if len(context.planting.errors) < wanted:
                plant(context, left)
        if len(context.planting.errors) >= _FEWEST and _is_wrong(context, group):
            return _how_many(context, group)
        return None  # planted errors cannot be removed: try another scene
    return None


def _join(context: TaskContext, left: list[MapObject]) -> None:
    for first in left:
        for second in left:
            if first.object_id < second.object_id and may_be_joined(first, second):
                context.planting.see_as_one(first, second)
                left.remove(first)
                left.remove(second)
                return


def _halve(context: TaskContext, left: list[MapObject]) -> None:
    if left:
        context.planting.see_twice(left.pop())


def _hide(context: TaskContext, left: list[MapObject]) -> None:
    if left:
        context.planting.mislabel(left.pop())


def _invent(context: TaskContext, left: list[MapObject]) -> None:
    if left:
        context.planting.see_ghost(left[0])


def _is_wrong(context: TaskContext, group: Sequence[MapObject]) -> bool:
    """Whether the errors change the count."""
    noun = group[0].label
    seen = [o for o in context.planting.perceived.values() if o.label == noun]
    return len(seen) != len(group)


def _how_many(context: TaskContext, group: Sequence[MapObject]) -> TaskDraft:
    return TaskDraft(context.ask("count", number_word(len(group)), noun=group[0].label))


def _groups(context: TaskContext) -> Iterator[Sequence[MapObject]]:
    """Groups of a few objects of the same name, where no other object could have that name."""
    for label in shuffled(context, sorted({thing.label for thing in context.scene.things})):
        group = context.scene.counted(label)
        if group and len(group) <= _MOST_COUNTED and {o.label for o in group} == {label}:
            yield group


def on_what(context: TaskContext) -> TaskDraft | None:
    """ "What is the item above the blue box?": perceived with a wrong label."""
    for thing, carrier in _carried(context):
        if context.planting.mislabel(thing):
            return TaskDraft(context.ask("on_what", thing.label, anchor=carrier.label))
    return None


def supporting(context: TaskContext) -> TaskDraft | None:
    """ "What is item supporting the monitor?": the support is perceived with a wrong label."""
    for thing, carrier in _carried(context):
        if context.planting.mislabel(carrier):
            return TaskDraft(context.ask("supporting", carrier.label, noun=thing.label))
    return None


def is_on(context: TaskContext) -> TaskDraft | None:
    """ "Is the red backpack placed on the black table?": perceived hovering above it."""
    for thing, carrier in _carried(context):
        context.planting.lift(thing, carrier)
        return TaskDraft(context.ask("is_on", "yes", noun=thing.label, anchor=carrier.label))
    return None


def on_what_unknown(context: TaskContext) -> TaskDraft | None:
    """ "What is the item that is above the stove?": both are perceived with wrong labels."""
    for thing, carrier in _carried(context):
        if context.planting.mislabel(carrier) and context.planting.mislabel(thing):
            return TaskDraft(context.ask("on_what", thing.label, anchor=carrier.label))
    return None


def is_on_unknown(context: TaskContext) -> TaskDraft | None:
    """Tasks as in `is_on`, for objects with wrong labels in the map."""
    for thing, carrier in _carried(context):
        if context.planting.mislabel(thing):
            if context.rng.random() < 0.5:
                context.planting.mislabel(carrier)
            context.planting.lift(thing, carrier)
            return TaskDraft(context.ask("is_on", "yes", noun=thing.label, anchor=carrier.label))
    return None


def on_beside(context: TaskContext) -> TaskDraft | None:
    """ "What is the item above the desk and beside the laptop?": two have wrong labels."""
    unique = {thing.object_id for thing in context.scene.unique}
    for thing, beside, carrier in shuffled(context, list(context.scene.on_together())):
        if not unique.issuperset((thing.object_id, beside.object_id, carrier.object_id)):
            continue
        if context.planting.mislabel(thing) and context.planting.mislabel(beside):
            words = {"anchor": carrier.label, "other": beside.label}
            return TaskDraft(context.ask("on_beside", thing.label, **words))
    return on_what_unknown(context)


def is_beside(context: TaskContext) -> TaskDraft | None:
    """ "Is the hanger located to the left of the ironing board?": both have wrong labels."""
    things = shuffled(context, context.scene.unique)
    for first, second in zip(things[::2], things[1::2], strict=False):
        viewpoint = _opposite(first, second)
        if viewpoint is None:
            continue
        if context.planting.mislabel(first) and context.planting.mislabel(second):
            side = context.rng.choice(("is_left", "is_right"))
            answer = "yes" if side == "is_left" else "no"
            return TaskDraft(
                context.ask(side, answer, noun=first.label, other=second.label), viewpoint
            )
    return None


def _carried(context: TaskContext) -> Iterator[tuple[MapObject, MapObject]]:
    """Pairs of an object and its support, both with unambiguous names."""
    unique = {thing.object_id: thing for thing in context.scene.unique}
    for thing_id, carrier_id in shuffled(context, list(context.scene.carried.items())):
        if thing_id in unique and carrier_id in unique:
            yield unique[thing_id], unique[carrier_id]


def _opposite(left: MapObject, right: MapObject) -> Pose | None:
    """`world_T_head` of a person who looks at the middle between two objects, one clearly on the
    left and one on the right; None: they are too close, too far, or at different heights."""
    across = np.subtract(right.box.center, left.box.center)
    if abs(across[2]) > _LEVEL_M:
        return None
    across[2] = 0.0
    apart_m = float(np.linalg.norm(across))
    if not _BESIDE_M[0] <= apart_m - _widths_m(left, right, across) <= _BESIDE_M[1]:
        return None
    y_axis = -across / apart_m  # to the left
    x_axis = np.array((y_axis[1], -y_axis[0], 0.0))
    middle = (np.add(left.box.center, right.box.center)) / 2.0
    place = middle - _FROM_M * x_axis
    place[2] = _EYES_M
    return Pose(np.column_stack((x_axis, y_axis, (0.0, 0.0, 1.0))), place)


def _widths_m(first: MapObject, second: MapObject, across: np.ndarray) -> float:
    """Upper bound of the length within their boxes on the line between their centres, metres."""
    way = np.abs(across) / np.linalg.norm(across)
    return float(sum(way @ np.asarray(o.box.size) for o in (first, second))) / 2.0


def novel_question(context: TaskContext, asked: TaskQuestion) -> TaskQuestion | None:
    """A further question whose answer is wrong before the correction; None: there is no clear one.

    Args:
        asked: the task's own question, which must not be repeated.
    """
    for error in shuffled(context, context.planting.errors):
        found = [w for w in _about(context, error) if w.question != asked.question]
        if found:
            return context.rng.choice(found)
    return None


def _about(context: TaskContext, error: PlantedError) -> Iterator[TaskQuestion]:
    match error.kind:
        case "label":
            yield from _named(context, context.scene.objects[error.object_id])
        case "material":
            yield from _made_of(context, error)
        case "shape":
            yield from _shaped(context, error)
        case "color" | "twice" | "joined" | "ghost":
            yield from _coloured(context, error)
        case "relation":
            yield from _on(context, error)


def _named(context: TaskContext, thing: MapObject) -> Iterator[TaskQuestion]:
    if thing not in context.scene.unique:
        yield from _coloured(context, PlantedError("label", thing.object_id, thing.label))
        return
    yield _ask(context, "where", thing.label, ids={thing.object_id})
    yield _ask(context, "count", thing.label, answers=("one",))
    for label in sorted({other.label for other in context.scene.things}):
        group = context.scene.counted(label) or ()
        by_gap = sorted(group, key=lambda other: gap_m(other.box, thing.box))
        if len(by_gap) < 2 or not _are_perceived(context, by_gap):
            continue
        first, second = (gap_m(other.box, thing.box) for other in by_gap[:2])
        if second - first >= _CLOSER_M:
            yield _ask(context, "closest", thing.label, ids={by_gap[0].object_id}, other=label)


def _made_of(context: TaskContext, error: PlantedError) -> Iterator[TaskQuestion]:
    of_all = {i: o.attributes.get("material") for i, o in context.scene.objects.items()}
    if not any(error.value in kinds <= set(of_all.values()) for kinds in _KINDS):
        ids = {i for i, material in of_all.items() if material == error.value}
        yield _ask(context, "made_of", ids=ids, value=error.value)


def _shaped(context: TaskContext, error: PlantedError) -> Iterator[TaskQuestion]:
    group = context.scene.counted(error.noun) or ()
    so = [o.object_id for o in group if o.attributes.get("shape") == error.value]
    if so == [error.object_id]:
        yield _ask(context, "shaped", error.noun, answers=("yes",), value=error.value)


def _coloured(context: TaskContext, error: PlantedError) -> Iterator[TaskQuestion]:
    seen = context.scene.objects.get(
        error.object_id, context.planting.perceived.get(error.object_id)
    )
    value = seen.attributes.get("color") if seen else None
    group = context.scene.counted(error.noun)
    if not value or not group:
        return
    count = sum(other.attributes.get("color") == value for other in group)
    named = [o for o in context.planting.perceived.values() if o.label.endswith(error.noun)]
    if count != sum(other.attributes.get("color") == value for other in named):
        yield _ask(context, "colored", error.noun, answers=(number_word(count),), value=value)


def _on(context: TaskContext, error: PlantedError) -> Iterator[TaskQuestion]:
    anchor = context.scene.objects[error.anchor_id] if error.anchor_id is not None else None
    if anchor is not None and anchor in context.scene.unique:
        yield _ask(context, "what_on", ids={error.object_id}, anchor=anchor.label)


def _are_perceived(context: TaskContext, group: list[MapObject]) -> bool:
    """Whether these objects are perceived correctly: the question is about another one."""
    return all(context.planting.perceived.get(o.object_id) is o for o in group)


def _ask(
    context: TaskContext,
    kind: str,
    noun: str = "",
    answers: tuple[str, ...] = (),
    ids: set[int] | None = None,
    **words: str,
) -> TaskQuestion:
    wording = context.rng.choice(read_wordings()["novel"][kind])
    return TaskQuestion(fill_wording(wording, noun=noun, **words), answers, frozenset(ids or ()))


Maker = Callable[[TaskContext], TaskDraft | None]
# The number of each kind of task is that of table A.2: 25 easy, 17 hard.
_TABLE: tuple[tuple[Category, Difficulty, Maker, int], ...] = (
    ("attribute", "easy", color, 5),
    ("attribute", "easy", material, 5),
    ("attribute", "easy", shape, 1),
    ("attribute", "easy", is_shaped, 2),
    ("attribute", "easy", is_made_of, 1),
    ("attribute", "easy", is_there_colored, 1),
    ("attribute", "easy", same_color, 1),
    ("attribute", "easy", two_same_color, 1),
    ("attribute", "easy", same_material, 1),
    ("spatial", "easy", on_what, 2),
    ("spatial", "easy", supporting, 1),
    ("spatial", "easy", is_on, 1),
    ("numeric", "easy", counted_once_more, 1),
    ("numeric", "easy", counted_ghost, 1),
    ("numeric", "easy", missed_one, 1),
    ("attribute", "hard", unknown_material, 1),
    ("attribute", "hard", unknown_shape, 2),
    ("spatial", "hard", on_what_unknown, 2),
    ("spatial", "hard", on_beside, 2),
    ("spatial", "hard", is_on_unknown, 2),
    ("spatial", "hard", is_beside, 2),
    ("numeric", "hard", miscounted, 6),
)


def make_tasks(scenes: Scenes, seed: int = 0, most_scenes: int = 100) -> Sequence[AlignmentTask]:
    """42 tasks over the scenes of a file.

    Args:
        most_scenes: limit of scenes to use, as computing scene graphs takes time.

    Raises:
        EvaluationError: the scenes allow no task of some kind.
    """
    rng = random.Random(seed)
    names = rng.sample(sorted(scenes.names), min(most_scenes, len(scenes.names)))
    true = [TrueScene(name, scenes.get_snapshot(name), rng) for name in names]
    confusions = Confusions(thing for scene in true for thing in scene.objects.values())
    tasks: list[AlignmentTask] = []
    turn = 0
    for category, difficulty, make, count in _TABLE:
        for _ in range(count):
            for attempt in range(_ROUNDS * len(true)):
                scene = true[(turn + attempt) % len(true)]
                context = TaskContext(scene, Planting(scene, confusions, rng), rng)
                draft = make(context)
                if draft is not None:
                    break
            else:
                raise EvaluationError(
                    f"{len(true)} scenes allow no task {make.__name__!r}: more scenes, or scenes"
                    " with more objects, are needed"
                )
            turn += attempt + 1
            task_id = f"t{len(tasks) + 1}"
            tasks.append(_task(task_id, category, difficulty, context, draft))
    return tasks


def _task(
    task_id: str, category: Category, difficulty: Difficulty, context: TaskContext, draft: TaskDraft
) -> AlignmentTask:
    return AlignmentTask(
        task_id,
        context.scene.scene_id,
        category,
        difficulty,
        draft.wanted,
        novel_question(context, draft.wanted),
        tuple(context.planting.errors),
        context.scene.objects,
        context.planting.perceived,
        draft.viewpoint,
    )
