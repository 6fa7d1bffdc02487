"""The scene graph as text: a tree by levels, or one object with all that is known of it."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console
from rich.markup import escape
from rich.tree import Tree

from scenemind.exchange import SceneExport
from scenemind.memory import MapObject, MemorySnapshot
from scenemind.memory.graph.relations.names import RELATION_NAMES
from scenemind.report import Branch, support_tree


def print_tree(snapshot: MemorySnapshot) -> None:
    """The building and what it carries; objects with colour and size."""
    console = Console(highlight=False)
    trees: list[Tree] = []
    way: list[Tree] = []
    for branch in support_tree(snapshot):
        line = _line(branch, snapshot)
        del way[branch.depth :]
        if way:
            way.append(way[-1].add(line))
        else:
            trees.append(Tree(line, guide_style="dim"))
            way.append(trees[-1])
    for tree in trees:
        console.print(tree, soft_wrap=True)


def print_object(scene: SceneExport, thing: MapObject) -> None:
    """What it is, where, and how it stands to others."""
    print(f"{thing.label} {thing.object_id}")
    for name, value in _facts(scene, thing):
        print(f"  {name:<14}{value}")


def relations_of(snapshot: MemorySnapshot, object_id: int) -> list[tuple[str, int, float, str]]:
    """(predicate, other node, confidence, source) with the object as the subject, surest first.

    What it carries is told by the inverse: "supports cup 5".
    """
    found = []
    for relation in snapshot.relations:
        if relation.subject_id == object_id:
            other, predicate = relation.object_id, relation.predicate
        elif relation.object_id == object_id and _is_one_way(relation.predicate):
            other = relation.subject_id
            predicate = RELATION_NAMES[relation.predicate].inverse or relation.predicate
        else:
            continue
        found.append((predicate, other, relation.confidence, relation.source))
    order = list(RELATION_NAMES)
    rank = {name: place for place, name in enumerate(order)}
    return sorted(found, key=lambda f: (rank.get(f[0], len(order)), -f[2], f[1]))


def node_name(snapshot: MemorySnapshot, node_id: int) -> str:
    """ "table 3", "wall -2"."""
    if node_id in snapshot.structure:
        return f"{snapshot.structure[node_id].kind} {node_id}"
    return f"{snapshot.objects[node_id].label} {node_id}"


def _facts(scene: SceneExport, thing: MapObject) -> Iterator[tuple[str, str]]:
    snapshot, box = scene.snapshot, thing.yaw_box
    if thing.perceived_label != thing.label:
        yield "perceived as", thing.perceived_label
    level = snapshot.levels.get(thing.object_id)
    if level is not None:
        yield "level", str(level)
    yield "confidence", f"{thing.confidence:.2f}" + (", corrected" if thing.corrected else "")
    yield "centre m", " ".join(f"{value:.2f}" for value in box.center)
    yield "size m", " x ".join(f"{value:.2f}" for value in box.size)
    for name, value in thing.attributes.items():
        teller = thing.attribute_sources.get(name)
        yield name, value if teller is None else f"{value} (said by the {teller})"
    if locations := scene.seen_from.get(thing.object_id):
        yield "seen from", "locations " + ", ".join(map(str, locations))
    for stay in thing.stays:
        yield "was at", " ".join(f"{value:.2f}" for value in stay.box.center)
    told: set[int] = set()
    for predicate, other, confidence, source in relations_of(snapshot, thing.object_id):
        by = ", said by a person" if source == "user" else ""
        # What is next to it is near, too.
        if other not in told or by:
            yield predicate, f"{node_name(snapshot, other)} ({confidence:.2f}{by})"
        told.add(other)


def _line(branch: Branch, snapshot: MemorySnapshot) -> str:
    if branch.node_id is None:
        return f"[dim]{branch.label}[/dim]"
    name = f"[bold]{escape(branch.label)} {branch.node_id}[/bold]"
    if branch.node_id in snapshot.structure:
        return name
    if branch.predicate not in ("", "on"):
        name += f" [italic]({escape(branch.predicate)})[/italic]"
    thing = snapshot.objects[branch.node_id]
    color = escape(thing.attributes.get("color", ""))
    size = " x ".join(f"{value:.2f}" for value in thing.yaw_box.size)
    return f"{name} [dim]{', '.join(filter(None, (color, f'{size} m')))}[/dim]"


def _is_one_way(predicate: str) -> bool:
    relation = RELATION_NAMES.get(predicate)
    return relation is not None and relation.one_way
