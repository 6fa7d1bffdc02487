"""Chunker of referring expressions: relations, places, noun chunks, small words."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass, replace
from typing import Literal

from scenemind.language import lexicon
from scenemind.language.english import find_number, find_ordinal, is_plural, word_set
from scenemind.language.lexicon import SIDE_WORDS, VIEWS, free_text
from scenemind.language.relation_names import find_relation

_WORD = re.compile(r"@\d+|[^\W_]+|[.,;!?:]")
_CLOCK = re.compile(
    r"(?:(?:at|on|in|to) )?(?:(?:the|its|my) )?(?P<hour>\w+) (?:o )?clock"
    r"(?: (?:direction|position|side))? (?:of|from)\b"
)
# Spellings that would otherwise need a rule each.
_REWRITES = [
    (re.compile(pattern), text)
    for pattern, text in (
        (r"\b(it|that|there|what|here|he|she) ?'s\b", r"\1 is"),
        (r"\b(you|they|we) ?'re\b", r"\1 are"),
        (r"\bits(?= (the|an?|on|in|at|next|near|by|to|under|above|below|between|not)\b)", "it is"),
        (r"\b(that|there|what)s\b", r"\1 is"),
        (r"\barm chair", "armchair"),
        (r"(n't|n 't)\b", " not"),
        (r"\bcannot\b", "can not"),
        (
            r"\b(on|to|at|in) its (own )?(left|right|front|back)\b( (hand )?side)?",
            r"\1 the \3 of it",
        ),
        (
            r"\b(left|right|front|back|top|bottom|upper|lower|far) ?- ?(most|left|right|hand)\b",
            r"\1\2",
        ),
        (r"\b(left|right|top|bottom) (most)\b", r"\1\2"),
        (r"\bt\.? ?v\.?\b", "tv"),
        (r"\bin[ -]between\b", "between"),
        # Orientation of a thing, which boxes do not show.
        (
            r"\b(facing|faces|turned|pointed|angled|turning|pointing)"
            r" (to |towards? )?(the )?(left|right|away|inwards?|outwards?|forwards?|down|up)\b",
            "",
        ),
        (
            r"\b(with )?(its|the|their) backs?( is| are)? "
            r"((facing|pointed|turned|up) (to|towards?|against)|facing|to|towards?|against)\b",
            "turned towards",
        ),
        (
            r"\b(stacked |is |are )?(one )?on top of (each|one another|the other)( other)?\b",
            "stacked",
        ),
        (r"\b(that |which )?(is |are )?(sitting )?side by side\b(?! with)", ""),
        (r"\b(wall|floor|ceiling)[ -]*mounted\b", ""),
        (r"\b(wo|ca) not\b", "not"),
        (r"'s\b", ""),
    )
]
_DEPTHS = {
    "top": ("top", "upper"),
    "bottom": ("bottom", "lower"),
    "front": ("front", "near"),
    "back": ("back", "rear"),
}
Kind = Literal["noun", "relation", "place", "view", "be", "pronoun", "not", "and", "break", "other"]
_LONGEST_CLOCK = 7
_FAR = ("far", "farthest", "furthest")
_COMPARATIVES = {
    **dict.fromkeys(("closest", "nearest"), "closest"),
    **dict.fromkeys(("farthest", "furthest"), "farthest"),
}
_MORE_TRAITS = frozenset(("far", "last", "closest", "nearest", "farthest", "furthest"))
# Relations that are looks before a noun: "the closest chair".
_RANKS = (("closest",), ("nearest",), ("farthest",), ("furthest",))
# Small words that may be in a noun chunk.
_OF_NOUNS = frozenset(("set", "up", "down", "lot", "far", "same", "other", "left", "right"))


def words_of(text: str) -> list[str]:
    """Lower-case words and signs of an expression, in one spelling."""
    line = " ".join(text.lower().replace("\u2019", "'").split())
    for pattern, replacement in _REWRITES:
        line = pattern.sub(replacement, line)
    return _WORD.findall(line)


def _between_sides(depth: str, side: str) -> list[str]:
    """Phrases such as "on the upper left" and "on the far right side"."""
    starts = ("in the", "on the", "at the", "to the", "in the far", "on the far")
    ends = ("", " side", " hand side", " end")
    return [f"{s} {word} {side}{e}" for word in _DEPTHS[depth] for s in starts for e in ends]


def _corners(depth: str, side: str) -> list[str]:
    """Phrases such as "in the upper left corner"."""
    starts = ("in the", "on the", "at the", "to the", "in the far", "on the far", "the", "far")
    return [f"{s} {word} {side} corner" for word in _DEPTHS[depth] for s in starts]


# Phrase -> the side or place; two words for a corner of a view ("top left").
PLACES = {
    **lexicon.PLACES,
    **{
        tuple(form.split()): place
        for side in ("left", "right")
        for place, forms in (
            (side, lexicon.sided(side)),
            *((f"{depth} {side}", _between_sides(depth, side)) for depth in _DEPTHS),
            *((f"{depth} {side} corner", _corners(depth, side)) for depth in _DEPTHS),
        )
        for form in forms
    },
    **{tuple(form.split()): "alone" for form in free_text("alone")},
}


RELATIONS = lexicon.FREE_RELATIONS


_PHRASES = lexicon.PhraseTable({**RELATIONS, **PLACES, **VIEWS})


VIEW_OPENERS = free_text("view_openers")


LOOKS = lexicon.LOOKS.keys() | lexicon.RANKS.keys() | free_text("other_looks")


# Words that never stand inside a noun.
STARTERS = (
    frozenset(SIDE_WORDS) - word_set("corner top back front center centre")
    | word_set("far second third fourth fifth smaller smallest larger largest closest farthest")
    | word_set("furthest nearest")
)


# Words before "can" as a noun.
OF_CANS = free_text("of_cans")


GENERIC = free_text("generic")


ROOMS = free_text("rooms")


ROWS = free_text("rows")


PRONOUNS = free_text("pronouns")


BE = free_text("be")


DETERMINERS = free_text("determiners")


NOT = free_text("not")


# Words that carry nothing here: verbs, postures ("sitting"), helpers.
FUNCTION = free_text("function")


# Nouns of "a set of" and "two rolls of": the next noun is the head.
PARTITIVES = free_text("partitives")


_SMALL: tuple[tuple[Kind, frozenset[str]], ...] = (
    ("be", BE),
    ("pronoun", PRONOUNS),
    ("not", NOT),
    ("and", frozenset(("and", "or", "but", "plus"))),
    ("other", FUNCTION | VIEW_OPENERS),
)


@dataclass(frozen=True, slots=True)
class Chunk:
    """Consecutive words with their kind.

    Attributes:
        value: the predicate, the place or the kind of view; the noun of a noun chunk.
        traits: of a noun chunk: words on look and place, in order.
        order, number: 2 of "second"; 3 of "three". is_ordinal: whether an order was said.
    """

    kind: Kind
    words: tuple[str, ...]
    value: str = ""
    traits: tuple[str, ...] = ()
    order: int = 1
    number: int | None = None
    is_ordinal: bool = False

    @property
    def is_mark(self) -> bool:
        """Whether it is nothing but marks."""
        return not self.value and {word[0] for word in self.traits} == {"@"}

    @property
    def plural(self) -> bool:
        last = self.value.split(" ")[-1]
        return bool(self.number and self.number > 1) or is_plural(last)


def chunks_of(text: str, views: bool = True) -> list[Chunk]:
    """Chunks of an expression, from left to right.

    Args:
        views: whether "sitting at the table" at its start is a viewpoint.
    """
    words = words_of(text)
    chunks: list[Chunk] = []
    at = 0
    while at < len(words):
        may_open = views and _opens_view(chunks)
        chunk = _phrase(words, at, may_open, not chunks) or _small_at(words, at) or _noun(words, at)
        at += len(chunk.words)
        chunks.append(chunk)
        if chunk.kind == "noun" and _is_partitive(chunks[:-1]):
            chunks[-3:] = _whole(*chunks[-3:])
    return _with_comparisons(chunks)


def _with_comparisons(chunks: list[Chunk]) -> list[Chunk]:
    """Chunks, where "the closest one to the door" and "the third one from the door" compare, and
    "the furthest chair to the left" is the one on the left."""
    chunks = list(chunks)
    for at, (noun, relation) in enumerate(itertools.pairwise(chunks)):
        following = chunks[at + 2] if at + 2 < len(chunks) else None
        said = [trait for trait in noun.traits if trait in _COMPARATIVES]
        if noun.kind != "noun" or not (said or (noun.is_ordinal and relation.words == ("from",))):
            continue
        is_anchored = following is not None and following.kind == "noun" and following.value != ""
        if relation.words in (("to",), ("from",)) and is_anchored:
            chunks[at + 1] = replace(relation, value=_COMPARATIVES[said[0]] if said else "closest")
        elif relation.kind != "place" or relation.words[0] != "to":
            continue
        kept = tuple(trait for trait in noun.traits if trait not in said)
        chunks[at] = replace(noun, traits=kept)
    return chunks


def _is_partitive(before: list[Chunk]) -> bool:
    """Whether "a set of" precedes a noun, which is then the head."""
    if len(before) < 2 or before[-1].words != ("of",) or before[-2].kind != "noun":
        return False
    part = before[-2].value.split(" ")[-1]
    return not part or part in PARTITIVES


def _whole(part: Chunk, of: Chunk, noun: Chunk) -> list[Chunk]:
    """The noun with what was said of the part; "the front row of chairs" are chairs in a row."""
    if part.value in ROWS and (part.traits or part.is_ordinal):
        return [noun, Chunk("relation", ("in",), "inside"), part]
    whole = replace(
        noun,
        words=(*part.words, *of.words, *noun.words),
        traits=(*part.traits, *noun.traits),
        order=max(part.order, noun.order),
        is_ordinal=part.is_ordinal or noun.is_ordinal,
        number=part.number if part.value else noun.number,
    )
    return [whole]


def _clock(words: list[str], at: int) -> Chunk | None:
    """ "At the 3 o'clock of" as a relation."""
    said = words[at : at + _LONGEST_CLOCK]
    found = _CLOCK.match(" ".join(said)) if "clock" in said else None
    relation = find_relation(f"{found['hour']} o'clock") if found else None
    if found is None or relation is None:
        return None
    return Chunk("relation", tuple(found.group().split()), relation.name)


def _phrase(words: list[str], at: int, opening: bool = False, first: bool = False) -> Chunk | None:
    """The longest relation, place or, where one may be given, view at a word."""
    if clock := _clock(words, at):
        return clock
    for length in _PHRASES.lengths(words, at):
        phrase = tuple(words[at : at + length])
        if opening and phrase in VIEWS and (phrase != ("from",) or first):
            return Chunk("view", phrase, VIEWS[phrase])
        if phrase in RELATIONS and not _is_far_side(words, at, length):
            return Chunk("relation", phrase, RELATIONS[phrase])
        if phrase in PLACES and not _is_of_noun(words, at, length):
            return Chunk("place", phrase, PLACES[phrase])
    return None


def _is_far_side(words: list[str], at: int, length: int) -> bool:
    """Whether the "far" of "the far left monitor" is no relation."""
    following = words[at + length] if at + length < len(words) else ""
    return length == 1 and words[at] in _FAR and following in SIDE_WORDS


def _is_of_noun(words: list[str], at: int, length: int) -> bool:
    """Whether a side belongs to a noun that follows: "on the left bed" is no place."""
    after = at + length
    return (
        words[at] in ("on", "in", "at")
        and words[after - 1] in SIDE_WORDS
        and after < len(words)
        and words[after] not in DETERMINERS
        and not _ends_noun(words, after, False)
    )


def _opens_view(before: list[Chunk]) -> bool:
    """Whether a viewpoint may be given here: at the start of a clause, or after "when you are"."""
    for chunk in reversed(before):
        if chunk.kind in ("break", "and"):
            return True
        if any(word in VIEW_OPENERS for word in chunk.words):
            return True
        if chunk.kind != "be" and chunk.words != ("directly",):
            return False
    return True


def _small_at(words: list[str], at: int) -> Chunk | None:
    is_side = words[at] in SIDE_WORDS or words[at] in _FAR
    return None if is_side and _goes_on(words, at + 1) else _small(words[at])


def _small(word: str) -> Chunk | None:
    if not word.isalnum():
        return None if word[0] == "@" else Chunk("break", (word,))
    kind = next((kind for kind, group in _SMALL if word in group), None)
    return None if kind is None else Chunk(kind, (word,))


def _noun(words: list[str], start: int) -> Chunk:
    """A noun chunk up to the next small word or relation; "left" and "black" are its traits."""
    at, order, number = start, None, None
    noun: list[str] = []
    traits: list[str] = []
    while at < len(words):
        word = words[at]
        if at > start and _ends_noun(words, at, bool(noun)):
            break
        if noun and words[at - 1][0] == "@" != word[0]:
            break
        if noun and word in STARTERS and _goes_on(words, at + 1):
            break
        if word == "right" and at > start and _is_relation(words, at + 1):  # "right behind"
            at += 1
            continue
        if word in DETERMINERS and not noun:
            if word in ("another", "other"):
                traits.append("other")
        elif (ordinal := find_ordinal(word)) is not None:
            order = ordinal
        elif (value := find_number(word)) is not None and not noun:
            number = value
        elif word in SIDE_WORDS or word in LOOKS or word in _MORE_TRAITS or word[0] == "@":
            traits.append(word)
        else:
            noun.append(word)
        at += 1
    if not noun and traits == ["light"] and words[at - 2 : at - 1] == ["the"]:
        noun, traits = traits, []
    kept = [word for word in noun if word not in GENERIC]
    said, is_ordinal = tuple(words[start:at]), order is not None
    return Chunk("noun", said, " ".join(kept), tuple(traits), order or 1, number, is_ordinal)


def _goes_on(words: list[str], at: int) -> bool:
    """Whether more of a noun follows: "facing the door left trash can" speaks of two things."""
    return at < len(words) and not _ends_noun(words, at, True)


def _is_relation(words: list[str], at: int) -> bool:
    return _phrase(words, at) is not None and words[at] not in ("of", "to", "from")


def _ends_noun(words: list[str], at: int, inside: bool) -> bool:
    word = words[at]
    if word == "can" and inside and words[at - 1] in OF_CANS:
        return False
    if word[0] == "@":
        return False
    if not word.isalnum() or (inside and word in DETERMINERS):
        return True
    found = _phrase(words, at)
    if found is not None:
        return inside or found.words not in _RANKS
    if word in _OF_NOUNS:
        return False
    following = words[at + 1] if at + 1 < len(words) else ""
    is_thing = word == "stand" and inside and not is_plural(words[at - 1])
    if is_thing and ("stand", following) not in VIEWS:
        return False
    return _small(word) is not None
