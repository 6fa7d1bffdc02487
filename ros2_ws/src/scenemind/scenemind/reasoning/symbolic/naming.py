"""From a noun to the objects that bear a fitting label."""

from __future__ import annotations

import numpy as np

from scenemind.reasoning.symbolic.scene import Scene, Scores
from scenemind.words.english import shown
from scenemind.words.vocabulary import Vocabulary

_NAMED = 4


def label_scores(scene: Scene, vocabulary: Vocabulary, noun: str) -> tuple[Scores, str]:
    """How well each label fits a noun (N,), all 1 for no noun ("thing"), and a note on it."""
    if not noun:
        return np.ones(len(scene)), ""
    scores = np.zeros(len(scene))
    matches = vocabulary.match(noun, scene.rows_of_label)
    for match in matches:
        scores[scene.rows_of_label[match.label]] = match.score
    if not matches:
        return scores, ""
    _narrow_by_attribute(scene, matches[0].unknown, scores)
    means = ", ".join(f"{shown(m.label)} ({m.note})" for m in matches[:_NAMED])
    return scores, f'"{shown(noun)}" is {means}: {np.count_nonzero(scores)} known'


def _narrow_by_attribute(scene: Scene, word: str, scores: Scores) -> None:
    """A word before the noun that no label has may be an attribute that a person gave."""
    rows = np.flatnonzero(scores if word else np.zeros(0))
    fitting = [row for row in rows if word in scene.objects[row].attributes.values()]
    if fitting:
        scores[:] = 0.0
        scores[fitting] = 1.0
