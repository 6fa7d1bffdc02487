"""The scene graph as a support tree (SynergAI, appendix B), and drawn by levels as SVG."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from markupsafe import Markup

from scenemind.memory import MemorySnapshot, Relation
from scenemind.memory.graph.common_sense import sense_of
from scenemind.memory.graph.relations import CARRYING
from scenemind.memory.types import RelationSource, StructureKind
from scenemind.report.drawing import CHARACTER_PX, render

_ORDER: tuple[StructureKind, ...] = ("floor", "wall", "ceiling")
NodeKind = Literal["structure", "object", "unknown"]
_NODE_PX = (176.0, 22.0)
_COLUMN_PX = 270.0
_ROW_PX = 27.0
_TOP_PX = 52.0
_LEFT_PX = 16.0
_TRUNK_PX = 14.0  # from a node to the line that leads down along what it carries
_BOW_PX = 78.0  # how far a bow beside the nodes may reach
_DOT_PX = 22.0  # room for the colour
_MOST_CHARACTERS = int((_NODE_PX[0] - _DOT_PX - 8.0) / CHARACTER_PX)
_UNKNOWN_COLOR = "#9aa4b0"
_BUILDING_COLOR = "#8c8375"


@dataclass(frozen=True, slots=True)
class Branch:
    """A node of the support tree.

    Attributes:
        depth: 0 for the building; objects of level n have depth n + 1.
        node_id: None for the heading of objects without a known carrier.
        kind: `structure` for planes and for objects that are a floor, wall or ceiling.
        predicate: relation to the carrier; empty at depth 0 and without a known carrier.
        source: of that relation.
        carries: number of nodes that it carries itself.
    """

    depth: int
    node_id: int | None
    kind: NodeKind
    label: str
    predicate: str = ""
    source: RelationSource = "geometry"
    carries: int = 0


def support_tree(snapshot: MemorySnapshot) -> Iterator[Branch]:
    """All nodes in depth-first order; among siblings, those that carry something come first.

    An object with several carriers appears once, under the most confident relation.
    """
    objects = snapshot.objects
    roots = _structure(snapshot)
    best = _carrying_relations(snapshot)
    carried: dict[int | None, list[int]] = {}
    for object_id in objects:
        if object_id not in roots:
            relation = best.get(object_id)
            above = None if relation is None else relation.object_id
            carried.setdefault(above, []).append(object_id)

    def branch(node_id: int | None, depth: int) -> Branch:
        carries = len(carried.get(node_id, ()))
        if node_id is None:
            return Branch(depth, None, "unknown", "carrier unknown", carries=carries)
        if node_id in roots:
            return Branch(depth, node_id, "structure", roots[node_id], carries=carries)
        label, relation = objects[node_id].label, best.get(node_id)
        if relation is None:
            return Branch(depth, node_id, "object", label, carries=carries)
        said = (relation.predicate, relation.source)
        return Branch(depth, node_id, "object", label, *said, carries=carries)

    heads: list[int | None] = [*roots, *([None] if None in carried else [])]
    waiting = [(node_id, 0) for node_id in reversed(heads)]
    while waiting:
        node_id, depth = waiting.pop()
        yield branch(node_id, depth)
        below = sorted(carried.get(node_id, ()), key=lambda i: (i not in carried, i), reverse=True)
        waiting.extend((object_id, depth + 1) for object_id in below)


def _structure(snapshot: MemorySnapshot) -> Mapping[int, str]:
    """Id -> label of planes and of objects that are structure: floors, walls, then ceilings."""
    found: list[tuple[StructureKind, int, str]] = [
        (plane.kind, plane.plane_id, plane.kind) for plane in snapshot.structure.values()
    ]
    for thing in snapshot.objects.values():
        kind = sense_of(thing.label).structure
        if kind is not None:
            found.append((kind, thing.object_id, thing.label))
    found.sort(key=lambda node: (_ORDER.index(node[0]), abs(node[1])))
    return {node_id: label for _, node_id, label in found}


def _carrying_relations(snapshot: MemorySnapshot) -> dict[int, Relation]:
    """Object id -> its carrying relation, without cycles (corrections may contain some)."""
    candidates: dict[int, list[Relation]] = {}
    for relation in snapshot.relations:
        if relation.predicate in CARRYING:
            candidates.setdefault(relation.subject_id, []).append(relation)
    best: dict[int, Relation] = {}
    for object_id, relations in candidates.items():
        for relation in sorted(relations, key=lambda r: -r.confidence):
            if not _leads_to(relation.object_id, object_id, best):
                best[object_id] = relation
                break
    return best


def _leads_to(start: int, goal: int, best: Mapping[int, Relation]) -> bool:
    """Whether the chain of carriers reaches the goal."""
    node = start
    while node != goal:
        if node not in best:
            return False
        node = best[node].object_id
    return True


@dataclass(frozen=True, slots=True)
class _Node:
    """A node of the graph with its upper left corner."""

    branch: Branch
    x: float
    y: float
    color: str
    text: str
    title: str

    @property
    def middle_y(self) -> float:
        return self.y + _NODE_PX[1] / 2

    @property
    def right(self) -> float:
        return self.x + _NODE_PX[0]


@dataclass(frozen=True, slots=True)
class _Edge:
    """A relation as an SVG path; the word ends at (x, y)."""

    kind: str
    path: str
    word: str
    x: float
    y: float
    title: str


def render_levels(
    snapshot: MemorySnapshot, colors: Mapping[str, str], relations: Collection[Relation] = ()
) -> Markup:
    """The support tree as SVG, one column a level.

    Args:
        colors: label -> `#rrggbb`, see `colors_of`.
        relations: further relations to draw, see `shown_relations`.
    """
    tree = list(support_tree(snapshot))
    nodes = _nodes(tree, colors)
    columns = 1 + max((branch.depth for branch in tree), default=0)
    names = ["building", *(f"level {level}" for level in range(columns - 1))]
    rows = 1 + max((round((node.y - _TOP_PX) / _ROW_PX) for node in nodes), default=0)
    bows = _other_edges(nodes, relations)
    return render(
        "levels.svg.j2",
        width=2 * _LEFT_PX + (columns - 1) * _COLUMN_PX + _NODE_PX[0] + (_BOW_PX if bows else 0.0),
        height=_TOP_PX + rows * _ROW_PX + _LEFT_PX,
        columns=[(name, _LEFT_PX + _COLUMN_PX * place) for place, name in enumerate(names)],
        top=_TOP_PX,
        node_px=_NODE_PX,
        dot_px=_DOT_PX,
        nodes=nodes,
        edges=[*_carrying_edges(nodes), *bows],
    )


def _nodes(tree: Sequence[Branch], colors: Mapping[str, str]) -> list[_Node]:
    """Nodes with their places: the first carried node stands in its carrier's row."""
    nodes: list[_Node] = []
    row = -1
    for place, branch in enumerate(tree):
        if place == 0 or branch.depth <= tree[place - 1].depth:
            row += 1
        whole = branch.label if branch.node_id is None else f"{branch.label} {branch.node_id}"
        text = whole
        if len(whole) > _MOST_CHARACTERS:
            tail = "" if branch.node_id is None else f" {branch.node_id}"
            text = f"{branch.label[: _MOST_CHARACTERS - len(tail) - 1]}…{tail}"
        color = colors.get(branch.label, _BUILDING_COLOR)
        if branch.kind != "object":
            color = _BUILDING_COLOR if branch.kind == "structure" else _UNKNOWN_COLOR
        x, y = _LEFT_PX + _COLUMN_PX * branch.depth, _TOP_PX + _ROW_PX * row
        nodes.append(_Node(branch, x, y, color, text, whole))
    return nodes


def _carrying_edges(nodes: Sequence[_Node]) -> list[_Edge]:
    """Edges from each node to the nodes that it carries."""
    edges = []
    way: list[_Node] = []
    for node in nodes:
        del way[node.branch.depth :]
        if way:
            above = way[-1]
            trunk = above.right + _TRUNK_PX
            path = f"M{above.right} {above.middle_y} H{trunk} V{node.middle_y} H{node.x}"
            branch = node.branch
            word = "" if branch.predicate == "on" else branch.predicate
            kind = "user" if branch.source == "user" else "carrying"
            if not branch.predicate:
                kind = "unknown"
            title = f"{node.title} {branch.predicate} {above.title}" if branch.predicate else ""
            edges.append(_Edge(kind, path, word, node.x - 6, node.middle_y - 5, title))
        way.append(node)
    return edges


def _other_edges(nodes: Sequence[_Node], relations: Collection[Relation]) -> list[_Edge]:
    """Arcs beside the nodes for relations that are not part of the tree."""
    by_id = {node.branch.node_id: node for node in nodes}
    drawn = {
        (node.branch.node_id, node.branch.predicate) for node in nodes if node.branch.predicate
    }
    edges = []
    for relation in relations:
        a, b = by_id.get(relation.subject_id), by_id.get(relation.object_id)
        if a is None or b is None or (relation.subject_id, relation.predicate) in drawn:
            continue
        bow = min(_BOW_PX, 18.0 + 0.08 * abs(a.y - b.y))
        x, ya, yb = max(a.right, b.right) + bow, a.middle_y, b.middle_y
        path = f"M{a.right} {ya} C{x} {ya} {x} {yb} {b.right} {yb}"
        kind = "user" if relation.source == "user" else "other"
        title = f"{a.title} {relation.predicate} {b.title}"
        edges.append(_Edge(kind, path, "", 0.0, 0.0, title))
    return edges
