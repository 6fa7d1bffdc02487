"""Classes of words that people say in a talk (`spoken_words.yaml`)."""

from __future__ import annotations

from scenemind.words.tables import read_table

_CLASSES: dict[str, list[str]] = read_table("scenemind.reasoning", "spoken_words.yaml")


def any_of(name: str) -> str:
    """A pattern for one word or phrase of a class."""
    return f"(?:{'|'.join(_CLASSES[name])})"


def words_in(name: str) -> frozenset[str]:
    """The single words of a class."""
    return frozenset(_CLASSES[name])
