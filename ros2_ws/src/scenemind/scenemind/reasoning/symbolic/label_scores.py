"""The one scorer of nouns: to the letter, and graded."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from scenemind.language import lexicon
from scenemind.language.english import is_plural, normal, shown
from scenemind.language.vocabulary import SYNONYM, Thesaurus
from scenemind.memory.attributes.lazy_attributes import quick_attributes
from scenemind.memory.finding.object_index import FORM_WORDS, _words_of_attributes, words_in
from scenemind.reasoning.symbolic.scene import Scene, Scores, find_kind

_NAMED = 4
# Least score of a sure label (`Vocabulary`: synonyms and kinds).
_SURE = 0.89
_MOST_WORDS = 6  # of a noun
_AT_M = 0.5  # gap up to which a chair is a desk chair
# Factors for a label of another number, and for kinds (office chairs, recycling bins) where others
# are called by the noun itself.
_OTHER_NUMBER, _OF_A_KIND = 0.8, 0.6


def label_scores(scene: Scene, noun: str) -> tuple[Scores, str]:
    """Scores (N,) of labels for a noun, all 1 without a noun ("thing"), and a note.

    Parts of the building fit where they are named.
    """
    qualities, _, last = noun.rpartition(" ")
    if qualities and last in lexicon.ANYTHING and sure_labels(scene, qualities):
        return label_scores(scene, qualities)  # "the oven thing"
    if not noun or last in lexicon.ANYTHING:
        scores = scene.is_object.astype(np.float64)
        _narrow_by_attribute(scene, qualities, scores, needed=True)
        return scores, ""
    scores = np.zeros(len(scene))
    matches = scene.matches(noun)
    kind = find_kind(noun)
    if kind is not None:
        matches = [match for match in matches if match.sure]
        scores[_with_thing(scene, qualities, _rows_of_kind(scene, kind))] = 1.0
    for match in matches:
        scores[scene.rows_called([match.label])] = match.score
        if match.label in scene.may_be:
            _weigh_maybe(scene, match.label, scores)
    if not matches:
        return scores, ""
    said = qualities if matches[0].stands_in else matches[0].unknown
    _narrow_by_attribute(scene, said, scores, needed=False)
    means = ", ".join(f"{shown(m.label)} ({m.note})" for m in matches[:_NAMED])
    return scores, f'"{shown(noun)}" is {means}: {np.count_nonzero(scores)} known'


def sure_labels(scene: Scene, noun: str) -> list[str]:
    """Labels that surely fit a noun with all its words."""
    matches = scene.matches(noun)
    return [match.label for match in matches if match.score > _SURE and not match.unknown]


def rows_standing_in(scene: Scene, noun: str) -> list[int]:
    """Rows of things that are often confused with an unknown one; none where it is known."""
    if not noun or find_kind(noun) is not None:
        return []
    return scene.rows_called(match.label for match in scene.matches(noun) if match.stands_in)


def graded_label_scores(scene: Scene, noun: str) -> Scores:
    """Scores (N,) in [0, 1] of labels for a noun, to compare objects: those to the letter, of as
    much of the noun as names anything; less for another number, and for kinds."""
    for part in _parts(noun):
        scores, _ = label_scores(scene, part)
        if scores.any():
            break
    several = is_plural(noun)
    matches = scene.matches(part) if part else []
    is_exact = any(normal(match.label) == part for match in matches)
    for match in matches:
        is_other = is_plural(match.label) != several
        is_kind = is_exact and match.score < SYNONYM
        factor = (_OTHER_NUMBER if is_other else 1.0) * (_OF_A_KIND if is_kind else 1.0)
        scores[scene.rows_called([match.label])] *= factor
    return scores


def confidences_as(scene: Scene, noun: str) -> Scores:
    """Confidences (N,) of objects; of those that stand in for a noun as they may be one, how likely
    they are."""
    if not scene.may_be or not noun:
        return scene.confidence
    sure = scene.confidence.copy()
    for match in scene.matches(noun):
        for row, probability in scene.may_be.get(match.label, {}).items():
            sure[row] = probability
    return sure


def _weigh_maybe(scene: Scene, label: str, scores: Scores) -> None:
    """Score things that may bear a label, so that their confidence is its probability."""
    for row, probability in scene.may_be[label].items():
        scores[row] = min(probability / max(float(scene.confidence[row]), probability), _SURE)


def _parts(noun: str) -> Iterator[str]:
    """The noun, then without its last words ("chair pulled"), each in its possible spellings."""
    words = normal(noun).split(" ")[-_MOST_WORDS:]
    for last in range(len(words), 0, -1):
        yield " ".join(words[:last])
        if last > 1:  # "book case"
            yield " ".join((*words[: last - 2], words[last - 2] + words[last - 1]))


def _rows_of_kind(scene: Scene, kind: str) -> list[int]:
    """Rows of floors, walls or ceilings."""
    rows = np.flatnonzero(~scene.is_object).tolist()
    return [row for row in rows if scene.objects[row].label == kind]


def _with_thing(scene: Scene, name: str, rows: list[int]) -> list[int]:
    """The parts of a building that have a thing of a name: "the window wall"; all where none has
    one."""
    things = scene.rows_surely(name)
    held = {row for thing in things for row in scene.carriers_of(thing)}
    return [row for row in rows if row in held] or rows


def _narrow_by_attribute(scene: Scene, said: str, scores: Scores, *, needed: bool) -> None:
    """Use words before the noun that no label has as attributes ("wooden", "smooth black").

    Args:
        needed: no object fits where none has them; else they are ignored.
    """
    words = words_in(said)
    if not words:
        return
    fitting = [row for row in np.flatnonzero(scores).tolist() if has_words(scene, row, said)]
    if fitting or needed:
        scores[:] = 0.0
        scores[fitting] = 1.0


def has_words(scene: Scene, row: int, said: str) -> bool:
    """Whether an object's attributes contain every word or a synonym, or it is at what they name:
    "the desk chair"."""
    thing, words = scene.objects[row], words_in(said)
    needs_form = any(word in FORM_WORDS for word in words)
    attributes = thing.attributes if needs_form else quick_attributes(thing)
    known, thesaurus = _words_of_attributes(attributes), Thesaurus.load()
    is_so = all(not thesaurus.attribute_words(word).isdisjoint(known) for word in words)
    return is_so or _is_at(scene, row, said)


def _is_at(scene: Scene, row: int, name: str) -> bool:
    """Whether a thing is at another one of a name; "dining" names a dining table."""
    things = scene.rows_called(sure_labels(scene, name))
    if not things and name.endswith("ing"):
        things = scene.rows_called(x for x in scene.rows_of_label if x.startswith(f"{name} "))
    gaps_m = scene.gaps_m(scene.low[row], scene.high[row])[[one for one in things if one != row]]
    return bool((gaps_m <= _AT_M).any())
