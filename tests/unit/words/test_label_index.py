"""Labels found by their names, whatever came and went before."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from scenemind.words.english import normal
from scenemind.words.label_index import LONGEST_NAME, LabelIndex

LABELS = st.sampled_from(
    ["table", "Tables", "dining table", "coffee-table", "cup", "cup of tea", "", "x" * 100]
)


def test_a_name_finds_all_its_spellings_and_its_compounds() -> None:
    index = LabelIndex(["table", "Tables", "dining_table", "tablet", "chair"])
    assert index.called("table") == ["Tables", "table"]
    assert index.ending_in("table") == ["dining_table"]
    assert index.called("dining table") == ["dining_table"]
    assert index.called("tab") == []


def test_what_is_spelled_alike_comes_best_first() -> None:
    index = LabelIndex(["table", "cable", "chair"])
    (first, how_alike), *_ = index.look_alikes("tabel", 0.6, 3)
    assert first == "table"
    assert how_alike == 0.8  # 4 of 5 letters of either, in the same order
    assert index.look_alikes("elephant", 0.8, 3) == []


def test_labels_that_nobody_would_say_are_found_by_the_whole_of_them_only() -> None:
    label = "very " * 2000 + "chair"
    index = LabelIndex([label])
    assert index.called(normal(label)) == [label]
    assert index.ending_in("chair") == []
    assert index.look_alikes("v" * (LONGEST_NAME + 1), 0.0, 1) == []


@given(st.lists(LABELS, unique=True), st.lists(LABELS, unique=True))
def test_what_was_removed_leaves_no_trace(kept: list[str], others: list[str]) -> None:
    passing = [label for label in others if label not in kept]
    index, fresh = LabelIndex([*passing, *kept]), LabelIndex(kept)
    for label in passing:
        index.remove(label)
    for word in ("table", "dining table", "tea", "cup", "", "x" * 100):
        assert index.called(word) == fresh.called(word)
        assert index.ending_in(word) == fresh.ending_in(word)
        assert index.look_alikes(word, 0.5, 9) == fresh.look_alikes(word, 0.5, 9)
