"""Estimated tokens against what tokenizers count."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scenemind.memory.tree.token_estimate import estimate_tokens


# The larger of the counts of cl100k_base and o200k_base.
@pytest.mark.parametrize(
    ("text", "counted"),
    [
        (
            '{"id":7,"revisits":2,"sees":{"chair":[3,11],"cup":2,"office chair":[5,1204,"+9"]}}\n',
            36,
        ),
        ('{"id":1304,"sees":{"potted plant":3,"refrigerator":1,"whiteboard":2}}\n', 26),
        ('{"Küchenschrank":[12],"étagère":[7],"antimacassar":[204]}', 23),
        ("Where is the fire extinguisher that stands next to the coffee machine?", 15),
        ("the quick brown fox jumps over the lazy dog", 9),
        ("", 0),
    ],
)
def test_estimate_is_no_lower_than_what_tokenizers_count_and_not_much_higher(text, counted):
    assert counted <= estimate_tokens(text) <= 1.34 * counted


def test_length_alone_is_no_bound():
    line = '{"id":7,"revisits":2,"sees":{"chair":[3,11],"cup":2,"office chair":[5,1204,"+9"]}}\n'
    assert len(line) / 3.5 < 36 <= estimate_tokens(line)


@settings(deadline=None)
@given(st.lists(st.text()))
def test_lines_cost_together_what_they_cost_one_by_one(texts):
    lines = [text.replace("\n", "") + "\n" for text in texts]
    assert estimate_tokens("".join(lines)) == sum(map(estimate_tokens, lines))
