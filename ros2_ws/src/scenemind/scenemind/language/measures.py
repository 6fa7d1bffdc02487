"""Comparisons by measure, as the relations and sizes that they are: "within 2 m of", "taller than",
"of the same color as"; "longer than 2 m"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from scenemind.language import lexicon
from scenemind.language.english import find_number
from scenemind.language.lexicon import PhraseTable
from scenemind.language.relation_names import RELATION_NAMES
from scenemind.language.trees import Superlative

# Comparative -> what it ranks by, the usual word for it first; nearness is a distance.
_COMPARATIVES = {
    word: name
    for word, name in (lexicon.RANKS | lexicon.COMPARATIVES).items()
    if not word.endswith("est") and name not in lexicon.COMPARING
}
_WORDS = {name: word for word, name in reversed(_COMPARATIVES.items())}
_ALONG = {
    "tall": "height",
    "high": "height",
    "long": "length",
    "wide": "width",
    "deep": "depth",
    "thick": "thickness",
}
_BY_ADJECTIVE = dict(
    zip(_ALONG, ("taller", "taller", "longer", "wider", "deeper", "thicker"), strict=True)
)
_KEYS = lexicon.ATTRIBUTE_NAMES | {name: name for name in _ALONG.values()}
_KEYS |= dict.fromkeys(("kind", "type", "sort"), "kind")
# "Taller than the door", "as tall as the door", "(of) the same colour as the door".
COMPARISONS = PhraseTable(
    {
        (word, "than"): f"{_WORDS[name]} than"
        for word, name in _COMPARATIVES.items()
        if f"{_WORDS[name]} than" not in RELATION_NAMES  # "higher than" is of places
    }
    | {("as", word, "as"): f"of the same {key} as" for word, key in _ALONG.items()}
    | {
        (*before, "same", word, "as"): f"of the same {key} as"
        for word, key in _KEYS.items()
        for before in ((), ("the",), *((start, "the") for start in ("of", "in", "with")))
    }
)
# "Closer to the door than to the window": a relation to both.
CLOSER = "closer to"
LENGTH = (
    r"(?P<number>\d{1,4}(?:\.\d{1,3})?|half an?|[a-z]+)(?:(?<=\d) ?| )"
    r"(?P<unit>cm|centimet(?:er|re)s?|m|met(?:er|re)s?|ft|foot|feet|inch(?:es)?)\b"
    # "One metre eighty", "five foot ten".
    r"(?: (?P<more>\d\d?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|\w+ty(?:-\w+)?)"
    r"(?= (?:tall|high|wide|long|deep|and)\b|$))?"
)
_METRES = {"c": 0.01, "m": 1.0, "f": 0.3048, "i": 0.0254}
_METRES_MORE = {"m": 0.01, "f": 0.0254}
_BOUND = (
    r"(?:(?P<least>more than|over|at least|farther than|further than"
    r"|(?:no|not) (?:less|closer) than)"
    r"|within|(?:no|not) (?:more|farther|further) than|less than|closer than|nearer than|at most"
    r"|under|up to) "
)
_DISTANCE = re.compile(rf"{_BOUND}{LENGTH}(?: away)? (?:of|from|to)(?= )")
_EXTENT = re.compile(rf"{_BOUND}{LENGTH} (?P<along>{'|'.join(_ALONG)})\b")
_LONGER = re.compile(rf"(?P<no>no )?(?P<by>{'|'.join(_COMPARATIVES)}) than {LENGTH}")
_OPENS = frozenset(
    ("within", "no", "not", "less", "more", "closer", "nearer", "farther", "further", "at")
) | {"under", "over", "up", *_COMPARATIVES}
_LONGEST = 9  # words
_WITHIN = re.compile(r"within (\S+) m of")


class Measured(NamedTuple):
    """A comparison with a length.

    Attributes:
        said: the predicate "within 2 m of", or the size "longer than 2 m".
        words: their number.
    """

    said: str
    is_relation: bool
    negated: bool
    words: int


def find_measured(words: Sequence[str], at: int) -> Measured | None:
    """The comparison with a length that begins with a word."""
    if at >= len(words) or words[at] not in _OPENS:
        return None
    said = " ".join(words[at : at + _LONGEST])
    for shape in (_DISTANCE, _EXTENT, _LONGER):
        found = shape.match(said)
        metres = metres_of(found) if found else None
        if found is None or metres is None:
            continue
        count = len(found.group().split())
        if shape is _DISTANCE:
            return Measured(f"within {metres:g} m of", True, bool(found["least"]), count)
        if shape is _EXTENT:
            size = f"{_BY_ADJECTIVE[found['along']]} than {metres:g} m"
            return Measured(size, False, not found["least"], count)
        size = length_words(_COMPARATIVES[found["by"]], metres)
        return Measured(size, False, bool(found["no"]), count)
    return None


def length_words(by: Superlative, metres: float) -> str:
    """The size "longer than 2 m"; empty where there is no such word."""
    return f"{_WORDS[by]} than {round(metres, 2):g} m" if by in _WORDS else ""


def metres_of(found: re.Match[str]) -> float | None:
    """The length that a match says by its groups `number` and `unit`; None where it is none."""
    said = found["number"]
    number = 0.5 if said in ("half a", "half an") else 1.0 if said in ("a", "an") else None
    if number is None:
        number = float(said) if said[0].isdigit() else find_number(said)
    unit, said = found["unit"][0], found["more"]
    more = find_number(said) if said else 0
    if number is None or more is None or (more and unit not in _METRES_MORE):
        return None
    return round(number * _METRES[unit] + more * _METRES_MORE.get(unit, 0.0), 4)


def distance_m(predicate: str) -> float | None:
    """The metres of "within 2 m of"; None for other relations."""
    found = _WITHIN.fullmatch(predicate)
    return float(found[1]) if found else None


def compared_by(predicate: str) -> Superlative | None:
    """What "taller than" ranks by, also in "taller than 2 m"; None for others."""
    by, is_than, _ = predicate.partition(" than")
    return _COMPARATIVES.get(by) if is_than and predicate not in RELATION_NAMES else None


def same_key(predicate: str) -> str:
    """The attribute, dimension or "kind" that "of the same color as" compares; empty for others."""
    said = predicate.removeprefix("of the same ")
    return said.removesuffix(" as") if said != predicate else ""


def is_measured(predicate: str) -> bool:
    """Whether a relation compares measures, so that nobody can state it of things."""
    is_other = compared_by(predicate) is None and not same_key(predicate)
    return predicate == CLOSER or distance_m(predicate) is not None or not is_other
