"""Scores of labels and looks: nouns, colours by name, sizes against their like, forms by boxes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np

from scenemind.language.english import is_plural, normal, read_table
from scenemind.language.lexicon import base_colour
from scenemind.language.trees import HasAttribute, Rank
from scenemind.language.vocabulary import LabelIndex, Vocabulary
from scenemind.memory import MapObject
from scenemind.reasoning.symbolic.attribute_scores import darkness
from scenemind.reasoning.symbolic.scene import Scene, Scores, find_kind

# Said colour -> seen colour -> how well it fits.
_COLOURS: dict[str, dict[str, float]] = read_table(
    "scenemind.reasoning.symbolic.referring", "colours.yaml"
)
# Scores of an unlike colour, and of an unknown one.
_UNLIKE, _UNKNOWN = 0.03, 0.3
# Value or superlative -> preference for dark colours.
_SHADES = {"dark": 1, "darkest": 2, "light": -1, "lightest": -2}
# Value or superlative -> quantity, and signed strength; the most extreme object fits best.
_SIZES = {
    "small": ("volume", -1), "smallest": ("volume", -2),
    "large": ("volume", 1), "largest": ("volume", 2),
    "tall": ("height", 1), "tallest": ("height", 2),
    "short": ("height", -1), "shortest": ("height", -2),
    "long": ("length", 1), "longest": ("length", 2),
    "wide": ("length", 1), "widest": ("length", 2), "thick": ("width", 1),
    "narrow": ("width", -1), "narrowest": ("width", -2), "low": ("top", -1), "high": ("top", 1),
}  # fmt: skip
_ROUND = frozenset(("round", "square"))
_OBLONG = frozenset(("rectangular", "oval"))
_MOST_WORDS = 6
# Scores of a confusable label, and of a label for the head alone ("chair" for "office chair").
_LOOSE, _HEAD = 0.1, 0.4
# Factors for a label of another number, and for an office chair where "chair" fits others exactly.
_OTHER_NUMBER, _MORE_SPECIAL = 0.8, 0.6


def look_scores(look: HasAttribute | Rank, scene: Scene, like: Scores) -> Scores | None:
    """Scores (N,) in (0, 1] of a look; None for one that boxes and colours do not show.

    Args:
        like: (N,) scores for the noun; sizes are compared among the best.
    """
    key, value = (
        (look.key, look.value) if isinstance(look, HasAttribute) else ("", look.superlative)
    )
    if value in _SHADES:
        return _shade_scores(value, scene.objects)
    if value in _SIZES:
        return _size_scores(value, scene, like)
    if key == "color":
        return _colour_scores(value, scene.objects)
    if value in _ROUND or value in _OBLONG:
        ratio = scene.size[:, :2].min(axis=1) / np.maximum(scene.size[:, :2].max(axis=1), 1e-6)
        fit = np.exp(-(1.0 - ratio) / 0.4)
        return np.asarray(fit if value in _ROUND else 1.0 - 0.7 * fit)
    return None


def is_look(rank: Rank) -> bool:
    """Whether a superlative is about size or shade, not about a place."""
    return rank.superlative in _SHADES or rank.superlative in _SIZES


def _colour_scores(wanted: str, things: Sequence[MapObject]) -> Scores:
    fits = _COLOURS.get(wanted, {wanted: 1.0})

    def fit(thing: MapObject) -> float:
        seen = thing.attributes.get("color", "")
        if not seen:
            return _UNKNOWN
        return fits.get(seen, fits.get(base_colour(seen), _UNLIKE))

    return np.array([fit(thing) for thing in things])


def _shade_scores(wanted: str, things: Sequence[MapObject]) -> Scores:
    return np.asarray(1.0 / (1.0 + np.exp(-_SHADES[wanted] * darkness(things))))


def _size_scores(trait: str, scene: Scene, like: Scores) -> Scores:
    quantity, strength = _SIZES[trait]
    flat = np.sort(scene.size[:, :2], axis=1)
    values = {
        "volume": np.log(np.maximum(np.prod(np.maximum(scene.size, 0.02), axis=1), 1e-6)),
        "height": np.log(np.maximum(scene.size[:, 2], 0.02)),
        "length": np.log(np.maximum(flat[:, 1], 0.02)),
        "width": np.log(np.maximum(flat[:, 0], 0.02)),
        "top": scene.high[:, 2],
    }[quantity]
    among = values[like > 0.5 * like.max()] if like.any() else values
    best = among.max() if strength > 0 else among.min()
    return np.asarray(
        np.exp(-np.abs(strength) * np.maximum(np.sign(strength) * (best - values), 0.0) / 0.6)
    )


def noun_scores(scene: Scene, vocabulary: Vocabulary, noun: str) -> Scores:
    """Scores (N,) in [0, 1] of labels for a noun; without a noun every object fits."""
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
    """Scores of labels for a noun: sure, loose, and those of its head ("office chair")."""
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
    """The noun, then without its last words ("chair pulled"), each in its possible spellings."""
    words = normal(noun).split(" ")[-_MOST_WORDS:]
    for last in range(len(words), 0, -1):
        yield " ".join(words[:last])
        if last > 1:  # "book case"
            yield " ".join((*words[: last - 2], words[last - 2] + words[last - 1]))
