"""The scene graph as a networkx graph."""

from __future__ import annotations

from dataclasses import replace
from io import BytesIO

import networkx as nx
import pytest

from scenemind.exchange import SceneExport, scene_to_graphml, to_networkx
from tests.unit.exchange.made import make_scene


def test_nodes_are_objects_and_structure() -> None:
    graph = to_networkx(make_scene())
    assert {i: data["kind"] for i, data in graph.nodes(data=True)} == {
        -1: "floor",
        -2: "wall",
        0: "object",
        5: "object",
        6: "object",
    }
    table = graph.nodes[0]
    assert (table["label"], table["level"], table["seen_from"]) == ("table", 0, "0 1")
    assert table["attribute material"] == "wood"
    assert graph.nodes[6]["yaw"] == 0.123456789


def test_edges_are_relations() -> None:
    graph = to_networkx(make_scene())
    assert graph.number_of_edges() == 4
    assert graph.edges[5, 0, "on"]["confidence"] == pytest.approx(1 / 3)
    assert graph.edges[5, 6, "tied to"]["source"] == "user"
    # An algorithm of networkx on it: what the floor carries, directly or not.
    carried = graph.edge_subgraph(e for e in graph.edges if e[2] == "on")
    assert nx.ancestors(carried, -1) == {0, 5}


def test_graphml_comes_back() -> None:
    file = BytesIO(scene_to_graphml(make_scene()))
    back = nx.read_graphml(file, node_type=int, force_multigraph=True)
    graph = to_networkx(make_scene())
    assert dict(back.nodes(data=True)) == dict(graph.nodes(data=True))
    assert {(a, b, d["predicate"]) for a, b, d in back.edges(data=True)} == set(graph.edges)


def test_graphml_stays_xml_whatever_a_label_holds() -> None:
    scene = make_scene()
    things = scene.snapshot.objects
    odd = replace(things[5], label="a\x00\x1b<b>\ufffe&")
    snapshot = replace(scene.snapshot, objects={**things, 5: odd})
    back = nx.read_graphml(BytesIO(scene_to_graphml(SceneExport(snapshot))), node_type=int)
    assert back.nodes[5]["label"] == "a\ufffd\ufffd<b>\ufffd&"
