"""Slots of corrections that the parser reads: references, names, values, owners."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Any, TypeVar

from scenemind.language import lexicon
from scenemind.language.english import (
    find_number,
    is_plural,
    normal,
    plural,
    read_table,
    singular_name,
    with_article,
    word_set,
)
from scenemind.language.measures import LENGTH, compared_by, is_measured
from scenemind.language.qualities import find_attribute, find_look, find_quality
from scenemind.language.referring.reader import read
from scenemind.language.referring.whole import ends_noun, read_phrase
from scenemind.language.relation_names import RELATION_NAMES
from scenemind.language.slots import READERS, SlotWords, excepted, one_word, rest
from scenemind.language.spelling import thing_words
from scenemind.language.tokens import NotUnderstoodError
from scenemind.language.trees import (
    HasAttribute,
    Marked,
    NounPhrase,
    ObjectNumber,
    Reference,
    Related,
    Several,
    Subject,
    Viewer,
    parts_of,
)
from scenemind.language.vocabulary import Thesaurus

TABLE: dict[str, Any] = read_table("scenemind.language.corrections", "shapes.yaml")
_SETS = {name: word_set(words) for name, words in TABLE["sets"].items()}
_PHRASES: dict[str, list[str]] = TABLE["phrases"]
# Words after a value -> the attribute, where they name one.
_KIND_WORDS: dict[str, str | None] = {
    word: None if key == "any" else key for key, words in TABLE["kinds"].items() for word in words
}
_SPELLINGS: dict[str, str] = TABLE["spellings"]
_WEIGHED = frozenset(lexicon.FREE_RELATIONS.values()).difference(RELATION_NAMES, lexicon.OF_BOXES)
_MOST_JOINTS = 12  # in a list of references
_LONGEST_LABEL, _LONGEST_NAME, _LONGEST_REST = 5, 3, 8
_NOT_LIKE_THIS = lexicon.COLOURS.keys() - {"orange", "tan", "cream", "olive", "navy"}
_ANY_QUOTES = frozenset("'\"\u2018\u2019\u201c\u201d")
# A word to its end, with "'s".
_AS_WRITTEN = re.compile(r"[\w-]+(?:['\u2019]\w+)?")
_EXTENT = re.compile(rf"{LENGTH} (?:tall|high|long|wide|deep|thick|across)$")
# Of words that say what a thing is like: "artificial", "fragile", "poisonous".
_QUALITY_ENDINGS = tuple(_SETS["quality_endings"])
_QUOTES = frozenset('"\u201c\u201d')
_NO_LABEL = _SETS["no_names"] | _SETS["adverbs"]
_THINGS = word_set("everything things objects items")
_AFTER_NUMBER = lexicon.NOUN_END | {",", ""}
_AFTER_LABEL = lexicon.NOUN_END | {",", "instead"}
# "For sewing" and "gecko inside" are no names.
_AT_NO_END = {form[0] for form in lexicon.RELATIONS if len(form) == 1} | {"for", "as", "of"}


@dataclass(frozen=True, slots=True)
class Kind:
    """What a thing is: "red cup".

    Attributes:
        noun: the label without leading words that are attributes.
        attributes: names and values of those words.
    """

    label: str
    noun: str
    attributes: tuple[tuple[str, str], ...] = ()


def names_no_thing(words: list[str]) -> bool:
    """Whether words name no thing: "(a) joke", "(a) bit strange", "(a) dark grey"."""
    last = words[-1]
    is_like_this = last in _NOT_LIKE_THIS or last in lexicon.ADJECTIVES
    return last in _SETS["no_things"] or is_like_this or not _NO_LABEL.isdisjoint(words)


def may_be_named(words: str) -> bool:
    """Whether words may be a name or a value: "just red" is none."""
    return _NO_LABEL.isdisjoint(words.split())


def is_short_for_is(following: Sequence[str]) -> bool:
    """Whether "'s" before these words stands for "is" ("the lamp's grey", not "the lamp's
    colour")."""
    after, end = following[0], tuple(following[1:2])
    is_quality = after in lexicon.QUALITIES and end in ((), (",",), ("not",), ("in",))
    return after in _SETS["after_is"] or after in lexicon.COLOURS or is_quality


_Subject = TypeVar("_Subject", bound=Subject)


def as_definite(reference: _Subject) -> _Subject:
    """The reference with "the": "a cup" as "the cup"."""
    return replace(reference, definite=True) if isinstance(reference, NounPhrase) else reference


def _any_reference(p: SlotWords) -> Reference | None:
    """A reference; read as far as it can be, where that is enough."""
    start = p.at
    try:
        return p.reference()
    except NotUnderstoodError:
        is_cut = p.words[-1] == "the" or lexicon.at_relation(p.words, len(p.words) - 1)
        if not p.is_free or is_cut:  # what is meant by "by" follows
            raise
    p.at = len(p.words)
    return _free_reference(p.words[start:])


def _reference(p: SlotWords) -> Reference | None:
    """A reference whose noun may name a thing, or says how one looks ("the tall thing")."""
    start = p.at
    reference = _any_reference(p)
    if p.is_free and reference is not None and not _may_be_meant(reference):
        reference = _free_reference(p.words[start:])
    return reference if reference is not None and _may_be_meant(reference) else None


def _may_be_meant(reference: Reference) -> bool:
    *looks, head = ("",) if isinstance(reference, Viewer) else reference.noun.split() or ("",)
    is_look = bool(looks) and head in lexicon.ANYTHING and lexicon.LOOKS.keys() >= set(looks)
    is_verb = (*looks, head)[0] in _SETS["correction_verbs"]
    return not head or is_look or not (is_verb or names_no_thing([*looks, head]))


def _definite(p: SlotWords) -> Reference | None:
    found = _reference(p)
    return found if not isinstance(found, NounPhrase) or found.definite else None


def _is_weighed(condition: Related) -> bool:
    """Whether only a description weighs a relation, which holds in no certain way: "with"."""
    return condition.predicate in _WEIGHED


def _free_reference(words: Sequence[str]) -> NounPhrase | None:
    """ "The person down the corridor": a definite thing, of which not all has to be understood."""
    is_whole = (
        "," not in words
        and words[0] in lexicon.DEFINITE
        and lexicon.BE.isdisjoint(words)
        and "not" not in words
    )
    phrase = read(" ".join(words)).phrase if is_whole and len(words) > 2 else NounPhrase("")
    said = (c for c in phrase.conditions if not any(map(_is_weighed, parts_of(c, Related))))
    noun = " ".join(takewhile(may_be_named, phrase.noun.split()))
    phrase = replace(phrase, noun=noun, conditions=tuple(said))
    return as_definite(phrase) if phrase.noun or phrase.conditions else None


def _person(p: SlotWords) -> str | None:
    """Somebody: "Tom", "my granddaughter", "the dog"."""
    start, words = p.tokens[p.at].start, rest(p)
    is_name = p.text[start : start + 1].isupper() and words[0] not in lexicon.NOUN_END
    is_one = (len(words) == 1 and is_name) or (1 < len(words) < 4 and words[0] in lexicon.DEFINITE)
    return words[-1] if is_one and may_be_named(" ".join(words[1:])) else None


def _other_ones(p: SlotWords) -> tuple[Reference, Sequence[str]] | None:
    """ "The red one", "object 3", but not "the cup"."""
    things = p.peek() == "the" and excepted(p)
    is_kind = things and isinstance(things[0], NounPhrase) and things[0].noun
    return None if is_kind else things or None


def _number_or_reference(p: SlotWords) -> Reference | None:
    if _is_figure(p.peek()):
        p.at += 1
        return ObjectNumber(int(p.words[p.at - 1][:9]))
    return _reference(p)


def _references(p: SlotWords, *between: str) -> tuple[Reference, ...] | None:
    """ "Object 3 and 5", "objects 3, 5 and 7" or "the cup and the mug"; "the cup between the bed
    and the lamp" is one."""
    words, at = p.words, p.at
    joints = [place for place in range(at, len(words)) if words[place] in (",", *between)]
    if read_phrase(words, at)[0] is not None:
        joints = []
    found: list[Reference | None] = []
    for end in (*joints[:_MOST_JOINTS], len(words)):
        if end == p.at and words[end - 1 : end] == (",",):  # ", and"
            p.at = end + 1
            continue
        p.words = words[:end]
        found.append(_number_or_reference(p) if end > p.at else None)
        p.words = words
        if found[-1] is None or p.at < end:
            return None
        p.at = min(end + 1, len(words))
    return tuple(filter(None, found))


def _several(p: SlotWords) -> Subject | None:
    """ "The cup", "object 3", "chairs 2, 3 and 7", "4 and 9" or "the cup and the book"; further
    nouns need their "the", and the last one an "and"."""
    if _is_figure(p.peek(1)):
        p.take("both")
    start = p.at
    is_counted = _is_figure(p.peek()) and p.peek(1) not in _AFTER_NUMBER  # "2 chairs"
    parts = (_reference(p),) if is_counted else _references(p, "and")
    found: tuple[Reference, ...] = tuple(filter(None, parts or ()))
    if parts is None or not found:
        return None
    words, first = p.words[start : p.at], found[0]
    if len(found) == 1:
        if isinstance(first, NounPhrase) and not (first.noun or _THINGS.isdisjoint(words)):
            return replace(first, noun="things")
        return first
    numbers = [part for part in found if isinstance(part, ObjectNumber)]
    if len(numbers) == len(found):  # the 3 of "chairs 2 and 3" is chair 3
        return Several(tuple(replace(n, noun=normal(n.noun or numbers[0].noun)) for n in numbers))
    noun = getattr(first, "noun", "")  # "the book on the desk and the one on the shelf"
    found = tuple(
        replace(part, noun=noun) if isinstance(part, NounPhrase) and not part.noun else part
        for part in found
    )
    are_nouns = all(isinstance(part, NounPhrase) and part.definite for part in found[1:])
    is_list = isinstance(first, NounPhrase) and are_nouns and "and" in words
    return Several(found) if is_list else None


def _numbers(p: SlotWords) -> tuple[int, ...] | None:
    """Ids of objects without a noun: "objects 4 and 9"."""
    found = _references(p, "and") or ()
    ids = tuple(n.object_id for n in found if isinstance(n, ObjectNumber) and not n.noun)
    return ids if ids and len(ids) == len(found) else None


def _label(p: SlotWords) -> str | None:
    """A label of up to five words, the last in the singular."""
    p.take(*_PHRASES["kind_of"])
    words = rest(p) or ("",)
    *others, last = words
    ends = {*others, "" if last == "can" else last} & _AFTER_LABEL  # a trash can
    ends |= ({*others[:1], last} & _AT_NO_END) | ({last} & lexicon.POSTURES)
    is_plain = all(word[:1].isalnum() for word in (*others, last)) and find_number(last) is None
    is_plain &= _EXTENT.search(" ".join(("a", *words))) is None  # "a good two metres high"
    if ends or not is_plain or len(others) >= _LONGEST_LABEL or names_no_thing([*others, last]):
        return None
    return singular_name(words)


def _quoted(p: SlotWords) -> str | None:
    """What stands in quotes, as it was written: "Anna's corner"."""
    start = p.tokens[p.at].start
    rest(p)
    last = p.tokens[p.at - 1]
    end = next((at for at in range(last.start, len(p.text)) if p.text[at] in _QUOTES), -1)
    is_whole = start > 0 and p.text[start - 1] in _QUOTES and end >= last.start + len(last.word)
    name = p.text[start:end].lower()
    return name if is_whole and not any(sign in _QUOTES for sign in name) else None


def _written(p: SlotWords) -> tuple[tuple[str, ...], str]:
    """All words, and the text as it was written."""
    start, words = p.tokens[p.at].start, rest(p)
    end = _AS_WRITTEN.match(p.text, p.tokens[p.at - 1].start)
    return words, p.text[start : end.end() if end else len(p.text)]


def _proper(p: SlotWords) -> str | None:
    """A proper name as it was written: "Mister Cold", "T1", "Grandma's seat", "'the bistro'"."""
    start = p.tokens[p.at].start
    words, said = _written(p)
    said = said.replace("\u2019", "'")
    is_quoted = start > 0 and p.text[start - 1] in _ANY_QUOTES
    is_name = said[:1].isupper() and normal(said) not in Thesaurus.load().known()
    if len(words) > _LONGEST_NAME or not (is_name or is_quoted) or "," in words:
        return None
    said = said.strip("'\"\u201c\u201d").removeprefix("the ")
    return said if said and words[0] not in lexicon.COLOURS else None


def _without_kin(read: Callable[[SlotWords], Any], *, is_whole: bool) -> Callable[[SlotWords], Any]:
    """A reader of an owner without what they are to the speaker: "Ali" of "my friend Ali"; not
    where nothing else is said, unless that `is_whole`."""

    def reader(p: SlotWords) -> Any:
        start = p.at
        p.take("my", "our", "the")
        p.take_of(lexicon.KIN)
        if p.done and not is_whole:
            return None
        p.at = start if p.done else p.at
        return read(p)

    return reader


def _free_text(p: SlotWords) -> str | None:
    """What a note says, as it was written."""
    words, said = _written(p)
    return " ".join(said.split()) if len(words) > 1 else None


def _quality_word(p: SlotWords) -> str | None:
    """What somebody says of a thing that no attribute holds: "is artificial"."""
    words = rest(p)
    is_one = len(words) == 1 and words[0].endswith(_QUALITY_ENDINGS)
    may_be = is_one and words[0] not in _SETS["no_things"] and may_be_named(words[0])
    may_be &= words[0] not in lexicon.COLOURS
    return f"is {words[0]}" if may_be and words[0] not in lexicon.QUALITIES else None


def _bare_name(p: SlotWords) -> str | None:
    """A label that may be a name by itself; "go back" is none."""
    label = _label(p)
    first, *others = (label or "").split() or [""]
    is_order = first in _SETS["robot_orders"] | _SETS["correction_verbs"] | lexicon.INDEFINITE
    if is_order or first.endswith("ly") or len(others) >= _LONGEST_NAME:
        return None
    return label


def _kind(p: SlotWords) -> Kind | None:
    """What follows an article: "red cup"."""
    start = p.at
    attributes: list[tuple[str, str]] = []
    while (given := _find_before_noun(p)) is not None:
        attributes.append((given.key, given.value))
    before = p.words[start : p.at]
    noun = _label(p)
    return None if noun is None else Kind(" ".join((*before, noun)), noun, tuple(attributes))


def _find_before_noun(p: SlotWords) -> HasAttribute | None:
    """An attribute before a noun ("red" of "red cup"); None (and no move) without a noun after
    it."""
    start = p.at
    given = None if p.peek() in ("on", "off") else p.find(find_look)
    if given is not None and not (p.done or ends_noun(p.words, p.at, False)):
        return given
    p.at = start
    return None


def _mass(p: SlotWords) -> Kind | None:
    """What a thing holds or is: "olive oil"."""
    return _kind(p) if p.words[-1] in lexicon.MASSES and len(p.words) - p.at > 1 else None


def _kinds(p: SlotWords) -> Kind | None:
    """A bare plural ("stools", but not "two stools") after "are"."""
    is_bare = is_plural(p.words[-1]) and find_number(p.peek()) is None
    return _kind(p) if is_bare and "are" in p.words[max(p.at - 2, 0) : p.at] else None


def _value(p: SlotWords) -> HasAttribute | None:
    """A colour, size, material, shape or state at the end of a claim; the start of a thing's name
    ("a round table") is none."""
    start = p.at
    while p.take(*_PHRASES["more_or_less"]):
        pass
    article = p.take("a", "an", "the")
    at = p.at
    given = p.find(find_look)
    # "It is a bowl for fruit, the green one" tells which is meant.
    is_which = article == "the" and at - start == 1 and (start == 0 or p.words[start - 1] == ",")
    if given is not None and not is_which:
        if given.key == "color":
            given = HasAttribute("color", _colour_as_said(p.words[at : p.at]))
        kind = p.take(*_KIND_WORDS)
        is_whole = bool(kind) or not article
        if is_whole and _KIND_WORDS.get(kind) in (None, given.key) and p.done:
            return given
    p.at = start
    return p.find(find_quality)


def _colour_as_said(words: Sequence[str]) -> str:
    """The colour that is written: "turquoise", where a question's "blue" would do; "grey" for
    "gray"."""
    known = {*lexicon.COLOURS, *lexicon.SHADES, "and"}
    return " ".join(_SPELLINGS.get(word, word) for word in words if word in known)


def _quality(p: SlotWords) -> HasAttribute | None:
    said = p.condition()
    if not isinstance(said, HasAttribute) or compared_by(said.value):
        return None
    return None if said.negated else said


def _thing(p: SlotWords) -> NounPhrase | str | None:
    """The value or noun of what is denied: a colour, a quality, a number or a thing, with where it
    is."""
    given = p.find(find_attribute) or p.find(find_quality)
    if given is not None:
        return given.value
    if find_number(p.peek()) is not None and not p.peek(1):
        return rest(p)[0]
    said = p.reference()
    if not isinstance(said, NounPhrase):
        return ""
    return (said if said.conditions and said.noun else said.noun) or None


def _nickname(p: SlotWords) -> str | None:
    """A name of one's own: "the nap spot"; not what things of a kind are called."""
    label = _label(p)
    return None if label is None or label.split()[-1] in thing_words() else label


def _condition(p: SlotWords) -> Related | None:
    given = None if p.peek() == "without" else p.condition()  # "without doubt" denies nothing
    if not isinstance(given, Related) or is_measured(given.predicate):
        return None
    return given if len(given.anchors) == 1 or given.predicate == "between" else None


def _place(p: SlotWords) -> Related | None:
    """A place at things: "in name only" is none."""
    given = _condition(p)
    if given is None or given.negated or not isinstance(given.anchors[0], NounPhrase):
        return None
    return given if all(may_be_named(anchor.noun) for anchor in given.anchors) else None


def _rest(p: SlotWords) -> str | None:
    """The rest of a denial, if it is short and holds no further clause."""
    words = rest(p)
    is_short = len(words) <= _LONGEST_REST and _SETS["clause_words"].isdisjoint(words)
    return " ".join(words) if is_short else None


def _is_figure(word: str) -> bool:
    return word.isascii() and word.isdigit()


def _figured(p: SlotWords) -> ObjectNumber | None:
    """ "9", "object 9"."""
    p.take("object", "number")
    return _number_or_reference(p) if _is_figure(p.peek()) else None  # type: ignore[return-value]


SLOTS: dict[str, Callable[[SlotWords], Any]] = {
    **READERS,
    "possessive": _without_kin(READERS["possessive"], is_whole=True),
    "any_reference": _any_reference,
    "bare_name": _bare_name,
    "definite": _definite,
    "link": _condition,
    "count": one_word(lambda word: n if (n := find_number(word) or 0) > 1 else None),
    "figure": one_word(lambda word: int(word[:9]) if _is_figure(word) else None),
    "kind": _kind,
    "kinds": _kinds,
    "mass": _mass,
    "label": _label,
    "material": lambda p: HasAttribute("material", said) if (said := _label(p)) else None,
    "look": lambda p: p.find(find_look),
    "noun_here": lambda p: Marked(" ".join(p.noun_words())),
    "noun_of": lambda p: getattr(p.reference(), "noun", None),
    "nickname": _nickname,
    "object_number": lambda p: n if isinstance(n := p.reference(), ObjectNumber) else None,
    "number_or_reference": _number_or_reference,
    "numbered": _figured,
    "numbers": _numbers,
    "other_ones": _other_ones,
    "pair": one_word(lambda word: word if word.isalpha() and with_article(word) == word else None),
    "person": _person,
    "place": _place,
    "plural_noun": lambda p: plural(" ".join(noun)) if (noun := p.noun_words()) else None,
    "free_text": _free_text,
    "proper": _proper,
    "proper_owner": _without_kin(_proper, is_whole=False),
    "quality": _quality,
    "quality_word": _quality_word,
    "quoted": _quoted,
    "reference": _reference,
    "references": lambda p: _references(p, "with", "into", "and", "to"),
    "references_and": lambda p: _references(p, "and"),
    "rest": _rest,
    "several": _several,
    "thing": _thing,
    "value": _value,
}
