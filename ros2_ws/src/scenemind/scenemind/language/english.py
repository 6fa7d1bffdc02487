"""Small English: one spelling of a phrase, plurals, articles, lists, numbers, inflections."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache, reduce
from importlib.resources import files
from typing import Any

import yaml

_IRREGULAR = {
    "people": "person",
    "men": "man",
    "women": "woman",
    "children": "child",
    "feet": "foot",
    "teeth": "tooth",
    "mice": "mouse",
    "knives": "knife",
    "shelves": "shelf",
    "bookshelves": "bookshelf",
    "scarves": "scarf",
    "loaves": "loaf",
    "leaves": "leaf",
    "tvs": "tv",
}
_IRREGULAR_PLURAL = {one: many for many, one in _IRREGULAR.items()}
_DOZENS = {"dozen": 12, "half a dozen": 6}
_NUMBERS = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen",
    "nineteen",
)  # fmt: skip
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_LAST_IN_WORDS = 12
_ORDINALS = (
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth",
)  # fmt: skip
_MAX_SHOWN = 60
# Ending -> shortest stem: "red" is no inflection of "r".
_ENDINGS = {"s": 3, "es": 3, "ed": 3, "d": 3, "ing": 3, "en": 4, "n": 4, "y": 4, "ly": 3, "ish": 3}
_VOWELS = "aeiou"


# A full stop after them ends no sentence: "Mrs. Hansen".
_AFTER_TITLE = [
    rf"(?<=\b[{t[0]}{t[0].lower()}]{t[1:]})" for t in ("Mr", "Mrs", "Ms", "Dr", "Prof", "St")
]
TITLE_STOP = rf"(?:{'|'.join(_AFTER_TITLE)})\."
SENTENCE_END = rf"(?!{TITLE_STOP})[.!?]+"
# Ends of sentences, and signs between clauses, but not those of "at 9: 00"; a semicolon is none in
# speech. Which character it may begin with is said first, as that is tried at all of them.
_BREAK = re.compile(
    rf"(?=[.!?:;\s\u2026\u2013\u2014])(?:{SENTENCE_END}(?=\s+\S)|\u2026|\s[-\u2013\u2014]+\s"
    r"|[\u2013\u2014]|:(?=\s)(?!(?<=\d:)\s\d)"
    r"|;(?=\s+(?:it|that|this|they|these|those|there|the|my|our|your|he|she|we|i|you)\b))"
)


def with_commas(text: str) -> str:
    """A text with commas for the other signs between its sentences and clauses, at their places."""
    return _BREAK.sub(lambda found: ",".ljust(len(found.group())), text)


def word_set(words: str) -> frozenset[str]:
    """The set of the words of a text."""
    return frozenset(words.split())


# Nouns without a singular.
_PAIRS = word_set(
    "scissors pants jeans shorts glasses sunglasses headphones clothes stairs skis tongs pliers"
    " binoculars goggles series furniture"
)
# Words that end in s and are a singular.
_INVARIANT = _PAIRS | word_set(
    "glass bus gas dress mattress compass canvas chess lens iris thermos"
)


def singular(word: str) -> str:
    """The singular of one lower-case word; the word itself where none is known."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if word in _INVARIANT or len(word) < 4 or not word.endswith("s") or word.endswith("ss"):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("ches", "shes", "sses", "xes", "zzes")):
        return word[:-2]
    if word.endswith("us"):
        return word
    return word[:-1]


def normal(words: str) -> str:
    """Normal form: lower case, single spaces, no hyphens or underscores, singular."""
    return singular_name(words.lower().replace("_", " ").replace("-", " ").split())


def singular_name(words: Sequence[str]) -> str:
    """A name with its last word in the singular, or the one before "of": "tub of wipes"."""
    last = words.index("of") - 1 if "of" in words[1:-1] else len(words) - 1
    return " ".join((*words[:last], *map(singular, words[last : last + 1]), *words[last + 1 :]))


def plural(phrase: str) -> str:
    """The plural of a noun or a compound noun ("dining table" -> "dining tables")."""
    thing, of, content = phrase.partition(" of ")
    head, _, last = thing.rpartition(" ")
    return f"{head} {_plural_word(last)}".strip() + of + content


def is_plural(name: str) -> bool:
    """Whether the last word of a lower-case name has a singular that differs from it."""
    last = name.rpartition(" ")[2]
    return singular(last) != last


def with_article(phrase: str) -> str:
    """With "a" or "an"; plural things go without ("scissors")."""
    if phrase.split(" ")[-1] in _PAIRS:
        return phrase
    return f"{'an' if phrase[:1].lower() in 'aeiou' else 'a'} {phrase}"


def joined(parts: Sequence[str]) -> str:
    """A list in words: "a, b and c"."""
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} and {parts[-1]}"


def shown(text: str, most: int = _MAX_SHOWN) -> str:
    """Text from outside as one line of at most so many characters, for use in a sentence."""
    line = " ".join(text[: 4 * most].split())
    return line if len(line) <= most else line[: most - 3] + "..."


def find_number(word: str) -> int | None:
    """The value of "3", "three" or "thirty-one"; None for other words."""
    if word.isascii() and word.isdigit():
        return int(word[:9])
    if word in _NUMBERS:
        return _NUMBERS.index(word)
    if word in _DOZENS:
        return _DOZENS[word]
    tens, _, unit = word.partition("-")
    if tens not in _TENS or (unit and unit not in _NUMBERS[1:10]):
        return None
    return 10 * (_TENS.index(tens) + 2) + (_NUMBERS.index(unit) if unit else 0)


def number_word(value: int) -> str:
    """The word for a number from 0 to 12; figures beyond ("21")."""
    return _NUMBERS[value] if value <= _LAST_IN_WORDS else str(value)


def find_ordinal(word: str) -> int | None:
    """The value of "third" or "3rd"; None for other words."""
    if word in _ORDINALS:
        return _ORDINALS.index(word) + 1
    digits = word[:-2]
    if word[-2:] in ("st", "nd", "rd", "th") and digits.isascii() and digits.isdigit():
        return max(1, int(digits[:9]))
    return None


def ordinal(value: int) -> str:
    """The word for a place in a row, from 1; in figures beyond the tenth ("21st")."""
    if value <= len(_ORDINALS):
        return _ORDINALS[value - 1]
    ending = {1: "st", 2: "nd", 3: "rd"}.get(value % 10, "th")
    return f"{value}th" if value % 100 in (11, 12, 13) else f"{value}{ending}"


def _plural_word(word: str) -> str:
    if word in _IRREGULAR_PLURAL:
        return _IRREGULAR_PLURAL[word]
    if word in _PAIRS:
        return word
    if is_plural(word):
        return word
    if word.endswith("y") and word[-2:-1] not in "aeiou":
        return word[:-1] + "ies"
    if word.endswith(("s", "x", "z", "ch", "sh")):
        return word + "es"
    return word + "s"


_ENDINGS |= {"ic": 4}


@lru_cache(maxsize=4096)  # the same words come in every sentence
def roots(word: str) -> frozenset[str]:
    """All possible roots of a lower-case word, itself included; some are no words."""
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


# The C loader, part of the wheels, is ten times as fast.
_SAFE_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def grams(words: Sequence[str], most: int) -> Iterator[tuple[int, int, str]]:
    """All phrases of up to `most` consecutive words: start, end, and words."""
    for first in range(len(words)):
        for end in range(first + 1, min(first + most, len(words)) + 1):
            yield first, end, " ".join(words[first:end])


def patterns_of(classes: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Regular expressions by class, each for one of its options; "<name>" in an option is an
    earlier class."""
    known: dict[str, str] = {}
    for name, options in classes.items():
        text = f"(?:{'|'.join(options)})"
        known[name] = re.sub(r"(?<!\?P)<(\w+)>", lambda found: known[found[1]], text)
    return known


def rewriter(table: Sequence[Sequence[str]]) -> Callable[[str], str]:
    """What rewrites a text by pairs of a regular expression and its replacement, in their order."""
    pairs = [(re.compile(pattern), written) for pattern, written in table]
    return lambda text: reduce(lambda said, pair: pair[0].sub(pair[1], said), pairs, text)


def read_table(package: str, name: str) -> Any:
    """Content of a YAML file in a package of the library."""
    text = files(package).joinpath(name).read_text(encoding="utf-8")
    return yaml.load(text, Loader=_SAFE_LOADER)
