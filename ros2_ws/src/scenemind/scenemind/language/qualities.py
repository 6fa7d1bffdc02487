"""Attributes in words: "dark red", "small", "made of wood", "to sit on"."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from scenemind.language import lexicon
from scenemind.language.trees import HasAttribute

_LONGEST_USE = 5  # words of "to wash dishes by hand in"
_LONGEST_NAME = 3  # words of a material or an owner
_POINTING = ("it", "this", "that")
# A quality that something else follows is a part of a name ("round table").
_AFTER_QUALITY = ("", "and", ",", "but", *_POINTING, "instead", "rather")
_NOT_IN_NAME = lexicon.NOUN_END | lexicon.ANYTHING | {"same"}
# First words of "apart from the chairs".
EXCEPTING = frozenset(("except", "apart", "aside", "besides"))
# What somebody has no more than one of, and clauses: no use of things.
_NO_USE = (lexicon.DEFINITE | lexicon.BE | lexicon.VIEWERS | {"where"}) - {
    *("my", "our", "your", "this"),
}
_AFTER_USE = EXCEPTING | {",", "that", "which", "but"}
Found = tuple[HasAttribute, int] | None
"""An attribute, and the number of the word after it."""


def word_at(words: Sequence[str], at: int) -> str:
    """The word of a number; empty after the end."""
    return words[at] if at < len(words) else ""


def find_attribute(words: Sequence[str], at: int) -> Found:
    """The colour or size that begins with a word: "dark red", "black and red", "small"."""
    said: list[str] = []
    end = joint = at  # the word "and" may stand at `end`
    while word_at(words, joint):
        is_shade = words[joint] in lexicon.SHADES and word_at(words, joint + 1) in lexicon.COLOURS
        colour = joint + is_shade
        if word_at(words, colour) not in lexicon.COLOURS:
            break
        said.append(" ".join((*words[joint:colour], lexicon.COLOURS[words[colour]])))
        end = colour + 1
        joint = end + (word_at(words, end) == "and")
        if joint == end:
            break
    if said:
        return HasAttribute("color", " and ".join(said)), _after_name(words, end, "color")
    if size := lexicon.SIZES.get(word_at(words, at)):
        return HasAttribute("size", size), _after_name(words, at + 1, "size")
    return None


def find_look(words: Sequence[str], at: int) -> Found:
    """The colour, size, material, shape or state that begins with a word, whatever follows it:
    "stainless steel", "round-shaped"."""
    if found := find_attribute(words, at):
        return found
    if length := lexicon.MATERIALS.longest(words, at)[1]:
        return HasAttribute("material", " ".join(words[at : at + length])), at + length
    word = word_at(words, at)
    for ending in ("-shaped", "-coloured", "-colored", "-ish"):
        word = word.removesuffix(ending) if word not in lexicon.QUALITIES else word
    if word in lexicon.COLOURS:
        return HasAttribute("color", lexicon.COLOURS[word]), at + 1
    key = lexicon.QUALITIES.get(word)
    return (HasAttribute(key, word), _after_name(words, at + 1, key)) if key else None


def find_quality(words: Sequence[str], at: int) -> Found:
    """The quality that begins with a word: "empty" of "is empty", "to sit on", "made of wood"."""
    use = at + (word_at(words, at) in ("good", "useful", "suitable"))
    if word_at(words, use) == "to" and (found := find_use(words, use + 1)):
        return found
    if word_at(words, at) == "for":  # "something for flowers"
        return find_use(words, at)
    key, length = lexicon.ATTRIBUTE_VERBS.longest(words, at)
    if key:
        name = _name(words, at + length)
        value = " ".join(words[at + length : name])
        return (HasAttribute(key, value), name) if value else None
    if word_at(words, at) == "mine":
        return HasAttribute("owner", lexicon.SPEAKER), at + 1
    found = find_look(words, at + (word_at(words, at) in ("switched", "turned")))
    is_whole = found is not None and word_at(words, found[1]) in _AFTER_QUALITY
    if word_at(words, at) == "on" and word_at(words, at + 1) in _POINTING:  # "what is on it"
        return None
    return found if is_whole else None


def find_use(words: Sequence[str], at: int) -> Found:
    """The use that begins with a verb: "sit on", "get rid of this paper"."""
    of = at + lexicon.USES.longest(words, at)[1]
    last = takewhile(lambda at: not _ends_use(words, at), range(of, len(words)))
    said = tuple(words[at] for at in last)
    if of == at or len(said) >= _LONGEST_USE or not _NO_USE.isdisjoint(said):
        return None
    end = of + len(said)
    return HasAttribute("affordance", " ".join(words[at:end])), end


def _ends_use(words: Sequence[str], at: int) -> bool:
    """Whether a use ends before a word: "to sit on" before "near the table"."""
    _, length = lexicon.RELATIONS.longest(words, at)
    after = at + length
    is_placed = length > 0 and word_at(words, after) in lexicon.DEFINITE | lexicon.INDEFINITE
    is_clause = word_at(words, after) == "that" and word_at(words, after + 1) in lexicon.BE
    return words[at] in _AFTER_USE or (is_placed and not is_clause)


def _after_name(words: Sequence[str], at: int, key: str) -> int:
    """The number of the word after "in colour", if that stands here."""
    is_named = word_at(words, at) == "in" and lexicon.ATTRIBUTE_NAMES.get(word_at(words, at + 1))
    return at + 2 * (is_named == key)


def _name(words: Sequence[str], at: int) -> int:
    """The number of the word after a name of one to three words ("stainless steel")."""
    end = at
    while end - at < _LONGEST_NAME and word_at(words, end)[:1].isalpha():
        if words[end] in _NOT_IN_NAME or lexicon.at_relation(words, end):
            break
        end += 1
    return end
