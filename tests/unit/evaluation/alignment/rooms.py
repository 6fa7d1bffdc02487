"""Simulated rooms as an objects file, for alignment tasks without anybody's data."""

from __future__ import annotations

import json
from pathlib import Path

from scenemind.simulation import make_room


def write_rooms(folder: Path, count: int = 4) -> Path:
    """Write a number of rooms; the same ones every time."""
    document = {
        f"room_{seed}": {
            "objects": [
                {
                    "id": thing.instance_id,
                    "label": thing.label,
                    "center": thing.box.center,
                    "size": thing.box.size,
                    "color": thing.color,
                }
                for thing in make_room(seed).objects
            ]
        }
        for seed in range(count)
    }
    path = folder / "rooms.json"
    path.write_text(json.dumps(document))
    return path
