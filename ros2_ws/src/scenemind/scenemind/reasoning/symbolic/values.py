"""What is said of a thing's looks: "dark grey", "more of a grey than a red", "a round shape"."""

from __future__ import annotations

from scenemind.reasoning.symbolic import lexicon
from scenemind.reasoning.symbolic.parser import Parser
from scenemind.reasoning.symbolic.syntax import Attribute, HasAttribute

_MORE_OR_LESS = (
    "more of a", "more of an", "more like", "more", "rather", "quite", "very", "all", "entirely",
    "completely", "fully", "purely", "mostly", "totally", "closer to", "kind of", "sort of", "of",
    "in", "painted", "coloured", "colored", "a shade of", "a kind of", "a sort of", "shaped",
)  # fmt: skip
# What is said to be so, and which attribute that is.
_KINDS: dict[str, Attribute | None] = {
    "one": None, "color": "color", "colour": "color", "shade": "color", "tone": "color",
    "in color": "color", "in colour": "color", "colored": "color", "coloured": "color",
    "shape": "shape", "form": "shape", "in shape": "shape", "in form": "shape", "shaped": "shape",
    "material": "material", "in texture": "texture", "texture": "texture", "surface": "texture",
}  # fmt: skip
_HYPHENS = ("-shaped", "-coloured", "-colored", "-ish")
_AFTER = frozenset(
    ("", "and", ",", "but", "it", "this", "that", "instead", "rather", "not", "than", "as")
)


def find_value(p: Parser) -> HasAttribute | None:
    """A colour, size, material, shape or state that ends what is said; None (and no move) where it
    is none, or a thing's name ("a round table")."""
    start = p.at
    while p.take(*_MORE_OR_LESS):
        pass
    has_article = bool(p.take("a", "an", "the"))
    given = p.find_attribute() or _find_word(p)
    if given is not None:
        kind = p.take(*_KINDS)
        is_whole = bool(kind) or not has_article
        if is_whole and _KINDS.get(kind) in (None, given.key) and p.peek() in _AFTER:
            return given
    p.at = start
    return p.find_quality()


def _find_word(p: Parser) -> HasAttribute | None:
    """ "stainless steel", "round", "round-shaped"."""
    if length := lexicon.longest(lexicon.MATERIALS, p.words, p.at)[1]:
        p.at += length
        return HasAttribute("material", " ".join(p.words[p.at - length : p.at]))
    word = p.peek()
    for ending in _HYPHENS:
        word = word.removesuffix(ending) if word not in lexicon.QUALITIES else word
    if word in lexicon.COLOURS:
        p.at += 1
        return HasAttribute("color", lexicon.COLOURS[word])
    if word not in lexicon.QUALITIES:
        return None
    p.at += 1
    return HasAttribute(lexicon.QUALITIES[word], word)
