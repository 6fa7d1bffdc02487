"""What a language model was shown of the tree, read back from the text that it got."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from scenemind.memory import TreeJson
from scenemind.words.english import normal


@dataclass(frozen=True, slots=True)
class ShownLocation:
    """One line.

    Attributes:
        ids_of: label, in its normal form -> ids of objects; none for what is only counted.
        size: how many things it lists, those that are only counted included.
    """

    ids_of: Mapping[str, tuple[int, ...]]
    size: int

    @property
    def object_ids(self) -> set[int]:
        return {object_id for ids in self.ids_of.values() for object_id in ids}


ShownTree = Mapping[int, ShownLocation]
"""Location id -> its line, oldest first."""


def read_tree(tree: TreeJson) -> ShownTree:
    """See `memory.tree.tree_lines.write_line` for the form of a line."""
    values = map(json.loads, tree.text.splitlines())
    return {value["id"]: _location(value.get("sees", {})) for value in values}


def _location(sees: Mapping[str, int | list[int | str]]) -> ShownLocation:
    ids_of = {
        normal(label): tuple(i for i in seen if isinstance(i, int))
        if isinstance(seen, list)
        else ()
        for label, seen in sees.items()
    }
    return ShownLocation(ids_of, sum(map(_count, sees.values())))


def _count(seen: int | list[int | str]) -> int:
    """Of `2`, `[3, 11]` and `[5, "+9"]`."""
    if isinstance(seen, int):
        return seen
    return sum(1 if isinstance(item, int) else int(item) for item in seen)
