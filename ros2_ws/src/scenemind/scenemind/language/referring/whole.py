"""Reader of phrases that have to be read to the end: those in the slots of sentences.

    phrase    := thing | noun condition*        thing := "me" | "it" | "chair 12"
    condition := ("," | "and" | "that is")? "not"? (relation phrase | side | look | quality)

It makes the same chunks as the reader of free descriptions, of fewer words: what is no colour or
size belongs to the noun ("round table"), and a sentence holds no viewpoint. Each chunk has to have
its place in a phrase; the words from the first that has none on are not understood.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import takewhile

from scenemind.language import lexicon
from scenemind.language.clauses import PARTS
from scenemind.language.english import (
    find_number,
    find_ordinal,
    is_plural,
    normal,
    plural,
    singular,
)
from scenemind.language.lexicon import PhraseTable
from scenemind.language.measures import COMPARISONS, find_measured
from scenemind.language.plain_form import rewritten
from scenemind.language.qualities import EXCEPTING, find_attribute, find_look, find_quality, word_at
from scenemind.language.referring.chunks import ENDS, OF_CANS, Chunk, Chunker, Kind
from scenemind.language.referring.reader import read_chunks
from scenemind.language.tokens import Token
from scenemind.language.trees import (
    Among,
    Condition,
    Described,
    HasAttribute,
    Marked,
    NounPhrase,
    ObjectNumber,
    Rank,
    Reference,
    Related,
    Viewer,
)
from scenemind.language.vocabulary import Thesaurus

# "Which stools have something on them", "which shelf holds the books".
_CARRYING = (("has",), ("have",), ("holds",), ("carries",))
# "With a cup" is what it supports.
_RELATIONS = PhraseTable(
    {form: "supports" if name == "with" else name for form, name in lexicon.RELATIONS.items()}
    | COMPARISONS
    | {("to",): "of", ("from",): "of", ("on", "top"): "on"}
    | {("toward",): "near", ("towards",): "near", ("away", "from"): "far"}
    | {(at, "the", "far", "side", "of"): "behind" for at in ("on", "at")}
    | {(at, "the", "near", "side", "of"): "in front of" for at in ("on", "at")}
    | dict.fromkeys(_CARRYING, "supports")
)
_NUMBERED = ("object", "objects", "number", "numbers", "id", "object number", "object id")
_MARKED = frozenset(("marked", "selected", "highlighted"))
_AFTER_NOUN = lexicon.NOUN_END | {"", ","}
_SMALL: dict[Kind, frozenset[str]] = {
    "be": lexicon.BE,
    "pronoun": frozenset(("that", "which", "who")),
    "not": frozenset(("not",)),
    "and": frozenset(("and",)),
    "other": lexicon.NOUN_END,
}
_OPENS_QUALITY = ("to", "good", "made", "owned", "not")
_ALL = frozenset(("all", "every", "each", "everything", "anything", "nothing"))
_ARTICLES = ("a", "an", "the", "my", "our")
_EXCEPT = PhraseTable(
    lexicon.EXCEPT
    | {(which, "is", "not", a): a for which in ("that", "which") for a in _ARTICLES}
    | {(*form, the): the for form in lexicon.CONTRASTING for the in lexicon.DEFINITE}
)
_FILLED = ("crammed", "stuffed", "packed", "loaded", "piled")
_RELATIVE = ("that", "which")
_DETERMINERS = (lexicon.DEFINITE | lexicon.INDEFINITE) - {"that", "these", "those"}
_SIDES = ("left", "right")
_ONLY = ("only", "sole")
_BESIDES = ("besides", "beside")
# Before a noun: "the tallest chair", "the taller chair".
_RANKING = {**lexicon.RANKS, **lexicon.COMPARATIVES, **lexicon.SUPERLATIVES}
# "More than two" are at least three.
_STRICTER = {"more than": ("at least", 1), "fewer than": ("at most", -1)}
_NEARNESS = ("closest", "farthest", "far")
# Which chunks follow one another in a phrase, by their signs: n noun, g "thing", t what is no noun
# phrase, i "it" of "with a cup on it", r relation, f "to" of "closest to", s side, q quality,
# l look, a "and", c comma, p "that", b "is", x "not", o posture; "^" and "-" open a phrase and
# conditions alone.
_SAID = "xorsq"
_AFTER = {
    "^": "ngt", "-": f"{_SAID}lp", "r": "ngtix", "f": "ngt", "g": f"{_SAID}lcapf", "o": "rsqo",
    "x": f"{_SAID}lngt", "a": f"{_SAID}lpngt", "c": f"{_SAID}ap", "p": f"{_SAID}b",
    "b": f"{_SAID}l", **dict.fromkeys("ntilsq", f"{_SAID}capf"),
}  # fmt: skip
_LAST = frozenset("ngtilsq")


def read_phrase(words: Sequence[str], at: int = 0) -> tuple[Reference | None, int]:
    """The reference that all words from a place on are, else None; and the number of the first word
    that has no place in one."""
    return _with_exception(words, at, is_phrase=True)


def read_conditions(words: Sequence[str], at: int = 0) -> tuple[NounPhrase | None, int]:
    """The conditions that all words from a place on are, as those of a thing without a noun; see
    `read_phrase`."""
    phrase, end = _with_exception(words, at, is_phrase=False)
    return (phrase if isinstance(phrase, NounPhrase) else None), end


def except_things(things: Reference, phrase: NounPhrase, said: Sequence[str]) -> Condition | None:
    """The condition of a phrase that excepts things: chairs "except the red one" but the red chair.

    Args:
        said: the words of the things.
    """
    if not isinstance(things, NounPhrase):
        return None if isinstance(things, Viewer) else Among(things, negated=True)
    if things.noun.isdecimal():
        return Among(ObjectNumber(int(things.noun[:9])), negated=True)
    if things == NounPhrase(things.noun, things.definite):
        if things.noun and phrase.noun and said[-1] in ("one", "ones"):  # "except the desk one"
            beside = Related("near", (NounPhrase(things.noun, definite=True),))
            kind = plural(normal(phrase.noun)) if said[-1] == "ones" else normal(phrase.noun)
            return Among(NounPhrase(kind, definite=True, conditions=(beside,)), negated=True)
        if things.definite and " " in things.noun:  # one of several kinds: "the desk chair"
            return Among(things, negated=True)
        return Described(things.noun, negated=True) if things.noun else None
    if phrase.noun and not things.noun:
        kind = normal(phrase.noun)
        things = replace(things, noun=plural(kind) if "ones" in said else kind)
    return Among(things, negated=True)


def _with_exception(
    words: Sequence[str], start: int, *, is_phrase: bool
) -> tuple[Reference | None, int]:
    """A phrase, with "besides the chairs" of "anything to sit on besides the chairs" and "except
    the red one" of "all chairs except the red one"."""
    for at in range(start + is_phrase, len(words)):
        form, length = _EXCEPT.longest(words, at)
        length -= form in lexicon.DEFINITE
        is_besides = words[at] in _BESIDES
        is_but = words[at] == "but" and not _ALL.isdisjoint(words[:at])
        if not (length or is_besides or is_but):
            continue
        said = tuple(words[start : at - (words[at - 1] == ",")])
        phrase: Reference | None = NounPhrase("")
        end = 0
        if at > start:
            phrase, end = _with_exception(said, 0, is_phrase=is_phrase)
        if is_besides and not _is_open(phrase, words[at]):
            continue
        if not isinstance(phrase, NounPhrase):
            return None, start + end
        of = at + (length or 1)
        conditions = list(phrase.conditions)
        for start, end in _joined(words, of):
            things, read = read_phrase(words[:end], start)
            if isinstance(things, NounPhrase) and things.other:
                continue  # "not the other one"
            if not length or words[at] in _RELATIVE:  # "that is not a chair to sit on"
                things, uses = _without_uses(things)
                conditions += uses
            but = None if things is None else except_things(things, phrase, words[start:end])
            if but is None:
                return None, read
            conditions.append(but)
        return replace(phrase, conditions=tuple(conditions)), len(words)
    found, end = _read(tuple(words[start:]), is_phrase)
    if found is None and "or" in words[start:]:
        found = _at_either(words, start, is_phrase)
        end = end if found is None else len(words) - start
    turned = _otherwise(tuple(words[start:])) if found is None else ()
    if turned:
        found = _read(turned, is_phrase)[0]
        end = end if found is None else len(words) - start
    return found, start + end


def _without_uses(
    things: Reference | None,
) -> tuple[Reference | None, tuple[Condition, ...]]:
    """Things without what they are for, and that."""
    said = things.conditions if isinstance(things, NounPhrase) else ()
    uses = tuple(c for c in said if isinstance(c, HasAttribute) and c.key == "affordance")
    if not isinstance(things, NounPhrase) or not uses:
        return things, ()
    return replace(things, conditions=tuple(c for c in said if c not in uses)), uses


def _at_either(words: Sequence[str], start: int, is_phrase: bool) -> NounPhrase | None:
    """A phrase at one of two things: "what is on the table or the desk"; None for others."""
    at = words.index("or", start)
    phrase, _ = _read(tuple(words[start:at]), is_phrase)
    other, _ = read_phrase(words, at + 1) if word_at(words, at + 1) in _DETERMINERS else (None, 0)
    *left, place = getattr(phrase, "conditions", None) or [None]
    if not isinstance(phrase, NounPhrase) or other is None or not isinstance(place, Related):
        return None
    either = replace(place, anchors=(*place.anchors, other))
    is_alone = place.predicate != "between" and Viewer() not in either.anchors
    return replace(phrase, conditions=(*left, either)) if is_alone else None


@lru_cache(maxsize=4096)
def _otherwise(words: tuple[str, ...]) -> tuple[str, ...]:
    """Words of the same meaning that may be a phrase; empty where there are none."""
    said = rewritten([Token(word, 0) for word in words], "scenemind.language.referring")
    if (plainer := tuple(token.word for token in said)) != words:
        return plainer
    ways = (reader(words) for reader in (lexicon.with_uses, _at_owner))
    return next((way for way in ways if way and way != words), ())


def _joined(words: Sequence[str], start: int) -> Iterator[tuple[int, int]]:
    """Start and end of each of several things: "the cup and the book", "a cup and not a book"."""
    for at in range(start, len(words) - 1):
        following = at + 1 + (words[at + 1] == "not")
        if words[at] in ("and", "or", ",") and word_at(words, following) in _DETERMINERS:
            yield start, at
            start = following
    yield start, len(words)


def _at_owner(words: Sequence[str]) -> tuple[str, ...]:
    """ "The drawers next to the desk" for "the drawers of the desk"; empty for others."""
    for at in range(1, len(words) - 1):
        if words[at] == "of" and words[at + 1] in lexicon.DEFINITE:
            thing = singular(words[at - 1])
            is_thing = thing in PARTS or thing in Thesaurus.load().known()
            return (*words[:at], "next", "to", *words[at + 1 :]) if is_thing else ()
    return ()


def _is_open(phrase: Reference | None, said: str) -> bool:
    """Whether a phrase is "anything to sit on", or "what is on the table", so that "besides" does
    not say where it is."""
    conditions = phrase.conditions if isinstance(phrase, NounPhrase) and not phrase.noun else ()
    kinds = {HasAttribute, Related} if said == "besides" else {HasAttribute}
    return bool(conditions) and set(map(type, conditions)) <= kinds


@lru_cache(maxsize=4096)
def _read(words: tuple[str, ...], is_phrase: bool) -> tuple[Reference | None, int]:
    """See `_with_exception`; the search for the nearest question reads the same words again."""
    chunker = _WholeChunker(words, is_phrase)
    chunks = chunker.read()
    for at, chunk in enumerate(chunks):
        # "Things have moved", but "have something on them".
        is_verb = chunk.words[:1] in _CARRYING[:2] and "i" not in map(_sign, chunks[at:])
        if is_verb or chunk.value == "of":  # but not "the closest to"
            return None, sum(len(chunk.words) for chunk in chunks[:at])
    if not words or chunker.read_words < len(words):
        return None, chunker.read_words
    if chunks[-1].kind == "relation":
        words_of_last = chunks[-1].words
        needs_another = words_of_last == ("by",) or words_of_last[-1] == "to"
        if chunks[-1].value in lexicon.OF_VIEWER and not needs_another:  # "what is within reach"
            chunks.append(Chunk("noun", (), thing=Viewer()))
        elif _holds(chunks[:-1]):  # "with a cup on top"
            chunks.append(Chunk("pronoun", ("it",)))
    if is_phrase and chunks[0].thing is not None:
        return (chunks[0].thing, len(words)) if len(chunks) == 1 else (None, len(chunks[0].words))
    if _sign(chunks[-1]) not in _LAST:
        return None, len(words) - len(chunks[-1].words)
    if not is_phrase:
        chunks.insert(0, Chunk("noun", ("thing",)))
    ranked = [_ranked(*pair) for pair in zip(chunks, [*chunks[1:], None], strict=True)]
    phrase = read_chunks(ranked, lambda _: (), whole=True).phrase
    is_no_phrase = phrase.unread or phrase.bound in ("most", "fewest")
    return (None, 0) if is_no_phrase else (phrase, len(words))


def _sign(chunk: Chunk) -> str:
    match chunk.kind:
        case "noun" if chunk.thing is not None:
            return "t"
        case "noun" if chunk.value:
            return "n"
        case "noun" if chunk.words[-1] in lexicon.ANYTHING or find_number(chunk.words[-1]):
            return "g"
        case "said":
            is_quality = chunk.words[0] in (*_OPENS_QUALITY, "for") or find_measured(chunk.words, 0)
            return "q" if is_quality else "l"
        case "relation" if chunk.value == "of":
            return "f"
        case "pronoun" if chunk.words == ("it",):
            return "i"
        case "and" if chunk.words == ("and",):
            return "a"
        case "break" if chunk.words == (",",):
            return "c"
    signs = {"relation": "r", "place": "s", "pronoun": "p", "be": "b", "not": "x"}
    return "o" if chunk.value == "posture" else signs.get(chunk.kind, "?")


def _holds(chunks: Sequence[Chunk]) -> bool:
    """Whether "it" may be about what holds something: after "with a cup"."""
    return any(chunk.value == "supports" for chunk in chunks)


def ends_noun(words: Sequence[str], at: int, inside: bool) -> bool:
    """Whether a noun chunk ends before a word; `inside`: after a word of its noun."""
    word = words[at]
    if not word[0].isalnum() or word in EXCEPTING or _RELATIONS.longest(words, at)[1]:
        return True
    if find_measured(words, at):
        return True
    following = word_at(words, at + 1)
    if (word, following) == ("full", "of") or (word in _FILLED and following in ("with", "full")):
        return True
    if word in lexicon.NOUN_END:
        is_after_article = at > 0 and words[at - 1] in lexicon.DEFINITE | lexicon.INDEFINITE
        return not (word == "can" and (is_after_article or (inside and _is_thing(words, at))))
    if not inside:
        return word == "of"
    if word in lexicon.VERB_FORMS or word in lexicon.ANYBODY or word == "next":
        return True
    if word == "of":
        return not following or following in lexicon.NOUN_END | lexicon.DEFINITE
    if word in lexicon.ADJECTIVES and following in ("", "and", ","):
        return True
    if word in lexicon.QUALITIES and words[at - 1] in lexicon.ANYTHING:
        return True  # "anything soft to sit on"
    is_look = word in lexicon.COLOURS or word in lexicon.SIZES or word in lexicon.SUPERLATIVES
    return (
        is_look or word.isdigit() or word in lexicon.AFTER_SUBJECT or lexicon.at_posture(words, at)
    )


def _kind_in(noun: str) -> str:
    """ "Phone" of "phone thingy", "desk" of "desk top"."""
    kind, _, last = noun.rpartition(" ")
    is_look = kind in lexicon.LOOKS or kind in lexicon.QUALITIES  # "the glass thing"
    is_kind = (last in lexicon.ANYTHING or last == "top") and singular(
        kind
    ) in Thesaurus.load().known()
    return kind if is_kind and not is_look else noun


def _is_share(words: Sequence[str], at: int) -> bool:
    """Whether some of several are meant: "one of the chairs", "two of my books"."""
    is_some = words[at] in ("any", "each", "either") or find_number(words[at]) is not None
    return is_some and word_at(words, at + 2) in lexicon.DEFINITE


def _is_thing(words: Sequence[str], at: int) -> bool:
    """Whether the "can" at a place is one: "the trash can lid", but not "people can sit"."""
    following = word_at(words, at + 1)
    if following in ("i", "we", "you"):
        return False
    return words[at - 1] in OF_CANS or not following or ends_noun(words, at + 1, True)


def _ranked(chunk: Chunk, following: Chunk | None) -> Chunk:
    """The chunk with its superlatives as ranks, but for "the closest chair to the door" and "the
    second from the right"; "the second chair" is that from the left."""
    if chunk.kind != "noun" or chunk.thing is not None:
        return chunk
    said = [word for word in chunk.traits if word in _RANKING]
    sides = [word for word in chunk.traits if word not in said]
    names = [_RANKING[word] for word in said]
    is_anchored = following is not None and (
        following.kind == "place" or following.value in lexicon.COMPARING
    )
    if chunk.order and not (names or sides or is_anchored):
        names = ["leftmost"]
    if not names:
        return chunk
    ranks = [Rank(name, chunk.order or 1) for name in names]
    conditions = (*chunk.conditions, *ranks)
    return replace(chunk, traits=tuple(sides), order=0, conditions=conditions)


class _WholeChunker(Chunker):
    """Chunker of a phrase, or of conditions alone."""

    relations = _RELATIONS
    places = lexicon.ROW_SIDES
    longest = PhraseTable({**_RELATIONS, **lexicon.ROW_SIDES})
    determiners = lexicon.DEFINITE | lexicon.INDEFINITE | {"both", "either"}
    small_words = _SMALL

    def __init__(self, words: Sequence[str], is_phrase: bool) -> None:
        super().__init__(words)
        self._is_phrase = is_phrase
        self._last = "^" if is_phrase else "-"
        self.read_words = 0

    def may_go_on(self) -> bool:
        sign = _sign(self.chunks[-1])
        if sign not in _AFTER[self._last]:
            return False
        self._last = sign
        self.read_words += len(self.chunks[-1].words)
        return True

    def chunk_at(self, at: int) -> Chunk:
        if self._expects_thing(at):
            return self._find_thing(at) or self.noun_at(at)
        last = self.chunks[-1].value.rpartition(" ")[2] if self.chunks else ""
        if self.words[at] == "of" and last in ENDS:
            return Chunk("relation", ("of",), "of")  # "on the sofa side of the table"
        found = self._find_measured(at) or self._find_said(at) or self._find_posture(at)
        found = found or (self.words[at] != "not" and self.phrase_at(at)) or self.small_at(at)
        return found or Chunk("other", (self.words[at],))

    def _expects_thing(self, at: int) -> bool:
        """Whether a phrase begins here, not a condition."""
        before = self.chunks[-3:]
        if not before:
            return self._is_phrase
        if before[-1].kind == "not" and len(before) > 1 and before[-2].kind == "relation":
            return True
        if before[-1].words == ("and",) and not lexicon.at_relation(self.words, at):
            since = [c.value or " ".join(c.words) for c in reversed(self.chunks[:-1])]
            return "between" in since and "and" not in since[: since.index("between")]
        is_number = lexicon.QUANTITIES.longest(self.words, at)[1] > 0
        return before[-1].kind == "relation" and (is_number or self.words[at] not in ("not", "no"))

    def _find_measured(self, at: int) -> Chunk | None:
        """ "Within 2 m of", "longer than 2 m", "than to" after "closer to the door"."""
        words, found = self.words, find_measured(self.words, at)
        if words[at] == "than" and word_at(words, at + 1) in ("to", "from"):
            is_closer = any(chunk.value in _NEARNESS for chunk in self.chunks)
            return Chunk("relation", words[at : at + 2], "than") if is_closer else None
        if found is None:
            return None
        if found.negated:
            self.chunks.append(Chunk("not", ()))
        said = words[at : at + found.words]
        kind: Kind = "relation" if found.is_relation else "said"
        size = () if found.is_relation else (HasAttribute("size", found.said),)
        return Chunk(kind, said, found.said * found.is_relation, conditions=size)

    def _find_thing(self, at: int) -> Chunk | None:
        """ "Me", "it", "this one"."""
        words, word, following = self.words, self.words[at], word_at(self.words, at + 1)
        end = at + 1 + (words[at : at + 2] == ("the", "robot"))
        is_robot = words[end - 1] == "robot"  # "the robot arm" and "which robot" speak of things
        is_named = end < len(words) and not ends_noun(words, end, True)
        is_other = is_robot and (is_named or (word == "robot" and not self.chunks))
        if words[end - 1] in lexicon.VIEWERS and not is_other:
            return Chunk("noun", words[at:end], thing=Viewer())
        if word in ("it", "them") and _holds(self.chunks[:-1]):
            return Chunk("pronoun", ("it",))
        is_one = following == "one" and word_at(words, at + 2) in _AFTER_NOUN
        is_look = at + 2 == len(words) and following in (*lexicon.COLOURS, *lexicon.SIZES)
        is_alone = is_one or is_look or following in _AFTER_NOUN or word in ("it", "them", "they")
        is_alone |= lexicon.RELATIONS.longest(words, at + 1)[1] > 0
        if word in lexicon.POINTERS and is_alone:
            return Chunk("noun", words[at : at + 1 + is_one], thing=Marked())
        return None

    def _find_posture(self, at: int) -> Chunk | None:
        """ "Standing" in "standing on top of"; "standing on" is a relation."""
        word, is_hurried = self.words[at], word_at(self.words, at + 1) in lexicon.ADVERBS
        is_up = word in lexicon.POSTURES and word_at(self.words, at + 1) == "up"
        may_be = word in lexicon.POSTURES | lexicon.ADVERBS or lexicon.is_of_several(self.words, at)
        ends = (at, at + 1, at + 1 + (is_hurried or is_up))
        here, *after = (lexicon.RELATIONS.longest(self.words, end)[1] for end in ends)
        is_one = may_be and max(after) >= max(here, 1)
        return Chunk("other", self.words[at : at + 1 + is_up], "posture") if is_one else None

    def _find_said(self, at: int) -> Chunk | None:
        """A place of the viewer, a quality or a look."""
        words, word = self.words, self.words[at]
        own, length = lexicon.OWN_PLACES.longest(words, at)
        clock = self.clock_at(at)
        if clock is not None and clock.kind == "place":
            own, length = clock.value, len(clock.words)
        if own:
            self.chunks.append(Chunk("relation", (), own))
            self._last = "r"
            return Chunk("noun", tuple(words[at : at + length]), thing=Viewer())
        last = self.chunks[-1] if self.chunks else None
        is_bare = last is None or last.kind in ("be", "not", "and", "pronoun")
        is_something = last is not None and not lexicon.ANYTHING.isdisjoint(last.words[-1:])
        found: tuple[HasAttribute | Rank, int] | None = None
        if is_bare or is_something:
            is_look = is_something and not lexicon.at_relation(words, at)
            found = find_look(words, at) if is_look else find_attribute(words, at)
        is_use = word == "for" and is_something
        if found is None and (is_bare or is_use or word in _OPENS_QUALITY):
            found = find_quality(words, at)
        if found is None and is_bare:
            end = at + 1 + (word == "the")
            rank = lexicon.SUPERLATIVES.get(word_at(words, end - 1), "closest")
            end += word_at(words, end) in ("one", "ones")
            found = None if rank in lexicon.COMPARING else (Rank(rank), end)
        if found is None:
            return None
        return Chunk("said", words[at : found[1]], conditions=found[:1])

    def small_at(self, at: int) -> Chunk | None:
        if self.words[at] == "without":
            self.chunks.append(Chunk("not", ()))
            return Chunk("relation", ("without",), "supports")
        if self.words[at] == "no" and self.chunks and self.chunks[-1].kind == "relation":
            return Chunk("not", ("no",))
        return self.small(self.words[at])

    def noun_at(self, start: int) -> Chunk:
        """A noun chunk with what is said of it before its noun; a final colour is the noun ("an
        orange")."""
        words, at, noun_start, opened = self.words, start, -1, start
        order, number, of_several, share = 0, None, False, ""
        traits: list[str] = []
        forms: list[str] = []
        said: list[tuple[int, HasAttribute]] = []
        bound, length = lexicon.QUANTITIES.longest(words, start)
        first = find_number(word_at(words, start + length))
        is_most = bound in ("most", "fewest") and start + length < len(words)
        is_most = is_most and not ends_noun(words, start + length, False)  # "the most near"
        if is_most or (bound and first is not None):
            start = at = start + length
        else:
            bound = ""
        while at < len(words) and noun_start < 0:
            word, following = words[at], word_at(words, at + 1)
            is_side = word in _SIDES and following not in ("of", "side") and self._goes_on(at + 1)
            is_before = following != "" and (
                following in lexicon.SUPERLATIVES or not ends_noun(words, at + 1, False)
            )
            if following == "of" and _is_share(words, at):
                share, number = word, find_number(word)
            elif (
                word in ("pair", "couple")
                and following == "of"
                and any(map(is_plural, words[at + 2 : at + 4]))
            ):
                number, at = 2, at + 1  # but "a pair of scissors"
            elif word in self.determiners:
                traits += ["other"] * (word in ("other", "another"))
            elif word == "of" and following in lexicon.DEFINITE:
                of_several = True
            elif word in _ONLY and at > start and words[at - 1] in lexicon.DEFINITE and following:
                number = 1
            elif following and (found := find_ordinal(word)) is not None:
                order = found
            elif number is not None and self._opens_comparison(at):
                number = None if number == 1 else number  # "the one closest to the door"
                break
            elif is_before and (found := find_number(word)) is not None:
                is_of_all = of_several and bool(traits or order or share)  # "the taller of the two"
                number = number if is_of_all else found
            elif word in _RANKING or is_side:
                traits.append(_RANKING.get(word, word))
            elif (look := find_attribute(words, at)) is not None:
                said.append((at, look[0]))
                at = look[1] - 1
            elif ends_noun(words, at, False):
                break
            elif self._is_before_colour(at):
                forms.append(word)  # "the tall black fridge"
            else:
                noun_start = at
            at += 1
        if noun_start < 0 and said:
            noun_start, _ = said.pop()
        before = frozenset(words[start : noun_start if noun_start >= 0 else at])
        while noun_start >= 0 and at < len(words) and not ends_noun(words, at, True):
            at += 1
        noun = " ".join((*forms, *words[noun_start:at])) if noun_start >= 0 else ""
        quality, _, one = noun.rpartition(" ")
        look = find_quality((quality,), 0) if one in ("one", "ones") else None
        if look is not None and isinstance(look[0], HasAttribute):  # "the round one"
            noun = ""
            said.append((noun_start, look[0]))
        is_bare = not (said or traits or number or order) and words[start] in lexicon.POINTERS
        thing: Reference | None = None
        after = word_at(words, at)
        is_number = after.isascii() and after.removeprefix("-").isdigit()
        if noun and is_number and " of " not in noun:  # but "the cover of object 3"
            kind = "" if noun in _NUMBERED else noun.removesuffix(" object")  # "the cup (object 2)"
            thing, at = ObjectNumber(int(after[:9]), kind), at + 1
        elif noun.split(" ")[0] in _MARKED or (noun and is_bare and after in ("", ",", "and")):
            kind = " ".join(noun.split(" ")[noun.split(" ")[0] in _MARKED :])
            thing = Marked("" if kind in lexicon.ANYTHING else kind)
        if at == start or thing is not None:
            said_words = words[opened : max(at, start + 1)]
            return Chunk("other" if thing is None else "noun", said_words, thing=thing)
        if share and number in (None, 1):  # "one of the chairs" is a chair
            noun, number = normal(noun), None
        noun = "" if noun in lexicon.ANYTHING else _kind_in(noun)
        noun = "person" if noun.removesuffix(" else") in lexicon.ANYBODY else noun
        if bound in _STRICTER:
            bound, number = _STRICTER[bound][0], max((number or 0) + _STRICTER[bound][1], 0)
            noun = noun if number == 1 else plural(noun)
        return Chunk(
            "noun", words[opened:at], noun, tuple(traits), order,
            2 if "both" in before and number is None else number,
            tuple(look for _, look in said),
            definite=not share and not before.isdisjoint((*lexicon.DEFINITE, "both")),
            of_speaker="my" in before,
            bound=bound,
        )  # fmt: skip

    def _opens_comparison(self, at: int) -> bool:
        """Whether "closest to the door" stands at a place, and not "closest chair"."""
        name, length = lexicon.RELATIONS.longest(self.words, at)
        following = word_at(self.words, at + length)
        return name in _NEARNESS and following in lexicon.DEFINITE | lexicon.INDEFINITE

    def _is_before_colour(self, at: int) -> bool:
        """Whether a look stands before the colour of a noun: "the tall thin black lamp"."""
        looks = takewhile(lambda word: word in lexicon.LOOKS, self.words[at:])
        colour = next((n for n, word in enumerate(looks) if word in lexicon.COLOURS), 0)
        return colour > 0 and self._goes_on(at + colour + 1)

    def ends_noun(self, at: int, inside: bool) -> bool:
        return ends_noun(self.words, at, inside)
