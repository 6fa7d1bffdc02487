"""A scene graph with every kind of content."""

from __future__ import annotations

from dataclasses import replace

from scenemind.exchange import SceneExport
from scenemind.geometry import Box3D, Pose
from scenemind.memory import MemorySnapshot, Relation, Stay
from scenemind.memory.types import StructurePlane
from tests.unit.memory.things import surface_points, thing


def make_scene() -> SceneExport:
    """A cup on a table on the floor, a picture on a wall, a vase that is gone."""
    table = replace(
        thing(0, "table", (1.0, 2.0, 0.4), (1.2, 0.8, 0.8)),
        points=surface_points((1.0, 2.0, 0.4), (1.2, 0.8, 0.8), 50, seed=0),
        attributes={"color": "brown", "material": "wood"},
        attribute_sources={"material": "model"},
        track_ids=(3, 7),
    )
    cup = replace(
        thing(5, "tasse à café", (1.1, 2.0, 0.85), (0.1, 0.1, 0.1)),
        perceived_label="cup",
        corrected=True,
        stays=(Stay(Box3D((0.0, 0.0, 0.8), (0.1, 0.1, 0.1)), 10, 20, 30),),
        here_since_ns=25,
    )
    picture = replace(
        thing(6, "picture", (0.0, 3.0, 1.5), (0.6, 0.1, 0.4)),
        known_yaw_box=Box3D((0.0, 3.0, 1.5), (0.6, 0.02, 0.4), 0.123456789),
        label_probabilities={"picture": 0.6, "tv": 0.25},
        measured_share=0.75,
    )
    vase = replace(
        thing(9, "vase", (4.0, 0.0, 0.2), (0.2, 0.2, 0.4)),
        stays=(Stay(Box3D((4.0, 0.0, 0.2), (0.2, 0.2, 0.4)), 1, 2, 3),),
        is_ghost=True,
    )
    floor = StructurePlane(-1, "floor", Box3D((0.0, 0.0, 0.0), (6.0, 8.0, 0.0)), (0, 0, 1), 30.5)
    wall = StructurePlane(
        -2, "wall", Box3D((0.0, 3.1, 1.2), (6.0, 0.0, 2.4), 0.1), (0.0998, -0.995, 0.0), 9.25
    )
    snapshot = MemorySnapshot(
        revision=12,
        stamp_ns=1_700_000_000_123_456_789,
        objects={0: table, 5: cup, 6: picture},
        relations=(
            Relation(0, "on", -1, 0.9),
            Relation(5, "on", 0, 1 / 3),
            Relation(6, "hanging on", -2),
            Relation(5, "tied to", 6, source="user"),
        ),
        world_T_camera=Pose.from_quaternion((0.1, 0.2, 1.3), (-0.5, 0.5, -0.5, 0.5)),
        gone={9: vase},
        structure={-1: floor, -2: wall},
        levels={0: 0, 5: 1, 6: 0},
        denied=(Relation(5, "near", 6, source="user"), Relation(6, "near", 5, source="user")),
    )
    return SceneExport(snapshot, {0: (0, 1), 5: (1,)})
