"""The scene graph as a networkx graph, and as GraphML."""

from __future__ import annotations

import re
from io import BytesIO
from typing import TYPE_CHECKING, Any

from scenemind.errors import ExchangeError, install_line
from scenemind.exchange.scene_json import SceneExport
from scenemind.geometry import Box3D

if TYPE_CHECKING:
    import networkx as nx

_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def to_networkx(scene: SceneExport) -> nx.MultiDiGraph[int]:
    """Nodes for objects and structure by id, edges for relations, keyed by predicate.

    Values are strings, numbers or booleans, which all formats of networkx can hold: nodes have
    `kind` (object, floor, wall, ceiling), `label`, `x`, `y`, `z`, `length`, `width`, `height`,
    `yaw`; objects also `level`, `confidence`, `corrected`, `seen_from` (MemTree3D locations,
    "0 3") and an attribute each, such as `attribute color`. Edges have `predicate`, `confidence`
    and `source`.

    Raises:
        ExchangeError: networkx is not installed.
    """
    graph = _networkx().MultiDiGraph(revision=scene.snapshot.revision)
    snapshot = scene.snapshot
    for plane in snapshot.structure.values():
        graph.add_node(plane.plane_id, kind=plane.kind, label=plane.kind, **_place(plane.box))
    for thing in snapshot.objects.values():
        level = snapshot.levels.get(thing.object_id)
        graph.add_node(
            thing.object_id,
            kind="object",
            label=thing.label,
            **_place(thing.yaw_box),
            **({} if level is None else {"level": level}),
            confidence=thing.confidence,
            corrected=thing.corrected,
            seen_from=" ".join(map(str, scene.seen_from.get(thing.object_id, ()))),
            **{f"attribute {name}": value for name, value in thing.attributes.items()},
        )
    for relation in snapshot.relations:
        graph.add_edge(
            relation.subject_id,
            relation.object_id,
            key=relation.predicate,
            predicate=relation.predicate,
            confidence=relation.confidence,
            source=relation.source,
        )
    return graph


def scene_to_graphml(scene: SceneExport) -> bytes:
    """GraphML for Gephi, yEd and Cytoscape; characters that XML lacks become �.

    Raises:
        ExchangeError: networkx is not installed.
    """
    file = BytesIO()
    _networkx().write_graphml(to_networkx(scene), file)
    return _NOT_IN_XML.sub("\ufffd", file.getvalue().decode()).encode()


def _networkx() -> Any:
    try:
        import networkx
    except ImportError as error:
        raise ExchangeError(f"networkx is not installed: run {install_line('graph')}") from error
    return networkx


def _place(box: Box3D) -> dict[str, float]:
    names = ("x", "y", "z", "length", "width", "height", "yaw")
    return dict(zip(names, (*box.center, *box.size, box.yaw), strict=True))
