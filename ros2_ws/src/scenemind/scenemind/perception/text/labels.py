"""Words that a detector is told to look for: one spelling each, and what is no word at all."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from functools import cache
from importlib.resources import files
from itertools import islice

from scenemind.perception.errors import PerceptionError

# Longer ones are no names of things; the text encoders cut at 77 tokens anyway.
_MAX_LENGTH = 80
# Unicode categories of what is not seen: control, format, surrogates, ends of lines.
_CONTROL = frozenset(("Cc", "Cf", "Cs", "Zl", "Zp"))
# Beyond this a detector's comparison with every word costs more than its network.
MAX_VOCABULARY = 4096


def normalized_label(text: str) -> str:
    """One spelling a word: NFKC, lower case, single spaces, underscores as spaces.

    Quotes and other signs stay as they are: a label is data.

    Raises:
        PerceptionError: no letters or digits, longer than 80 characters, or with control characters
            (line ends among them); names the text.
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
    """The normalised labels in their order, each once.

    Raises:
        PerceptionError: no labels, more than 4096, or one that is no name of a thing.
    """
    given = list(islice(texts, MAX_VOCABULARY + 1))
    if not given:
        raise PerceptionError("the vocabulary is empty: a detector without classes finds nothing")
    if len(given) > MAX_VOCABULARY:
        raise PerceptionError(f"the vocabulary is too long: it may have {MAX_VOCABULARY} words")
    return tuple(dict.fromkeys(normalized_label(text) for text in given))


def read_vocabulary(lines: Sequence[str]) -> tuple[str, ...]:
    """Labels from text with one a line; empty lines do not count.

    Raises:
        PerceptionError: see `checked_vocabulary`.
    """
    return checked_vocabulary(line for line in lines if line.strip())


@cache
def default_vocabulary() -> tuple[str, ...]:
    """About 200 things of homes, offices, labs and workshops, as COCO names them where it does."""
    text = files("scenemind.perception.text").joinpath("indoor_words.txt")
    return read_vocabulary(text.read_text(encoding="utf-8").splitlines())


def _shown(text: str) -> str:
    return repr(text if len(text) <= _MAX_LENGTH else text[:_MAX_LENGTH] + "...")
