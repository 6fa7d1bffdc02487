"""The one scorer of attributes: colours, sizes, forms, descriptions; to the letter, and graded.

What people said of a thing decides in both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from scenemind.language import lexicon
from scenemind.language.english import read_table, roots, word_set
from scenemind.language.measures import compared_by
from scenemind.language.trees import Condition, HasAttribute, Rank
from scenemind.language.vocabulary import Thesaurus
from scenemind.memory import MapObject
from scenemind.memory.finding.object_index import words_in
from scenemind.memory.types import NOTE
from scenemind.reasoning.symbolic.measures import is_sized
from scenemind.reasoning.symbolic.scene import Scene, Scores
from scenemind.reasoning.symbolic.usual import labels_with_purpose, state_share, use_share

# Attributes that only a model or a person gives.
DESCRIBED_ONLY = frozenset(("material", "state", "texture", "affordance", "caption"))
DESCRIPTION_HINT = (
    ": a vision-language model can be asked for it (`descriptions.enabled`), or you can say it"
)
ATTRIBUTE_NOUNS = {"color": "colour", "affordance": "use", "caption": "look"}
_SAID_EXACTLY, _SAID_ALIKE, _SAID_ELSEWHERE = 1.0, 0.9, 0.8
_USUAL_USE, _LIKELY = 0.7, 0.5
USUALLY = ("affordance", "texture")
"""Attributes that things of a kind usually have."""
# Uses that say nothing without what is done.
_FOR_ITS_OBJECT = ("for", "go for", "make", "play", "put in")
_BY_VERB_ALONE = 0.5  # share of a use of which only the verb fits
_FILLING = word_set("on in with from at into it a an the of to my our your this for up")
_DENIALS = word_set("not no never without")
# Attributes that are sentences, which also contain words about other things.
_SENTENCES = frozenset(("caption",))
_EXACT, _SAME_COLOUR = 1.0, 0.9
# "The red chair" means the one that is all red rather than the one that is black and red.
_ONE_OF_SEVERAL = 0.8
# Said colour -> seen colour -> how well it fits; of an unlike colour, and of an unknown one.
_COLOURS: dict[str, dict[str, float]] = read_table("scenemind.reasoning.symbolic", "colours.yaml")
_UNLIKE, _UNKNOWN = 0.03, 0.3
# Least fit of a look that a thing has as cameras show it.
_AS_SHOWN = 0.9
# Score of things of which nobody said what somebody said of another one.
_UNSAID = 0.1
# Value or superlative -> preference for dark colours.
_SHADES = {"dark": 1, "darkest": 2, "light": -1, "lightest": -2}
# Value or superlative -> quantity, and signed strength; the most extreme object fits best.
_SIZES = {
    "small": ("volume", -1), "smallest": ("volume", -2),
    "large": ("volume", 1), "largest": ("volume", 2),
    "tall": ("height", 1), "tallest": ("height", 2),
    "short": ("height", -1), "shortest": ("height", -2),
    "long": ("length", 1), "longest": ("length", 2),
    "wide": ("length", 1), "widest": ("length", 2),
    "thick": ("least", 1), "thickest": ("least", 2),
    "thin": ("least", -1), "thinnest": ("least", -2),
    "narrow": ("width", -1), "narrowest": ("width", -2), "low": ("top", -1), "high": ("top", 1),
}  # fmt: skip
# Height of what lies flat, such as a book: it is thin, where a narrow table is.
_FLAT_M = 0.15
# Score of the third largest where the second is meant.
_ONE_OFF = 0.3
_ROUND = frozenset(("round", "square"))
_OBLONG = frozenset(("rectangular", "oval"))
_DARKNESS = {"black": 2, "dark": 1, "light": -1, "white": -2}


def attribute_scores(scene: Scene, candidates: Scores, wanted: HasAttribute) -> Scores:
    """Scores (N,) of the candidates (those above 0), ignoring negation; of parts of the building
    only for a measure."""
    is_measure = compared_by(wanted.value) is not None
    among = candidates if is_measure else np.where(scene.is_object, candidates, 0.0)
    return _of_each(scene, among, lambda thing: letter_score(thing, wanted.key, wanted.value))


def letter_score(thing: MapObject, key: str, wanted: str) -> float:
    """Score of a value of an attribute, 0 where it does not hold to the letter."""
    value = thing.attributes.get(key, "").lower()
    if key == "color":
        return _colour_score(wanted, value)
    if key == "size":
        is_so = is_sized(thing, wanted)
        return _EXACT * (value == wanted if is_so is None else is_so)
    return description_score(thing, key, wanted)


def bearers(scene: Scene, candidates: Scores, wanted: HasAttribute) -> NDArray[np.bool_]:
    """Mask (N,) of the candidates that are known to have an attribute, ignoring negation; also of
    those whose colour cameras show as another, as they show white things light grey."""
    scores = attribute_scores(scene, candidates, wanted)
    if wanted.key in ("color", "shape"):
        shown = graded_attribute_scores(wanted, scene, candidates)
        scores = scores if shown is None else np.maximum(scores, (shown >= _AS_SHOWN) * candidates)
    return scores > 0.0


def is_relative(look: HasAttribute) -> bool:
    """Whether a look compares things: one of several is always the large one, or the dark one."""
    return look.value in _SIZES or look.value in _SHADES or look.key == "size"


def usual_scores(scene: Scene, candidates: Scores, wanted: HasAttribute) -> Scores:
    """Scores (N,) of the candidates of which nobody has told it, by what such things are for, or
    are like."""
    things = np.where(scene.is_object, candidates, 0.0)
    if wanted.key == "texture":
        return _of_each(scene, things, lambda thing: _usual_texture(thing, wanted.value))
    words = _use_words(wanted.value)
    least = _least_share(wanted.value, words)

    def fit(thing: MapObject) -> float:
        share = 0.0 if "affordance" in thing.attributes else use_share(thing.label, words)
        return share if share > least else 0.0

    shares = _of_each(scene, things, fit)
    return np.where(shares > 0.0, _USUAL_USE * (shares == shares.max(initial=0.0)), 0.0)


@lru_cache(maxsize=256)
def is_known_use(use: str) -> bool:
    """Whether things of some kind are usually for a use, so that without one nothing is."""
    words = _use_words(use)
    least = _least_share(use, words)
    return any(use_share(label, words) > least for label in labels_with_purpose())


def _least_share(use: str, words: Sequence[str]) -> float:
    """Share of a use above which things are for it: "what can I open wine with" asks for no bottle,
    which is opened itself."""
    is_tool = (use.endswith(" with") and len(words) > 1) or words[0] in _FOR_ITS_OBJECT
    return _BY_VERB_ALONE if is_tool else 0.0


def _use_words(use: str) -> list[str]:
    """The verb of a use, with its preposition where that tells the way, and what it is done to."""
    said = use.split()
    verb, length = lexicon.USES.longest(said, 0)
    done_to, way = said[length:], ""
    for ending in (2, 1):  # "drink coffee out of"
        if not way and length == 1 and len(done_to) > ending:
            way = lexicon.USES.get((said[0], *said[-ending:]), "")
            done_to = done_to[:-ending] if way else done_to
    return [way or verb, *(word for word in done_to if word not in _FILLING)]


def _usual_texture(thing: MapObject, value: str) -> float:
    share = 0.0 if "texture" in thing.attributes else state_share(thing.label, value) or 0.0
    return _USUAL_USE * (share > _LIKELY)


def _of_each(scene: Scene, candidates: Scores, fit: Callable[[MapObject], float]) -> Scores:
    """Scores (N,): the fit of each candidate."""
    scores = np.zeros(len(scene))
    for row in np.flatnonzero(candidates > 0.0).tolist():
        scores[row] = fit(scene.objects[row])
    return scores


def graded_attribute_scores(look: HasAttribute | Rank, scene: Scene, like: Scores) -> Scores | None:
    """Graded scores (N,) of an attribute or a superlative of one; None where nothing shows it.

    Args:
        like: (N,) scores for the noun; sizes are compared among the best.
    """
    if isinstance(look, Rank):
        return _measured_scores("", look.superlative, scene, like, look.order)
    if compared_by(look.value):
        return attribute_scores(scene, np.ones(len(scene)), look)
    scores = _measured_scores(look.key, look.value, scene, like)
    known = {}
    for row in np.flatnonzero((like > 0.0) & scene.is_object).tolist():
        thing = scene.objects[row]
        if scores is None or (thing.corrected and thing.attribute_sources.get(look.key) == "user"):
            fit = _stated_score(thing, look)
            if fit is not None:
                known[row] = fit
    if scores is None and not any(known.values()):
        return None
    scores = np.full(len(like), _UNSAID) if scores is None else np.array(scores)
    scores[list(known)] = list(known.values())
    return scores


def _stated_score(thing: MapObject, wanted: HasAttribute) -> float | None:
    """Score of an attribute that a model or a person gave; None where neither did."""
    if wanted.value in _SHADES:  # shades are compared
        return None
    fit = letter_score(thing, wanted.key, wanted.value)
    return fit if fit or wanted.key in thing.attribute_sources else None


def _measured_scores(
    key: str, value: str, scene: Scene, like: Scores, order: int = 1
) -> Scores | None:
    """Scores (N,) by boxes and colours; None for what they do not show."""
    if value in _SHADES:
        return np.asarray(1.0 / (1.0 + np.exp(-_SHADES[value] * darkness(scene.objects))))
    if value in _SIZES:
        return _size_scores(value, scene, like, order)
    if key == "color" or value in lexicon.MOST_OF:
        value = lexicon.MOST_OF.get(value, value)
        names, of_objects = scene.colours
        return np.array([_seen_as(value, n) if n else _UNKNOWN for n in names])[of_objects]
    if value in _ROUND or value in _OBLONG:
        flat = np.sort([thing.yaw_box.size[:2] for thing in scene.objects], axis=1)
        fit = np.exp(-(1.0 - flat[:, 0] / np.maximum(flat[:, 1], 1e-6)) / 0.27)
        return np.asarray(fit if value in _ROUND else 1.0 - 0.9 * fit)
    return None


def _size_scores(trait: str, scene: Scene, like: Scores, order: int) -> Scores:
    quantity, strength = _SIZES[trait]
    flat = np.sort(scene.size[:, :2], axis=1)
    is_flat = scene.size[:, 2] < np.minimum(flat[:, 0], _FLAT_M)
    values = {
        "volume": np.log(np.maximum(np.prod(np.maximum(scene.size, 0.02), axis=1), 1e-6)),
        "height": np.log(np.maximum(scene.size[:, 2], 0.02)),
        "length": np.log(np.maximum(flat[:, 1], 0.02)),
        "width": np.log(np.maximum(flat[:, 0], 0.02)),
        "least": np.log(np.maximum(np.where(is_flat, scene.size[:, 2], flat[:, 0]), 0.01)),
        "top": scene.high[:, 2],
    }[quantity]
    among = values[like > 0.5 * like.max()] if like.any() else values
    if order > 1:
        larger = np.sign(strength) * (among - values[:, None]) > 0.0
        return np.asarray(_ONE_OFF ** np.abs(larger.sum(axis=1) + 1 - order))
    best = among.max() if strength > 0 else among.min()
    return np.asarray(
        np.exp(-np.abs(strength) * np.maximum(np.sign(strength) * (best - values), 0.0) / 0.6)
    )


def is_look(rank: Rank) -> bool:
    """Whether a superlative is about size, shade or colour, not about a place."""
    return any(rank.superlative in table for table in (_SHADES, _SIZES, lexicon.MOST_OF))


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
    forms = words.union(*map(roots, words))  # "sit" of "sitting"
    same = Thesaurus.load().attribute_words
    return bool(telling) and not any(forms.isdisjoint(same(word)) for word in telling)


def alike(key: str, first: str, second: str) -> bool:
    """Whether two values of an attribute mean the same."""
    if key == "color":
        return plain_colours(first) == plain_colours(second)
    return first == second or mentions(first, second) or mentions(second, first)


def plain_colours(colours: str) -> set[str]:
    """The plain colours in a value: black and brown of "black and dark brown"."""
    return {lexicon.base_colour(colour) for colour in colours.split(" and ")}


def darkness(things: Sequence[MapObject]) -> Scores:
    """(N,): 2 for black, 1 for dark colours, -1 for light ones, -2 for white."""
    words = (thing.attributes.get("color", "").split() for thing in things)
    return np.array([sum(_DARKNESS.get(word, 0) for word in each) for each in words], float)


def colourfulness(things: Sequence[MapObject], colour: str) -> Scores:
    """(N,): how much of a colour things have: first those that are called so, the plain shade
    before others, then what a camera may show otherwise; minus infinity without any."""
    seen = [thing.attributes.get("color", "").lower() for thing in things]
    like = np.array([max(_seen_as(colour, one) for one in each.split(" and ")) for each in seen])
    has = np.array([_colour_score(colour, each) for each in seen])
    return np.where((has > 0.0) | (like > _UNLIKE), has + like, -np.inf)


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
    if key == NOTE:
        return ""  # it names who said it
    if key in USUALLY and not any(key in thing.attributes for thing in things):
        return ", as is usual of such things"
    sources = {thing.attribute_sources.get(key) for thing in things}
    if sources == {"model"}:
        return ", a model says"
    return ", a person says" if sources == {"user"} else ""


def _colour_score(wanted: str, value: str) -> float:
    """Score in [0, 1]: the least certain of the required colours; 0 for an unknown one."""
    if not value:
        return 0.0
    said, seen = wanted.split(" and "), value.split(" and ")
    score = min(max(_one_colour_score(a, b) for b in seen) for a in said)
    return score if len(said) >= len(seen) else score * _ONE_OF_SEVERAL


def _one_colour_score(wanted: str, value: str) -> float:
    if lexicon.base_colour(wanted) != lexicon.base_colour(value):
        return 0.0
    return _EXACT if wanted == value.replace("gray", "grey") else _SAME_COLOUR


def _seen_as(wanted: str, seen: str) -> float:
    """How well one seen colour fits a said one, which a camera may show otherwise."""
    fits = _COLOURS.get(wanted) or _COLOURS.get(lexicon.base_colour(wanted), {wanted: 1.0})
    return fits.get(seen, fits.get(lexicon.base_colour(seen), _UNLIKE))
