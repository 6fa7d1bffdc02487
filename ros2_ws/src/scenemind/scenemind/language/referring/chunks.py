"""Chunker of referring expressions: relations, places, noun chunks, small words."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from scenemind.language import lexicon
from scenemind.language.english import (
    find_number,
    find_ordinal,
    is_plural,
    read_table,
    rewriter,
)
from scenemind.language.lexicon import (
    AWAY,
    FREE_RELATIONS,
    PLACES,
    SIDE_WORDS,
    TOWARD,
    VIEWS,
    PhraseTable,
    free_text,
)
from scenemind.language.relation_names import find_relation
from scenemind.language.trees import Bound, Condition, Rank, Reference
from scenemind.language.vocabulary import Thesaurus

_WORD = re.compile(r"@[\w']+|[^\W_]+|[.,;!?:]")
_CLOCK = re.compile(
    r"(?:(?:at|on|in|to) )?(?:(?:the|its|my|your|our) )*(?P<hour>\w+) (?:o'? ?)?clock"
    r"(?: (?:direction|position|side))?(?P<of> (?:of|from))?(?!\S)"
)
_rewritten = rewriter(read_table("scenemind.language.referring", "rewrites.yaml")["rewrites"])
Kind = Literal[
    "noun", "relation", "place", "view", "be", "pronoun", "not", "and", "break", "said", "other"
]
_LONGEST_CLOCK = 7
ENDS = ("side", "end")
# Signs of relations around a side, by their names; see `_SIDED`.
_SIGNS = {
    **dict.fromkeys(("closest", "near", "next to", "facing", "with"), "t"),
    **dict.fromkeys(("far", "farthest", "opposite"), "a"), "of": "f", "supports": "w",
}  # fmt: skip
_SIDES = {"besides": "W", "at the end of": "E", "opposite": "O", "behind": "O"}
_FAR_SIDE = frozenset(("other", "opposite", "far"))
# "On the sofa side (of the table)", "at the end where the mug is", "on the side of the table (that
# is) away from the door", "at the end of the table where the mug is", "on the other side of the
# table from the door": S "sofa side", e "end", W, E and O relations to sides, t "near", w "where",
# a "away from", f "of", F "end of", p "that", b "is", R a room, n another noun.
_SIDED = re.compile(
    r"[rta](?:(?P<S>S)(?:f[nR])?|ep?b?(?:[tw](?P<t>n)b?|a(?P<a>n)))"
    r"|[rta](?P<s>n)Fn|[WO]np?b?(?:[tw](?P<u>n)b?|a(?P<v>n))|Enp?w(?P<w>n)b?|Onf(?P<f>n)"
)
# "The closest chair": looks before a noun, else relations.
_COMPARATIVES = {
    word: name for word, name in lexicon.SUPERLATIVES.items() if name in lexicon.COMPARING
}
_COMPARED = frozenset((*_COMPARATIVES, *lexicon.RANKS))
_FAR = ("far", *(word for word, name in _COMPARATIVES.items() if name == "farthest"))
_TRAITS = {"far", "last", *_COMPARATIVES, *SIDE_WORDS, *lexicon.LOOKS, *lexicon.RANKS}
_TRAITS |= free_text("other_looks")
_PHRASES = PhraseTable({**FREE_RELATIONS, **PLACES, **VIEWS})
ROOMS, ROWS = free_text("rooms"), free_text("rows")
_DETERMINERS, _GENERIC, OF_CANS, _OF_NOUNS, _OPENERS, _PARTITIVES, _STARTERS = map(
    free_text,
    ("determiners", "generic", "of_cans", "of_nouns", "view_openers", "partitives", "starters"),
)
_KINDS: tuple[Kind, ...] = ("be", "pronoun", "not", "and", "other")
_SMALL = {kind: free_text(kind) for kind in _KINDS}
_SMALL["other"] |= _OPENERS


def words_of(text: str) -> list[str]:
    """Lower-case words and signs of an expression, in one spelling: "backpack" for "back pack"."""
    words = _WORD.findall(_rewritten(" ".join(text.lower().replace("\u2019", "'").split())))
    is_name = Thesaurus.load().synonyms
    for at in range(len(words) - 2, -1, -1):
        first, second = words[at : at + 2]
        if is_name(first + second) and not is_name(f"{first} {second}"):
            words[at : at + 2] = [first + second]
    return words


@dataclass(frozen=True, slots=True)
class Chunk:
    """Consecutive words with their kind; "said" are conditions alone.

    Attributes:
        value: the predicate, the place or the kind of view; the noun of a noun chunk.
        traits: of a noun chunk: words on look and place, in order.
        order, number: 2 of "second", 0 without an ordinal; 3 of "three".
        conditions, definite, of_speaker, bound, thing: of a phrase that is read whole (`whole.py`):
            what its words on look say; see `NounPhrase`; the thing, where it is no noun phrase.
    """

    kind: Kind
    words: tuple[str, ...]
    value: str = ""
    traits: tuple[str, ...] = ()
    order: int = 0
    number: int | None = None
    conditions: tuple[Condition | Rank, ...] = ()
    definite: bool = False
    of_speaker: bool = False
    bound: Bound = ""
    thing: Reference | None = None

    @property
    def is_mark(self) -> bool:
        """Whether it is nothing but marks."""
        return not self.value and {word[0] for word in self.traits} == {"@"}

    @property
    def plural(self) -> bool:
        return bool(self.number and self.number > 1) or is_plural(self.value)


def chunks_of(text: str, views: bool = True) -> list[Chunk]:
    """Chunks of an expression, from left to right.

    Args:
        views: whether "sitting at the table" at its start is a viewpoint.
    """
    return Chunker(words_of(text), views).read()


class Chunker:
    """Chunker of words; `chunks` are those read so far."""

    relations: PhraseTable = FREE_RELATIONS
    places: PhraseTable = PLACES
    longest = _PHRASES
    determiners = _DETERMINERS
    small_words: Mapping[Kind, frozenset[str]] = _SMALL

    def __init__(self, words: Sequence[str], views: bool = False) -> None:
        self.words = tuple(words)
        self.chunks: list[Chunk] = []
        self._views = views
        self._has_clock = any(word.endswith("clock") for word in words)

    def read(self) -> list[Chunk]:
        """All chunks."""
        at = 0
        while at < len(self.words):
            chunk = self.chunk_at(at)
            at += len(chunk.words)
            self.chunks.append(chunk)
            if chunk.kind == "noun" and _is_partitive(self.chunks[:-1]):
                self.chunks[-3:] = _whole(*self.chunks[-3:])
            if not self.may_go_on():
                break
        return list(_with_sides(_with_comparisons(self.chunks)))

    def may_go_on(self) -> bool:
        """Whether chunks after the last one are of any use."""
        return True

    def chunk_at(self, at: int) -> Chunk:
        """The chunk that begins with a word."""
        opening = self._views and _opens_view(self.chunks)
        return self.phrase_at(at, opening) or self.small_at(at) or self.noun_at(at)

    def phrase_at(self, at: int, opening: bool = False) -> Chunk | None:
        """The longest relation, place or, where one may be given (`opening`), view at a word."""
        words = self.words
        clock = self.clock_at(at)
        if clock is not None and clock.kind == "relation":
            return clock
        for length in self.longest.lengths(words, at):
            phrase = tuple(words[at : at + length])
            if opening and phrase in VIEWS and (phrase != ("from",) or not self.chunks):
                return Chunk("view", phrase, VIEWS[phrase])
            if phrase in self.relations and not self._is_far_side(at, length):
                return Chunk("relation", phrase, self.relations[phrase])
            if phrase in self.places and not self._is_of_noun(at, length):
                return Chunk("place", phrase, self.places[phrase])
        return None

    def clock_at(self, at: int) -> Chunk | None:
        """ "At the 3 o'clock of" as a relation; without "of" as a place."""
        found = self._has_clock and _CLOCK.match(" ".join(self.words[at : at + _LONGEST_CLOCK]))
        relation = find_relation(f"{found['hour']} o'clock") if found else None
        if not found or relation is None:
            return None
        kind: Kind = "relation" if found["of"] else "place"
        return Chunk(kind, tuple(found.group().split()), relation.name)

    def small(self, word: str) -> Chunk | None:
        """The chunk of a word that is no part of a noun; None for others."""
        if not word[0].isalnum():
            return None if word[0] == "@" else Chunk("break", (word,))
        adverb: Kind | None = "other" if _is_adverb(word) else None
        kind = next((kind for kind, words in self.small_words.items() if word in words), adverb)
        return None if kind is None else Chunk(kind, (word,))

    def noun_at(self, start: int) -> Chunk:
        """A noun chunk up to the next small word or relation; "left" and "black" are its traits."""
        words = self.words
        at, order, number = start, 0, None
        noun: list[str] = []
        traits: list[str] = []
        while at < len(words):
            word = words[at]
            if at > start and not noun and _is_adverb(word):  # "the partially open door"
                at += 1
                continue
            if word == "," and traits and not noun and _TRAITS.intersection(words[at + 1 : at + 2]):
                at += 1  # "a small, round table"
                continue
            if at > start and self.ends_noun(at, bool(noun)):
                break
            if noun and words[at - 1][0] == "@" != word[0]:
                break
            if noun and word in _STARTERS and self._goes_on(at + 1):
                break
            after = self.phrase_at(at + 1) if word == "right" and at > start else None
            if after is not None and after.words[0] not in ("of", "to", "from"):  # "right behind"
                at += 1
                continue
            if word in self.determiners and not noun:
                if word in ("another", "other"):
                    traits.append("other")
            elif (ordinal := find_ordinal(word)) is not None:
                order = ordinal
            elif (value := find_number(word)) is not None and not noun:
                number = value if value != 1 else None
            elif word in _TRAITS or word[0] == "@":
                traits.append(word)
            else:
                noun.append(word)
            at += 1
        is_the_light = traits == ["light"] and words[at - 2 : at - 1] == ("the",)
        is_stuff = words[start] in self.determiners and not lexicon.MASSES.isdisjoint(traits[-1:])
        is_stuff &= words[at : at + 1] not in (("and",), (",",), ("or",))
        if not noun and (is_the_light or is_stuff):
            noun, traits = traits[-1:], traits[:-1]
        kept = [word for word in noun if word not in _GENERIC]
        return Chunk("noun", words[start:at], " ".join(kept), tuple(traits), order, number)

    def ends_noun(self, at: int, inside: bool) -> bool:
        """Whether a noun chunk ends before a word; `inside`: after a word of its noun."""
        words, word = self.words, self.words[at]
        if word == "can" and at and words[at - 1] in OF_CANS | self.determiners:
            return False
        if word[0] == "@":
            return False
        if not word.isalnum() or (inside and word in self.determiners):
            return True
        found = self.phrase_at(at)
        if found is not None:
            return inside or len(found.words) > 1 or found.words[0] not in _COMPARATIVES
        if word in _OF_NOUNS:
            return False
        following = words[at + 1] if at + 1 < len(words) else ""
        is_thing = word == "stand" and inside and not is_plural(words[at - 1])
        if is_thing and ("stand", following) not in VIEWS:
            return False
        return self.small(word) is not None

    def small_at(self, at: int) -> Chunk | None:
        """The chunk of a word at its place; see `small`."""
        is_side = self.words[at] in SIDE_WORDS or self.words[at] in _FAR
        return None if is_side and self._goes_on(at + 1) else self.small(self.words[at])

    def _goes_on(self, at: int) -> bool:
        """Whether more of a noun follows: "facing the door left trash can" speaks of two things."""
        return at < len(self.words) and not self.ends_noun(at, True)

    def _is_far_side(self, at: int, length: int) -> bool:
        """Whether the "far" of "the far left monitor" is no relation."""
        words = self.words
        following = words[at + length] if at + length < len(words) else ""
        is_before_noun = following in SIDE_WORDS or (at > 0 and words[at - 1] in self.determiners)
        return length == 1 and words[at] in _FAR and is_before_noun

    def _is_of_noun(self, at: int, length: int) -> bool:
        """Whether a side belongs to a noun that follows: "on the left bed" is no place."""
        words, after = self.words, at + length
        is_side = words[at] in ("on", "in", "at") and words[after - 1] in SIDE_WORDS
        if not is_side or after == len(words) or words[after] in self.determiners:
            return False
        return not self.ends_noun(after, False)


def _with_comparisons(chunks: list[Chunk]) -> list[Chunk]:
    """Chunks, where "the closest one to the door" and "the third one from the door" compare, and
    "the furthest chair to the left" is the one on the left."""
    chunks = list(chunks)
    for at, (noun, relation) in enumerate(itertools.pairwise(chunks)):
        following = chunks[at + 2] if at + 2 < len(chunks) else None
        said = [trait for trait in noun.traits if trait in _COMPARATIVES]
        if noun.kind != "noun" or not (said or (noun.order and relation.words == ("from",))):
            continue
        is_named = following is not None and (following.value != "" or following.thing is not None)
        is_anchored = following is not None and following.kind == "noun" and is_named
        if relation.words in (("to",), ("from",)) and is_anchored:
            chunks[at + 1] = replace(relation, value=_COMPARATIVES[said[0]] if said else "closest")
        elif relation.kind != "place" or relation.words[0] != "to":
            continue
        kept = tuple(trait for trait in noun.traits if trait not in said)
        chunks[at] = replace(noun, traits=kept)
    return chunks


def _with_sides(chunks: Sequence[Chunk]) -> Iterator[Chunk]:
    """Chunks, where a side of a thing that is named by another one is a relation to both, and
    "on the sofa side" alone is what is closest to the sofa."""
    signs, at = "".join(map(_side_sign, chunks)), 0
    for found in _SIDED.finditer(signs):
        yield from chunks[at : found.start()]
        relation, to = chunks[found.start()], chunks[found.start(found.lastgroup or 0)]
        nouns = (c for c in chunks[found.start() : found.end()] if _side_sign(c) == "n")
        of = next((noun for noun in nouns if noun is not to), None)
        is_away, at = found.lastgroup in ("a", "v", "f"), found.end()
        if found.lastgroup == "S":
            to = replace(to, value=to.value.rpartition(" ")[0])
        if of is None:
            yield replace(relation, value="farthest" if is_away else "closest")
        else:
            yield replace(relation, value=AWAY if is_away else TOWARD)
            yield from (of, Chunk("relation", ("than",), "than"))
        yield to
    yield from chunks[at:]


def _side_sign(chunk: Chunk) -> str:
    """The sign of a chunk in `_SIDED`."""
    if chunk.kind == "noun":
        *said, end = chunk.value.split() or [""]
        is_side = end in ENDS and chunk.thing is None and not chunk.traits
        if is_side and lexicon.SMALL_WORDS.isdisjoint(said) and _TRAITS.isdisjoint(said):
            return "S" if said else "e"
        return "R" if end in ROOMS else "n" * bool(end) or "."
    if chunk.kind == "relation":
        if chunk.words == ("end", "of"):
            return "F"
        before, end, _ = ("", "", "", *chunk.words)[-3:]
        is_far, is_side = before in _FAR_SIDE, end in ENDS and chunk.value in _SIDES
        is_side &= is_far or before == "the"
        return ("O" if is_far else _SIDES[chunk.value]) if is_side else _SIGNS.get(chunk.value, "r")
    return {"pronoun": "p", "be": "b"}.get(chunk.kind, "w" if chunk.words == ("where",) else ".")


def _is_partitive(before: list[Chunk]) -> bool:
    """Whether "a set of" precedes a noun, which is then the head."""
    if len(before) < 2 or before[-1].words != ("of",) or _side_sign(before[-2]) == "S":
        return False
    if before[-2].kind != "noun":
        return False
    part = before[-2].value.split(" ")[-1]
    return not part or part in _PARTITIVES


def _whole(part: Chunk, of: Chunk, noun: Chunk) -> list[Chunk]:
    """The noun with what was said of the part; "the front row of chairs" are chairs in a row."""
    if part.value in ROWS and (part.traits or part.order):
        return [noun, Chunk("relation", ("in",), "inside"), part]
    # "The two chairs" of "a set of two chairs", but one: "the taller of the two chairs".
    is_part = part.value != "" or not _COMPARED.isdisjoint(part.traits)
    whole = replace(
        noun,
        words=(*part.words, *of.words, *noun.words),
        traits=(*part.traits, *noun.traits),
        order=max(part.order, noun.order),
        number=part.number if is_part else noun.number,
    )
    return [whole]


def _opens_view(before: list[Chunk]) -> bool:
    """Whether a viewpoint may be given here: at the start of a clause, or after "when you are"."""
    for chunk in reversed(before):
        if chunk.kind in ("break", "and"):
            return True
        if any(word in _OPENERS for word in chunk.words):
            return True
        if chunk.kind != "be" and chunk.words != ("directly",):
            return False
    return True


def _is_adverb(word: str) -> bool:
    return word.endswith("ally")
