"""Sense match: whether an answer means the same as the truth.

Exact match rejects "chairs" where the truth is "chair", and LLM-TPC's soft match accepts "". Sense
match knows articles, plurals, numbers, directions and synonyms. A more specific answer matches
("office chair" and "chair", "dark brown" and "brown"); similar things do not ("desk" and "table",
"armchair" and "chair", "glass" and "mirror"). Empty answers, parts of words, negations, shared
function words, and lists of alternatives get no credit.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from scenemind.evaluation.metrics.numerals import number_words
from scenemind.language import lexicon
from scenemind.language.english import find_number, read_table, singular
from scenemind.language.vocabulary import Thesaurus

_Words = tuple[str, ...]

# Longer texts are sentences: only words that exclude other answers are compared.
_LONGEST_PHRASE = 5
_MOST_NOUNS = 2
_ADJECTIVES = lexicon.COLOURS.keys() | lexicon.SIZES.keys() | lexicon.ADJECTIVES
_NOT_WORDS = re.compile(r"[^a-z0-9' ]+")
_HOUR = re.compile(r"\b(\w+) ?o'? ?clock\b")
_SHORTLY = re.compile(r"^(yes|no)\b *[,.;:].*", re.DOTALL)  # "no, nobody sits there"
_LISTING = re.compile(r",| or | and |/|;")


@dataclass(frozen=True, slots=True, eq=False)
class _Tables:
    """`answer_words.yaml`."""

    same: dict[_Words, str]
    hours: dict[int, str]
    exclusive: tuple[frozenset[str], ...]
    fillers: frozenset[str]
    negations: frozenset[str]
    places: frozenset[str]


def sense_match(answer: str, truth: str) -> bool:
    """Whether an answer says what the truth says."""
    said, meant = _plain(answer), _plain(truth)
    if not said or not meant:
        return False
    if said == meant:
        return True
    said_words, meant_words = _normal(said), _normal(meant)
    if not said_words or not meant_words or _is_denied(said_words) != _is_denied(meant_words):
        return False
    excluded = _tells_apart(said_words, meant_words)
    if excluded is not None:
        return not excluded
    return not _lists_more(answer, truth) and _same_thing(said, meant)


def _tells_apart(said: _Words, meant: _Words) -> bool | None:
    """Whether mutually exclusive words ("left", "right") make the answers the same ("two chairs"
    and "two") or different ("left" and "right and back"); None: they decide nothing."""
    for group in _groups():
        in_said, in_meant = group.intersection(said), group.intersection(meant)
        if in_said and in_meant and in_said != in_meant:
            return True
        if in_meant == set(meant):
            return in_said != in_meant
    return None


def _same_thing(said: str, meant: str) -> bool:
    """Whether both are the same noun phrase, possibly with more words before the noun, and have no
    different places."""
    said_thing, said_place = _split_place(said)
    meant_thing, meant_place = _split_place(meant)
    if said_place and meant_place and said_place != meant_place:
        return False
    if not said_thing or not meant_thing:
        return _normal(said) == _normal(meant)
    if len(said_thing) > _LONGEST_PHRASE:
        return False
    return _is_called(said_thing, meant_thing) or _is_called(meant_thing, said_thing)


def _is_called(words: _Words, name: _Words) -> bool:
    """Whether words have a name, or are a kind of it ("office chair", "chair")."""
    whole = " ".join(words)
    return any(
        whole.replace(" ", "") == other.replace(" ", "")
        or (
            len(other.split()) >= len(name)
            and whole.endswith(" " + other)
            and _is_one(whole.removesuffix(other).split())
        )
        for other in _names(name)
    )


def _is_one(before: Sequence[str]) -> bool:
    """Whether words before a name can modify it ("toilet paper", "long brown"); more nouns are
    further answers ("window door table")."""
    return sum(word not in _ADJECTIVES for word in before) <= _MOST_NOUNS


@cache
def _names(words: _Words) -> frozenset[str]:
    """A noun phrase and its synonyms, including those of its last words."""
    thesaurus = Thesaurus.load()
    whole = " ".join(words)
    names = {whole, *thesaurus.synonyms(whole)}
    for first in range(1, len(words)):
        before, ending = " ".join(words[:first]), " ".join(words[first:])
        names.update(f"{before} {name}" for name in thesaurus.synonyms(ending))
    return frozenset(names)


def _split_place(plain: str) -> tuple[_Words, _Words]:
    """Split "cup on cabinet" into "cup" and "on cabinet"; a bare place has no object."""
    words = plain.split()
    first = next((k for k, word in enumerate(words) if word in _tables().places), len(words))
    return _normal(" ".join(words[:first])), _normal(" ".join(words[first:]))


def _lists_more(answer: str, truth: str) -> bool:
    """Whether an answer lists several alternatives and the truth is one; places do not count."""
    return _listed(answer) > _listed(truth)


def _listed(text: str) -> int:
    things = re.split(rf"\b(?:{'|'.join(_tables().places)})\b", text.lower(), maxsplit=1)[0]
    return len(_LISTING.findall(things.strip(" ,;")))


def _plain(text: str) -> str:
    """Lower case, without punctuation, articles and the like."""
    tables = _tables()
    lower = text.lower().replace("\u2019", "'").replace("-", " ").strip()
    lower = _SHORTLY.sub(r"\1", lower)
    hours = _HOUR.sub(lambda found: tables.hours.get(find_number(found[1]) or 0, found[0]), lower)
    words = _NOT_WORDS.sub(" ", hours).split()
    return " ".join(word for word in words if word not in tables.fillers)


def _is_denied(words: _Words) -> bool:
    return not _tables().negations.isdisjoint(words)


@cache
def _normal(plain: str) -> _Words:
    """Words in the singular, numbers in words, and one word for each group of synonyms."""
    tables = _tables()
    words = [_number(singular(word)) for word in plain.split()]
    if len(words) > 1 and words[-1] == "one":  # "the left one"
        words.pop()
    result: list[str] = []
    longest = max(map(len, tables.same))
    while words:
        for length in range(min(longest, len(words)), 0, -1):
            found = tables.same.get(tuple(words[:length]))
            if found or length == 1:
                result.append(found or words[0])
                del words[:length]
                break
    return tuple(result)


def _number(word: str) -> str:
    value = find_number(word)
    return word if value is None else number_words(value)


@cache
def _groups() -> tuple[frozenset[str], ...]:
    """Groups of mutually exclusive words."""
    numbers = frozenset(number_words(value) for value in range(100))
    return (numbers, *_tables().exclusive)


@cache
def _tables() -> _Tables:
    data = read_table("scenemind.evaluation.metrics", "answer_words.yaml")
    return _Tables(
        _first_of_each(data["same"]),
        {hour: side for side, hours in data["hours"].items() for hour in hours},
        tuple(frozenset(group) for group in data["exclusive"]),
        frozenset(data["fillers"]),
        frozenset(data["negations"]),
        frozenset(data["places"]),
    )


def _first_of_each(groups: Sequence[Sequence[str]]) -> dict[_Words, str]:
    return {tuple(map(singular, word.split())): group[0] for group in groups for word in group}
