"""The text that a model gets, read back: it must list what the tree's nodes hold."""

from __future__ import annotations

import pytest

from scenemind.memory import Memory, TreeJson
from scenemind.memory.tree.tree_lines import Detail
from scenemind.reasoning.memtree_qa.shown_tree import ShownLocation, read_tree


def text_of(*lines: str) -> TreeJson:
    text = "".join(f"{line}\n" for line in lines)
    return TreeJson(text, 9, Detail.FULL, "", len(lines), 0, 0, 0, 0.0)


def test_every_location_lists_the_objects_of_its_tracklets(row: Memory) -> None:
    read = read_tree(row.tree_json())
    nodes = row.tree()
    assert list(read) == [node.location_id for node in nodes]
    for node in nodes:
        there = {t.object_id for t in node.tracklets}
        assert read[node.location_id].object_ids == there
        assert set(read[node.location_id].ids_of) == {"chair"}


@pytest.mark.parametrize(
    ("sees", "ids_of", "size"),
    [
        ('{"chair":[3,11]}', {"chair": (3, 11)}, 2),
        ('{"cup":2}', {"cup": ()}, 2),
        ('{"book":[5,"+9"],"TV_Stand":[1]}', {"book": (5,), "tv stand": (1,)}, 11),
        ("{}", {}, 0),
    ],
)
def test_things_are_listed_by_id_or_counted(
    sees: str, ids_of: dict[str, tuple[int, ...]], size: int
) -> None:
    read = read_tree(text_of(f'{{"id":7,"revisits":2,"sees":{sees}}}'))
    assert read == {7: ShownLocation(ids_of, size)}


def test_a_location_may_see_nothing() -> None:
    assert read_tree(text_of('{"id":0}', '{"id":4}')) == {i: ShownLocation({}, 0) for i in (0, 4)}
    assert read_tree(text_of()) == {}
