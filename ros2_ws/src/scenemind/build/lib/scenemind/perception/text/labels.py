"""Labels of detectors: one spelling each, checked vocabularies, and how alike two labels are."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from scenemind.perception.types import PerceptionError

# Longer labels are no names of objects; text encoders truncate at 77 tokens anyway.
_MAX_LENGTH = 80
# Unicode categories of invisible characters: control, format, surrogates, ends of lines.
_CONTROL = frozenset(("Cc", "Cf", "Cs", "Zl", "Zp"))
# Beyond this the comparison with every word costs more than a detector's network.
MAX_VOCABULARY = 4096
LabelSimilarity = Callable[[str, str], float]
# Cosines of an encoder's vectors that count as 0 and as 1. CLIP's, over LVIS' 1,203 names: 95 % of
# all pairs are below the first; sofa and couch, pillow and cushion, remote and remote control
# reach the second. Siblings are not separated from synonyms: cat and dog have 0.89.
_SCALES: Mapping[str, tuple[float, float]] = {"clip_vit_b32": (0.823, 0.95)}


def normalized_label(text: str) -> str:
    """A label in its normal form: NFKC, lower case, single spaces, underscores as spaces.

    Quotes and other signs are kept: a label is data.

    Raises:
        PerceptionError: no letters or digits, longer than 80 characters, or with control characters
            (line ends included); names the text.
    """
    plain = unicodedata.normalize("NFKC", text).lower().replace("_", " ").strip()
    label = " ".join(part for part in unicodedata.normalize("NFKC", plain).split(" ") if part)
    if not any(character.isalnum() for character in label):
        raise PerceptionError(f"{_shown(text)} is no name of a thing: it has no letters")
    if len(label) > _MAX_LENGTH:
        raise PerceptionError(
            f"{_shown(text)} has {len(label)} characters: a name may have {_MAX_LENGTH}"
        )
    controls = [sign for sign in label if unicodedata.category(sign) in _CONTROL]
    if controls:
        raise PerceptionError(f"{_shown(text)} has the control character {controls[0]!r}")
    return label


def checked_vocabulary(texts: Iterable[str]) -> tuple[str, ...]:
    """The normalised labels in their order, without duplicates.

    Raises:
        PerceptionError: no labels, more than 4096, or an invalid one.
    """
    given = list(islice(texts, MAX_VOCABULARY + 1))
    if not given:
        raise PerceptionError("the vocabulary is empty: a detector without classes finds nothing")
    if len(given) > MAX_VOCABULARY:
        raise PerceptionError(f"the vocabulary is too long: it may have {MAX_VOCABULARY} words")
    return tuple(dict.fromkeys(normalized_label(text) for text in given))


def read_vocabulary(lines: Sequence[str]) -> tuple[str, ...]:
    """Labels of a text with one per line; empty lines are ignored.

    Raises:
        PerceptionError: see `checked_vocabulary`.
    """
    return checked_vocabulary(line for line in lines if line.strip())


@cache
def default_vocabulary() -> tuple[str, ...]:
    """About 200 objects of homes, offices, labs and workshops, by COCO's names where it has one."""
    text = files("scenemind.perception.text").joinpath("indoor_words.txt")
    return read_vocabulary(text.read_text(encoding="utf-8").splitlines())


def _shown(text: str) -> str:
    return repr(text if len(text) <= _MAX_LENGTH else text[:_MAX_LENGTH] + "...")


def same_word(a: str, b: str) -> float:
    """Similarity of labels without an encoder: 1 for equal ones, else 0."""
    return float(a == b)


def scaled_similarity(encoder_name: str, cosines: NDArray[np.float32]) -> NDArray[np.float32]:
    """Similarities in [0, 1] of cosines of an encoder's vectors; 0 for uncalibrated encoders."""
    if encoder_name not in _SCALES:
        return np.zeros_like(cosines)
    none, full = _SCALES[encoder_name]
    return np.clip((cosines - none) / (full - none), 0.0, 1.0)


def label_similarity(
    encoder_name: str, words: Sequence[str], vectors: NDArray[np.float32]
) -> LabelSimilarity:
    """A similarity function of two labels, in [0, 1].

    Labels other than the given words are similar only when equal, as are all labels of an
    uncalibrated encoder.

    Args:
        encoder_name: encoder of the vectors.
        vectors: (N, D) of unit length, of the N words.
    """
    if encoder_name not in _SCALES:
        return same_word
    alike = scaled_similarity(encoder_name, vectors @ vectors.T)
    place = {word: number for number, word in enumerate(words)}

    def similarity(a: str, b: str) -> float:
        if a == b:
            return 1.0
        first, second = place.get(a), place.get(b)
        return 0.0 if first is None or second is None else float(alike[first, second])

    return similarity
