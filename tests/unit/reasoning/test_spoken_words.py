"""The words that the table has, as people spell them."""

from __future__ import annotations

import re

from scenemind.reasoning.spoken_words import any_of, words_in


def test_no_word_is_taken_for_a_truth_value() -> None:
    """As YAML does with a bare no and on."""
    assert {"no", "yes"} <= words_in("before_question")
    assert "on" in words_in("little") & words_in("around_denied") & words_in("no_noun")


def test_a_class_is_one_pattern() -> None:
    assert re.fullmatch(f"{any_of('no')}, {any_of('after_no')}", "no, thank you")
    assert not re.fullmatch(any_of("no"), "no, thank you")
