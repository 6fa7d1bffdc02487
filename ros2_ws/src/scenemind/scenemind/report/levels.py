"""The scene graph drawn by levels, as SVG: the building on the left, what it carries beside it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from scenemind.memory import MemorySnapshot, Relation
from scenemind.report.label_places import CHARACTER_PX
from scenemind.report.support_tree import Branch, support_tree
from scenemind.report.templating import Markup, render

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
    """What carries what, a column a level.

    Args:
        colors: label -> `#rrggbb`, see `palette.colors_of`.
        relations: others to draw beside those that carry, see `shown_relations`.
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
    """What a node carries begins in its own row and goes down from there."""
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
    """From each node to what it carries, along a trunk."""
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
    """Bows beside the nodes, of relations that are not drawn as carrying."""
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
