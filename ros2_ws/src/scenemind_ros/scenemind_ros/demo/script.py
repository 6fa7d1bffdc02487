"""Requests of the demo, with the right answers if they are known by construction."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from scenemind.memory import KeyFrame, MapObject, MemorySnapshot, Relation
from scenemind.simulation import (
    MatchTable,
    Question,
    Room,
    SimpleDepthNoise,
    SimulatedSequence,
    VisibilityCounter,
    make_questions,
    match_objects,
)
from scenemind.simulation.room import surely_next_to

RequestKind = Literal["ask", "ground", "align", "undo"]


@dataclass(frozen=True, slots=True, eq=False)
class Reply:
    """A reply to a request.

    Attributes:
        text: the answer, or the error message.
        object_ids: its objects, most relevant first.
        detail: steps of the method.
    """

    success: bool
    text: str
    object_ids: tuple[int, ...] = ()
    key_frames: tuple[KeyFrame, ...] = ()
    detail: str = ""


def any_reply(_reply: Reply) -> bool:
    """Accept any reply: the right answer is unknown."""
    return True


@dataclass(frozen=True, slots=True)
class Request:
    """A request with the check of its reply.

    Attributes:
        name: kind of request, for people.
        text: the request's words; empty for `undo`, which undoes the newest correction.
        expected: a right answer, for people; empty if unknown.
        is_right: whether a successful reply is right.
    """

    name: str
    kind: RequestKind
    text: str
    expected: str = ""
    is_right: Callable[[Reply], bool] = any_reply


# Labels for a correction; the first one that is not in the map is used.
_NEW_NAMES = ("toolbox", "birdcage", "globe", "projector")
_SMALL_M = 1.0
_SEEN_WELL = 5


def correction_requests(objects: Sequence[MapObject]) -> list[Request]:
    """Rename the object with the lowest confidence, ask for it by its new name, undo, and ask
    again.

    Args:
        objects: all objects of the map, at least one.
    """
    item = _most_doubtful(objects)
    labels = {obj.label for obj in objects}
    new = next(name for name in _NEW_NAMES if name not in labels)
    old = f"{item.label} {item.object_id}"
    found = f"the object {item.object_id}, which was a {item.label}"

    def names_it(reply: Reply) -> bool:
        return reply.object_ids[:1] == (item.object_id,)

    def is_not_there(reply: Reply) -> bool:
        return not reply.text.startswith("Yes") and item.object_id not in reply.object_ids[:1]

    def is_back(reply: Reply) -> bool:
        return names_it(reply) and item.label in reply.text

    return [
        Request("align", "align", f"{old} is a {new}", f"{old} becomes a {new}"),
        Request("ask by the new name", "ask", f"Where is the {new}?", found, names_it),
        Request("ground by the new name", "ground", f"the {new}", found, names_it),
        Request("undo", "undo", "", f"{old} is a {item.label} again"),
        Request("ask for the undone name", "ask", f"Is there a {new}?", "no", is_not_there),
        Request("ask by the old name", "ask", f"Where is {old}?", f"{old} is back", is_back),
    ]


def _most_doubtful(objects: Sequence[MapObject]) -> MapObject:
    """One of the small, well-visible objects, as a likely target of a correction."""
    small = [
        obj
        for obj in objects
        if max(obj.box.size) <= _SMALL_M and obj.observation_count >= _SEEN_WELL
    ]
    return min(small or objects, key=lambda obj: obj.confidence)


_NAMES = {
    "exists": "is there",
    "count": "how many",
    "where": "where is",
    "on": "what is on",
    "color": "what colour",
    "closest": "which is closest",
    "verify": "is it so",
    "wall": "what hangs on the wall",
}
# Number of questions of each kind; the first ones in the room's own order.
_COUNTS = {"exists yes": 1, "exists no": 1, "count": 2, "where": 2, "on": 1, "color": 1}
_SMALL_WIDTH, _SMALL_HEIGHT = 160, 120  # enough to count visible pixels
_SEEN_PIXELS = 25  # at that resolution; 400 in the full picture
_SEEN_FRAMES = 5


def seen_objects(sequence: SimulatedSequence, frames: int) -> Collection[int]:
    """Instance ids that were well visible in the first `frames` frames."""
    camera = sequence.camera.resized(_SMALL_WIDTH, _SMALL_HEIGHT)
    small = replace(sequence, camera=camera, depth_noise=SimpleDepthNoise(0.0))
    counter = VisibilityCounter(small.room, _SEEN_PIXELS)
    for number, frame in enumerate(small):
        if number == frames:
            break
        assert frame.instances is not None, "simulated frames carry instances"
        counter.add(frame.instances)
    return counter.seen(_SEEN_FRAMES)


def simulated_requests(room: Room, seen: Collection[int], scene: MemorySnapshot) -> list[Request]:
    """The script for a room and its map."""
    table = match_objects(scene.objects.values(), room)
    chosen = _choose(make_questions(room, seen))
    requests = [_request(name, question, room, table) for name, question in chosen]
    requests.extend(_next_to(room, seen))
    if scene.objects:
        requests.extend(correction_requests(list(scene.objects.values())))
    return requests


def _choose(questions: tuple[Question, ...]) -> Iterator[tuple[str, Question]]:
    by_kind: dict[str, list[Question]] = defaultdict(list)
    for question in questions:
        by_kind[_kind(question)].append(question)
    for kind, found in by_kind.items():
        name = _NAMES.get(kind.partition(" ")[0], kind)
        yield from ((name, question) for question in found[: _COUNTS.get(kind, 1)])


def _kind(question: Question) -> str:
    if question.kind == "exists":
        return f"exists {question.expected[0]}"
    if question.kind != "ground":
        return question.kind
    relations = ("closest to", "next to", "on")
    relation = next((r for r in relations if f" {r} the " in question.text), None)
    return f"ground ({relation})" if relation else "ground (attribute)"


def _request(name: str, question: Question, room: Room, table: MatchTable) -> Request:
    instance_of = table.instance_of

    def is_right(reply: Reply) -> bool:
        # 0 stands for map objects that match no object of the room.
        return question.is_answered_by(
            reply.text, [instance_of.get(i, 0) for i in reply.object_ids]
        )

    kind = "ground" if question.kind == "ground" else "ask"
    return Request(name, kind, question.text, _expected(question, room), is_right)  # type: ignore[arg-type]


def _expected(question: Question, room: Room) -> str:
    if question.kind not in ("closest", "ground"):
        return ", ".join(question.expected)
    target = room.get_object(question.target_ids[0])
    x, y, _ = target.box.center
    return f"the {target.color} {target.label} at x {x:.1f}, y {y:.1f}"


def _next_to(room: Room, seen: Collection[int]) -> Iterator[Request]:
    """A question about an object that is certainly beside another; the answer may name more."""
    items = [item for item in room.objects if item.instance_id in seen]
    labels = [item.label for item in room.objects]
    for anchor in items:
        beside = sorted({item.label for item in items if surely_next_to(item, anchor)})
        if beside and labels.count(anchor.label) == 1:

            def is_right(reply: Reply, beside: list[str] = beside) -> bool:
                return all(label in reply.text for label in beside)

            text = f"What is next to the {anchor.label}?"
            yield Request("what is next to", "ask", text, ", ".join(beside), is_right)
            return


_COUNTED = "chair"


def recorded_requests(scene: MemorySnapshot) -> list[Request]:
    """The script for a map; fixed questions only when it is empty."""
    fixed = [
        Request("is there", "ask", "Is there a table?"),
        Request("how many", "ask", f"How many {_COUNTED}s are there?"),
    ]
    surest = sorted(
        scene.objects.values(), key=lambda obj: (-obj.confidence, -obj.observation_count)
    )
    if not surest:
        return fixed
    counts = Counter(obj.label for obj in surest)
    unique = [obj for obj in surest if counts[obj.label] == 1] or surest
    things = scene.objects.keys()
    between_things = (r for r in scene.relations if {r.subject_id, r.object_id} <= things)
    relations = sorted(between_things, key=lambda r: -r.confidence)
    return [
        *fixed,
        *_about_objects(surest, unique, counts),
        *_about_relations(scene, relations, counts),
        *correction_requests(surest),
    ]


def _about_objects(
    surest: Sequence[MapObject], unique: Sequence[MapObject], counts: Counter[str]
) -> Iterator[Request]:
    most, number = counts.most_common(1)[0]
    if number > 1 and most != _COUNTED:
        yield Request("how many", "ask", f"How many {_plural(most)} are there?")
    for item in unique[:2]:
        yield Request("where is", "ask", f"Where is {_name(item, counts)}?")
    yield Request(
        "what colour", "ask", f"What colour is {_name(unique[min(2, len(unique) - 1)], counts)}?"
    )
    anchor = next((obj for obj in unique if obj.label != most), None)
    if number > 1 and anchor is not None:
        name = _name(anchor, counts)
        yield Request("which is closest", "ask", f"Which {most} is closest to {name}?")
        yield Request("ground (closest to)", "ground", f"the {most} closest to {name}")
    colored = next((obj for obj in surest if obj.attributes.get("color")), None)
    if colored is not None:
        phrase = f"the {colored.attributes['color']} {colored.label}"
        yield Request("ground (attribute)", "ground", phrase)


def _about_relations(
    scene: MemorySnapshot, relations: Sequence[Relation], counts: Counter[str]
) -> Iterator[Request]:
    for predicate in ("on", "next to"):
        relation = next((r for r in relations if r.predicate == predicate), None)
        if relation is None:
            continue
        subject, anchor = scene.objects[relation.subject_id], scene.objects[relation.object_id]
        name = _name(anchor, counts)
        yield Request(f"what is {predicate}", "ask", f"What is {predicate} {name}?")
        phrase = f"the {subject.label} {predicate} {name}"
        yield Request(f"ground ({predicate})", "ground", phrase)


def _name(item: MapObject, counts: Counter[str]) -> str:
    """A name for the object: with its number if others have its label."""
    return f"the {item.label}" if counts[item.label] == 1 else f"{item.label} {item.object_id}"


def _plural(label: str) -> str:
    return label if label.endswith("s") else f"{label}s"
