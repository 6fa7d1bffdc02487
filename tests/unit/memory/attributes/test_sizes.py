"""Sizes in words; what is usual, against the objects of 572 real rooms."""

from __future__ import annotations

import gzip
import json
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

from scenemind.geometry import Box3D
from scenemind.memory.attributes.sizes import (
    dimensions_m,
    dimensions_text,
    find_kind,
    relative_size,
    size_name,
)


def box(x: float, y: float, z: float, yaw: float = 0.0) -> Box3D:
    return Box3D((1.0, 2.0, 0.5), (x, y, z), yaw)


@pytest.mark.parametrize(
    ("longest", "name"), [(0.1, "small"), (0.3, "medium"), (0.99, "medium"), (1.0, "large")]
)
def test_size_goes_by_the_longest_side(longest: float, name: str) -> None:
    assert size_name(box(0.1, longest, 0.05)) == name


def test_length_is_the_longer_horizontal_side() -> None:
    assert dimensions_m(box(0.6, 1.2, 0.75)) == (1.2, 0.6, 0.75)
    assert dimensions_text(box(0.6, 1.2, 0.75)) == "1.20 x 0.60 x 0.75 m"


@pytest.mark.parametrize(
    ("label", "longest", "words"),
    [
        ("cup", 0.1, "usual for a cup"),
        ("cup", 0.3, "large for a cup"),
        ("chair", 0.3, "small for a chair"),
        ("chair", 0.9, "usual for a chair"),
        ("garden chair", 0.9, "usual for a chair"),
        ("office chair", 1.2, "usual for an office chair"),
        ("sofa", 2.0, "usual for a couch"),
        ("sofa", 4.0, "large for a couch"),
        ("sofas", 4.0, None),
        ("Coffee_Table", 1.0, "usual for a coffee table"),
        ("flux capacitor", 1.0, None),
        ("", 1.0, None),
        ("chair " * 2000 + "cup", 0.1, "usual for a cup"),
    ],
)
def test_a_size_is_relative_to_the_kind(label: str, longest: float, words: str | None) -> None:
    assert relative_size(label, box(0.05, longest, 0.05)) == words


def test_real_things_are_mostly_of_usual_size(shared_data: Path) -> None:
    """The table was not made from these rooms. Boxes enclose the scanned part of an object."""
    with gzip.open(shared_data / "annotations" / "scannet_objects.json.gz") as file:
        scenes = json.load(file)
    longest: dict[str, list[float]] = defaultdict(list)
    for scene in scenes.values():
        for thing in scene["objects"]:
            longest[thing["label"]].append(max(thing["size"]))
    known = {label: sizes for label, sizes in longest.items() if find_kind(label)}
    frequent = {label: sizes for label, sizes in known.items() if len(sizes) >= 40}
    assert len(frequent) > 30
    words = [
        relative_size(label, box(0.01, size, 0.01)) or ""
        for label, sizes in frequent.items()
        for size in sizes
    ]
    usual = np.mean([word.startswith("usual") for word in words])
    assert usual > 0.75
    for label, sizes in frequent.items():
        typical = relative_size(label, box(0.01, float(np.median(sizes)), 0.01)) or ""
        assert typical.startswith("usual"), (label, np.median(sizes))
