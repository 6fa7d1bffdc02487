"""How well each object's label fits a noun as people say it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from scenemind.reasoning.symbolic.building import find_kind
from scenemind.reasoning.symbolic.referring.space import Vector
from scenemind.reasoning.symbolic.scene import Scene
from scenemind.words.english import is_plural, normal
from scenemind.words.label_index import LabelIndex
from scenemind.words.vocabulary import Vocabulary

_MOST_WORDS = 6
# How well a label fits that is only like it, and that is what the last word alone means ("chair"
# for "office chair").
_LOOSE, _HEAD = 0.1, 0.4
# What is left of the score for one thing where several are said, and for an office chair where just
# "chair" is said and there are such.
_OTHER_NUMBER, _MORE_SPECIAL = 0.8, 0.6


def named(scene: Scene, vocabulary: Vocabulary, noun: str) -> Vector:
    """(N,) in [0, 1]; all 0 where no label fits. Without a noun every object fits."""
    if not noun:
        return scene.is_object.astype(np.float64)
    scores = np.zeros(len(scene))
    for label, score in _label_scores(vocabulary, frozenset(scene.rows_of_label), noun):
        scores[scene.rows_of_label[label]] = score
    kind = find_kind(noun)
    if kind is not None:
        of_kind = [
            row for row in np.flatnonzero(~scene.is_object) if scene.objects[row].label == kind
        ]
        scores[of_kind] = 1.0
    return scores


@lru_cache(maxsize=4096)
def _label_scores(
    vocabulary: Vocabulary, labels: frozenset[str], noun: str
) -> tuple[tuple[str, float], ...]:
    """Labels that fit a noun: surely, else loosely, and those of its last word ("office chair")."""
    parts = _parts(noun)
    part, found = next(((p, m) for p in parts if (m := vocabulary.match(p, labels))), ("", []))
    several = is_plural(noun.split(" ")[-1])
    is_exact = any(normal(match.label) == part for match in found)
    scores: dict[str, float] = {}
    for match in found:
        alike = is_plural(match.label.split(" ")[-1]) == several
        is_special = is_exact and normal(match.label).endswith(f" {part}")
        scores[match.label] = (
            match.score * (1.0 if alike else _OTHER_NUMBER) * (_MORE_SPECIAL if is_special else 1.0)
        )
    if found:
        index = LabelIndex(labels)
        head = part.split(" ")[-1]
        loosely = {m.label: _LOOSE for m in vocabulary.loose(head, index)}
        loosely |= {m.label: _LOOSE for m in vocabulary.loose(part, index)}
        if head != part:
            loosely |= {m.label: _HEAD for m in vocabulary.strict(head, index)}
        for label, score in loosely.items():
            scores[label] = max(score, scores.get(label, 0.0))
    return tuple(scores.items())


def _parts(noun: str) -> Iterator[str]:
    """The noun, then without its last words ("chair pulled"), each as it may be spelled."""
    words = normal(noun).split(" ")[-_MOST_WORDS:]
    for last in range(len(words), 0, -1):
        yield " ".join(words[:last])
        if last > 1:  # "book case"
            yield " ".join((*words[: last - 2], words[last - 2] + words[last - 1]))
