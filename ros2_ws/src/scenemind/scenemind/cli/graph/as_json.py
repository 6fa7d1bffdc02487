"""The scene graph for programs, in brief; `--format json` has all of it."""

from __future__ import annotations

from typing import Any

from scenemind.cli.graph.show import node_name, relations_of
from scenemind.cli.output import object_json
from scenemind.exchange import SceneExport
from scenemind.memory import MapObject, MemorySnapshot
from scenemind.report import support_tree


def tree_json(snapshot: MemorySnapshot) -> dict[str, Any]:
    """All nodes, each followed by what it carries; `depth` 0 is the building."""
    return {
        "revision": snapshot.revision,
        "objects": len(snapshot.objects),
        "relations": len(snapshot.relations),
        "tree": [
            {
                "depth": branch.depth,
                "id": branch.node_id,
                "label": branch.label,
                "predicate": branch.predicate or None,
            }
            for branch in support_tree(snapshot)
        ],
    }


def thing_json(scene: SceneExport, thing: MapObject) -> dict[str, Any]:
    """One object with its relations, of which it is the subject."""
    return {
        **object_json(thing),
        "level": scene.snapshot.levels.get(thing.object_id),
        "seen_from": list(scene.seen_from.get(thing.object_id, ())),
        "relations": [
            {
                "predicate": predicate,
                "id": other,
                "name": node_name(scene.snapshot, other),
                "confidence": round(confidence, 4),
                "source": source,
            }
            for predicate, other, confidence, source in relations_of(
                scene.snapshot, thing.object_id
            )
        ],
    }
