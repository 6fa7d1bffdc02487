"""Inflections: "sitting" and "sits", "wooden" and "wood" have a root in common."""

from __future__ import annotations

from collections.abc import Iterator

from scenemind.words.english import singular

# How much is left of a word at least: "red" is no inflection of "r".
_ENDINGS = {"s": 3, "es": 3, "ed": 3, "d": 3, "ing": 3, "en": 4, "n": 4, "y": 4, "ly": 3, "ish": 3}
_ENDINGS |= {"ic": 4}
_VOWELS = "aeiou"


def roots(word: str) -> frozenset[str]:
    """All that a lower-case word may be an inflection of, itself included. Some are no words."""
    plain = word.removesuffix("'s").removesuffix("'")
    return frozenset((plain, singular(plain), *_without_endings(plain)))


def _without_endings(word: str) -> Iterator[str]:
    for ending, shortest in _ENDINGS.items():
        rest = word.removesuffix(ending)
        if rest == word or len(rest) < shortest:
            continue
        yield rest
        yield f"{rest}e"  # "rename" of "renaming"
        if rest[-1] == rest[-2] and rest[-1] not in _VOWELS:
            yield rest[:-1]  # "sit" of "sitting"
