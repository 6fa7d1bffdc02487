"""What is asked about a simulated room: questions with answers known by construction."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator
from dataclasses import replace

from scenemind.memory import MemorySnapshot
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
from scenemind.simulation.true_relations import surely_next_to
from scenemind_ros.demo.corrections import correction_requests
from scenemind_ros.demo.request import Reply, Request

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
# How many of each; the first ones of the room's own order.
_COUNTS = {"exists yes": 1, "exists no": 1, "count": 2, "where": 2, "on": 1, "color": 1}
_SMALL_WIDTH, _SMALL_HEIGHT = 160, 120  # enough to count what the camera sees
_SEEN_PIXELS = 25  # there; 400 in the full picture
_SEEN_FRAMES = 5


def seen_objects(sequence: SimulatedSequence, frames: int) -> Collection[int]:
    """Instance ids that the camera saw well in the first `frames` frames."""
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
    """The script for a room and the map that was made of it."""
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
        # 0 stands for objects of the map that are none of the room's.
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
    """What surely stands beside something; the answer may name more."""
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
