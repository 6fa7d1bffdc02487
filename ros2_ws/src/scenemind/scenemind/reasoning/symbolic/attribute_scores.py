"""Scores of objects for nouns and attributes: labels, colours, sizes, descriptions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from scenemind.language import lexicon
from scenemind.language.english import shown, word_set
from scenemind.language.trees import Condition, HasAttribute
from scenemind.language.vocabulary import Thesaurus, Vocabulary
from scenemind.memory import MapObject
from scenemind.memory.attributes.lazy_attributes import quick_attributes
from scenemind.memory.finding.object_index import FORM_WORDS, _words_of_attributes, words_in
from scenemind.reasoning.symbolic.scene import Scene, Scores, find_kind
from scenemind.reasoning.symbolic.situated.usual import is_usually_used

# Attributes that only a model or a person gives.
DESCRIBED_ONLY = frozenset(("material", "state", "texture", "affordance", "caption"))
DESCRIPTION_HINT = (
    ": a vision-language model can be asked for it (`descriptions.enabled`), or you can say it"
)
ATTRIBUTE_NOUNS = {"color": "colour", "affordance": "use", "caption": "look"}
_SAID_EXACTLY, _SAID_ALIKE, _SAID_ELSEWHERE = 1.0, 0.9, 0.8
_USUAL_USE = 0.7
_FILLING = word_set("on in with from at into it a an the of to")
_DENIALS = word_set("not no never without")
# Attributes that are sentences, which also contain words about other things.
_SENTENCES = frozenset(("caption",))
_SHORTEST_STEM = 3
_EXACT, _SAME_COLOUR, _LIKE_COLOUR, _RELATIVE_SIZE = 1.0, 0.9, 0.5, 0.8
# "The red chair" means the one that is all red rather than the one that is black and red.
_ONE_OF_SEVERAL = 0.8
# Longest sides must differ this much before one of the things is "the small one".
_SIZE_SPREAD = 1.15
# Pairs of colours that cameras and people confuse.
_ALIKE = frozenset(
    frozenset(pair)
    for pair in (
        ("black", "dark grey"), ("black", "dark brown"), ("black", "dark blue"),
        ("white", "light grey"), ("white", "beige"),
        ("brown", "beige"), ("brown", "orange"), ("brown", "red"), ("red", "pink"),
        ("red", "orange"), ("yellow", "beige"), ("yellow", "orange"), ("blue", "purple"),
        ("blue", "green"), ("blue", "grey"), ("purple", "pink"), ("beige", "grey"),
    )
)  # fmt: skip
_DARKNESS = {"black": 2, "dark": 1, "light": -1, "white": -2}
_NAMED = 4


def label_scores(scene: Scene, vocabulary: Vocabulary, noun: str) -> tuple[Scores, str]:
    """Scores (N,) of labels for a noun, all 1 without a noun ("thing"), and a note.

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


def attribute_scores(scene: Scene, candidates: Scores, wanted: HasAttribute) -> Scores:
    """Scores (N,) of the candidates (those above 0), ignoring negation."""
    score = _colour_score if wanted.key == "color" else _plain_score
    if wanted.key in ("color", "size"):
        return _of_values(scene, candidates, wanted, score)
    scores = np.zeros(len(scene))
    for row in np.flatnonzero((candidates > 0.0) & scene.is_object):
        scores[row] = description_score(scene.objects[row], wanted.key, wanted.value)
    return scores


def usual_scores(scene: Scene, candidates: Scores, wanted: HasAttribute) -> Scores:
    """Scores (N,) of the candidates whose use nobody has told, by what such things are for."""
    scores = np.zeros(len(scene))
    for row in np.flatnonzero((candidates > 0.0) & scene.is_object):
        thing = scene.objects[row]
        if "affordance" not in thing.attributes and is_usually_used(thing.label, wanted.value):
            scores[row] = _USUAL_USE
    return scores


def similar_scores(scene: Scene, candidates: Scores, wanted: HasAttribute) -> Scores:
    """Scores (N,) of near matches: a similar colour, the smaller of several."""
    if wanted.key == "color":
        return _of_values(scene, candidates, wanted, _alike_score)
    scores = np.zeros(len(scene))
    rows = np.flatnonzero(candidates > 0.0)
    if wanted.key == "size" and len(rows):
        scores[rows] = _relative_size(scene.size[rows].max(axis=1), wanted.value)
    return scores


def description_score(thing: MapObject, key: str, wanted: str) -> float:
    """Score of an attribute for a word: "wood" for "wooden", "sit on it" for "sit on".

    A quality may also stand in another attribute that a model or a person gave.
    """
    value = thing.attributes.get(key, "").lower()
    if value == wanted:
        return _SAID_EXACTLY
    if value and mentions(value, wanted):
        return _SAID_ALIKE
    others = thing.attribute_sources.keys() - _SENTENCES - {key, "affordance"}
    if key == "affordance":
        return 0.0
    return _SAID_ELSEWHERE * any(
        mentions(thing.attributes.get(name, ""), wanted) for name in others
    )


def mentions(value: str, wanted: str) -> bool:
    """Whether a value contains all content words, or synonyms, and no negation."""
    words = set(words_in(value))
    if words & _DENIALS:
        return False
    telling = [word for word in words_in(wanted) if word not in _FILLING]
    return bool(telling) and all(_is_among(word, words) for word in telling)


def darkness(things: Sequence[MapObject]) -> Scores:
    """(N,): 2 for black, 1 for dark colours, -1 for light ones, -2 for white."""
    words = (thing.attributes.get("color", "").split() for thing in things)
    return np.array([sum(_DARKNESS.get(word, 0) for word in each) for each in words], float)


def find_undescribed(things: Iterable[MapObject], conditions: Iterable[Condition]) -> str | None:
    """Name of a required attribute, such as "use", that no object has; None for none.

    Then the answer is unknown, and "no" would be wrong.
    """
    keys = [c.key for c in conditions if isinstance(c, HasAttribute) and c.key in DESCRIBED_ONLY]
    said = {key for thing in things for key in thing.attribute_sources}
    return next((ATTRIBUTE_NOUNS.get(key, key) for key in keys if key not in said), None)


def source_note(things: Iterable[MapObject], key: str) -> str:
    """Note on the source: ", a model says"; empty for a measured attribute."""
    things = list(things)
    if key == "affordance" and not any(key in thing.attributes for thing in things):
        return ", as is usual of such things"
    sources = {thing.attribute_sources.get(key) for thing in things}
    if sources == {"model"}:
        return ", a model says"
    return ", a person says" if sources == {"user"} else ""


def _is_among(word: str, words: set[str]) -> bool:
    same = Thesaurus.load().attribute_words(word)
    if same & words:
        return True
    return len(word) >= _SHORTEST_STEM and _begins_one(word, sorted(words))


def _begins_one(word: str, words: Sequence[str]) -> bool:
    """Whether a word is the stem of one of the others ("sit" of "sitting")."""
    return any(other in (f"{word}ing", f"{word}{word[-1]}ing", f"{word}ed") for other in words)


def _of_values(
    scene: Scene, candidates: Scores, wanted: HasAttribute, score: Callable[[str, str], float]
) -> Scores:
    scores = np.zeros(len(scene))
    for row in np.flatnonzero(candidates > 0.0):
        value = scene.objects[row].attributes.get(wanted.key, "").lower()
        scores[row] = score(wanted.value, value) if value else 0.0
    return scores


def _plain_score(wanted: str, value: str) -> float:
    return _EXACT * (wanted == value)


def _colour_score(wanted: str, value: str) -> float:
    """Score in [0, 1]: the least certain of the required colours."""
    said, seen = wanted.split(" and "), value.split(" and ")
    score = min(max(_one_colour_score(a, b) for b in seen) for a in said)
    return score if len(said) >= len(seen) else score * _ONE_OF_SEVERAL


def _one_colour_score(wanted: str, value: str) -> float:
    if lexicon.base_colour(wanted) != lexicon.base_colour(value):
        return 0.0
    return _EXACT if wanted == value.replace("gray", "grey") else _SAME_COLOUR


def _alike_score(wanted: str, value: str) -> float:
    said, seen = (
        {name for colour in text.split(" and ") for name in (colour, lexicon.base_colour(colour))}
        for text in (wanted, value)
    )
    alike = any(frozenset((a, b)) in _ALIKE for a in said for b in seen)
    return _LIKE_COLOUR if alike else 0.0


def _relative_size(longest_m: NDArray[np.float64], wanted: str) -> Scores:
    if len(longest_m) < 2 or longest_m.max() < _SIZE_SPREAD * longest_m.min():
        return np.zeros(len(longest_m))
    middle = (longest_m.max() + longest_m.min()) / 2.0
    if wanted == "medium":
        return np.zeros(len(longest_m))
    fits = longest_m < middle if wanted == "small" else longest_m > middle
    return np.where(fits, _RELATIVE_SIZE, 0.0)


def _building_rows(scene: Scene) -> Sequence[int]:
    return np.flatnonzero(~scene.is_object).tolist()


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
    """Whether an object's attributes contain every word or a synonym."""
    thing, words = scene.objects[row], words_in(said)
    needs_form = any(word in FORM_WORDS for word in words)
    attributes = thing.attributes if needs_form else quick_attributes(thing)
    known, thesaurus = _words_of_attributes(attributes), Thesaurus.load()
    return all(not thesaurus.attribute_words(word).isdisjoint(known) for word in words)
