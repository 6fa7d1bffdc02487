"""What is asked about a real room: questions made of its map. Nobody knows the true answers, so
only what must agree with the map itself is checked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from scenemind.memory import MapObject, MemorySnapshot, Relation
from scenemind_ros.demo.corrections import correction_requests
from scenemind_ros.demo.request import Request

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
    """What a person would call it: by its number where there are others of its label."""
    return f"the {item.label}" if counts[item.label] == 1 else f"{item.label} {item.object_id}"


def _plural(label: str) -> str:
    return label if label.endswith("s") else f"{label}s"
