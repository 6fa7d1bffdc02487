"""A sentence laid along patterns that it does not fit.

Words of the sentence may be left out, and words of the pattern added, each at a price; slots take
what stands between. What is lost with the words that are left out in the end, the caller knows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

from rapidfuzz.distance import OSA

from scenemind.language.shapes import Part, Shape, ShapeBook, Slot, Words

Spans = tuple[tuple[int, int], ...]
"""First word and end of each slot."""
_Way = tuple[float, Spans]  # up to a word, with its price
# Prices of a word of the pattern that was not said, of one that was misspelled, and, to prefer ways
# that use most words, of a word in a slot and of one that is left out.
_UNSAID, _MISSPELLED, _IN_SLOT, _LEFT_OUT = 0.3, 0.1, 0.02, 0.03
_SHORTEST, _LIKE = 3, 0.75  # letters of a misspelled word, and its least likeness to the right one
_LONGEST_KEY = 4  # words of a table's key


def cheapest_ways(
    book: ShapeBook,
    words: Words,
    weights: Sequence[float],
    extra: Callable[[Shape], float],
    count: int,
) -> list[tuple[float, Shape, Spans]]:
    """The patterns along which the words are laid at the lowest prices, the cheapest first.

    Args:
        weights: of the words, in [0, 1]: heavy ones are rather kept.
        extra: added to the price of a pattern.
    """
    bounded = [
        (extra(pattern) + _least_price(pattern, words), number, pattern)
        for number, pattern in enumerate(book.shapes)
    ]
    found: list[tuple[float, int, Shape, Spans]] = []
    for bound, number, pattern in sorted(bounded, key=lambda entry: entry[:2]):
        if len(found) >= count and bound >= found[count - 1][0]:
            break
        way = _cheapest(pattern, words, weights, book)
        if way is not None:
            found.append((way[0] + extra(pattern), number, pattern, way[1]))
            found.sort(key=lambda entry: entry[:2])
    return [(price, pattern, spans) for price, _, pattern, spans in found[:count]]


def _least_price(pattern: Shape, words: Words) -> float:
    """A price that no way along a pattern is below."""
    needed = (p for p in pattern.parts if p.slot is None and () not in p.options)
    return _UNSAID * sum(not any(_ends(part, words)) for part in needed)


def _cheapest(
    pattern: Shape, words: Words, weights: Sequence[float], book: ShapeBook
) -> _Way | None:
    ways: list[_Way | None] = [None] * (len(words) + 1)
    ways[0] = 0.0, ()
    for part in pattern.parts:
        _leave_out(ways, weights)
        ways = (
            _along_words(part, ways, words)
            if part.slot is None
            else (_along_slot(part.slot, ways, words, book))
        )
    _leave_out(ways, weights)
    return ways[-1]


def _leave_out(ways: list[_Way | None], weights: Sequence[float]) -> None:
    for place, weight in enumerate(weights):
        way = ways[place]  # which may come from the word before
        if way is not None:
            _offer(ways, place + 1, way[0] + _LEFT_OUT * (1.0 + weight), way[1])


def _along_words(part: Part, ways: list[_Way | None], words: Words) -> list[_Way | None]:
    unsaid = 0.0 if () in part.options else _UNSAID
    after = [None if way is None else (way[0] + unsaid, way[1]) for way in ways]
    for way, ends in zip(ways, _ends(part, words), strict=False):
        if way is not None:
            for end, price in ends:
                _offer(after, end, way[0] + price, way[1])
    return after


def _along_slot(
    part: Slot, ways: list[_Way | None], words: Words, book: ShapeBook
) -> list[_Way | None]:
    after: list[_Way | None] = [None] * len(ways)
    table = book.table(part.kind)
    best: tuple[float, Spans, int] | None = None  # the way to where the slot starts best
    for end in range(1, len(ways)):
        way = ways[end - 1]
        if table is not None:
            for start in range(max(0, end - _LONGEST_KEY), end):
                before = ways[start]
                if before is not None and " ".join(words[start:end]) in table:
                    price = before[0] + _IN_SLOT * (end - start)
                    _offer(after, end, price, (*before[1], (start, end)))
            continue
        if way is not None and (best is None or way[0] < best[0]):
            best = *way, end - 1
        if best is not None:
            best = best[0] + _IN_SLOT, best[1], best[2]
            after[end] = best[0], (*best[1], (best[2], end))
    return after


@lru_cache(maxsize=2048)
def _ends(part: Part, words: Words) -> list[list[tuple[int, float]]]:
    """For each word, where options that stand there, or nearly, end, with the price of a slip."""
    found: list[list[tuple[int, float]]] = []
    for start, word in enumerate(words):
        ends = [
            (start + len(option), 0.0)
            for option in part.options
            if option and option[0] == word and words[start : start + len(option)] == option
        ]
        if not ends and len(word) >= _SHORTEST and _is_nearly(word, part):
            ends = [(start + 1, _MISSPELLED)]
        found.append(ends)
    return found


@lru_cache(maxsize=8192)
def _is_nearly(word: str, part: Part) -> bool:
    return any(
        len(option) == 1 and OSA.normalized_similarity(word, option[0]) >= _LIKE
        for option in part.options
    )


def _offer(ways: list[_Way | None], place: int, price: float, spans: Spans) -> None:
    """Keep a way up to a word where it is the cheapest so far."""
    known = ways[place]
    if known is None or price < known[0]:
        ways[place] = price, spans
