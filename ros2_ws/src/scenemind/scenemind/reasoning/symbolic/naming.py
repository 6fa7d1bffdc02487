"""From a noun to the objects that bear a fitting label."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from scenemind.memory.attributes.lazy import quick_attributes
from scenemind.memory.finding.attribute_words import FORM_WORDS, words_in, words_of
from scenemind.reasoning.symbolic import lexicon
from scenemind.reasoning.symbolic.building import find_kind
from scenemind.reasoning.symbolic.scene import Scene, Scores
from scenemind.words.english import shown
from scenemind.words.thesaurus import Thesaurus
from scenemind.words.vocabulary import Vocabulary

_NAMED = 4


def label_scores(scene: Scene, vocabulary: Vocabulary, noun: str) -> tuple[Scores, str]:
    """How well each label fits a noun (N,), all 1 for no noun ("thing"), and a note on it.

    Parts of the building fit where they are named.
    """
    qualities, _, last = noun.rpartition(" ")
    if not noun or last in lexicon.ANYTHING:
        scores = scene.is_object.astype(np.float64)
        _narrow_by_attribute(scene, qualities, scores, needed=True)
        return scores, ""
    scores = np.zeros(len(scene))
    matches = vocabulary.match(noun, scene.rows_of_label)
    kind = find_kind(noun)
    if kind is not None:
        matches = [match for match in matches if match.sure]
        scores[[row for row in _building_rows(scene) if scene.objects[row].label == kind]] = 1.0
    for match in matches:
        scores[scene.rows_of_label[match.label]] = match.score
    if not matches:
        return scores, ""
    _narrow_by_attribute(scene, matches[0].unknown, scores, needed=False)
    means = ", ".join(f"{shown(m.label)} ({m.note})" for m in matches[:_NAMED])
    return scores, f'"{shown(noun)}" is {means}: {np.count_nonzero(scores)} known'


def _building_rows(scene: Scene) -> Sequence[int]:
    return np.flatnonzero(~scene.is_object).tolist()


def _narrow_by_attribute(scene: Scene, said: str, scores: Scores, *, needed: bool) -> None:
    """Words before the noun that no label has may be attributes ("wooden", "smooth black").

    Args:
        needed: none fits where they are said of none; else they are left out of account.
    """
    words = words_in(said)
    if not words:
        return
    fitting = [row for row in np.flatnonzero(scores).tolist() if is_said(scene, row, said)]
    if fitting or needed:
        scores[:] = 0.0
        scores[fitting] = 1.0


def is_said(scene: Scene, row: int, said: str) -> bool:
    """Whether every word, or one for the same, stands among an object's attributes."""
    thing, words = scene.objects[row], words_in(said)
    needs_form = any(word in FORM_WORDS for word in words)
    attributes = thing.attributes if needs_form else quick_attributes(thing)
    known, thesaurus = words_of(attributes), Thesaurus.load()
    return all(not thesaurus.attribute_words(word).isdisjoint(known) for word in words)
