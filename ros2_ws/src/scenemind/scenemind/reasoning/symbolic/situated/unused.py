"""What of a question could not be used, so that an answer does not look surer than it is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields

from scenemind.reasoning.symbolic.situated.classes import Classes
from scenemind.reasoning.symbolic.situated.tree import AskDirection, AskReach, SituatedTree, Thing


def unused_words(question: SituatedTree, classes: Classes) -> tuple[str, ...]:
    """Nouns that nothing here is called by or used for, and hints beside a noun that is known."""
    if isinstance(question, AskDirection | AskReach):
        return ()  # all their words are hints, and together say what is meant
    words: list[str] = []
    for thing in _things(question):
        if not thing.noun:
            continue
        if classes.named(thing.noun).any():
            words += thing.hints
        elif not classes.by_purpose(tuple(thing.noun.split())).any():
            words.append(thing.noun)
    return tuple(dict.fromkeys(words))


def _things(question: SituatedTree) -> Iterator[Thing]:
    for field in fields(question):
        value = getattr(question, field.name)
        for part in value if isinstance(value, tuple) else (value,):
            if isinstance(part, Thing):
                yield from _nested(part)


def _nested(thing: Thing) -> Iterator[Thing]:
    yield thing
    for link in thing.links:
        for anchor in link.anchors:
            yield from _nested(anchor)
