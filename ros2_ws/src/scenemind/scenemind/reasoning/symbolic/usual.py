"""What things in rooms are usually like, and for: general knowledge by name (`usual.yaml`).

It is no fact of a room: only answers that must be given rest on it, and say so. Each value comes
with the share of such things of which it is true.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple, TypeVar

from pydantic import BaseModel, ConfigDict

from scenemind.language import lexicon
from scenemind.language.english import normal, read_table, roots, singular
from scenemind.language.referring.whole import read_phrase
from scenemind.language.tokens import tokenize
from scenemind.language.trees import Attribute, NounPhrase
from scenemind.language.vocabulary import Thesaurus
from scenemind.memory import MapObject
from scenemind.memory.attributes.lazy_attributes import quick_attributes

# A use that says nothing without what it is done to.
_ANY_USE = ("put", "for")
# Uses after which things belong where they are kept; and where rubbish is.
_PUTTING, _FOR_WASTE = ("put", "put in", "hang", "throw", "store"), "trash can"
_BY_LAST_WORD = 0.9
# What begins a clause about a thing without a name.
_OPENING = frozenset(
    ("that", "which", "where", "for", "i", "we", "you", "one", "people", "someone")
)
# Largest ratio of the sides of a round object; shares of a measured colour and of a measured size.
_LONG, _SEEN, _SIZED = 1.25, 0.7, 0.75
# Measured mean colour -> true colours, likeliest first: indoor light is dim and warm, and shadows
# and edges are part of the mean.
_LIKELY = {
    "light grey": ("white", "grey"),
    "grey": ("grey", "white"),
    "dark grey": ("black", "grey"),
    "beige": ("beige", "white", "brown"),
    "orange": ("orange", "brown"),
    "yellow": ("yellow", "brown"),
    "light brown": ("brown", "beige", "white"),
    "brown": ("brown", "black"),
    "dark brown": ("brown", "black"),
    "dark green": ("green", "black"),
    "dark blue": ("blue", "black"),
}
_T = TypeVar("_T")


class Usual(NamedTuple):
    """A value, and how likely it is."""

    value: str
    share: float


class _States(BaseModel):
    """Two states that exclude each other; see `usual.yaml`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    usual: tuple[str, ...]
    other: tuple[str, ...]
    share: float
    of: dict[str, float]


class _Table(BaseModel):
    """Content of `usual.yaml`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    values: dict[Attribute, dict[str, str]]
    uses: dict[str, frozenset[str]]
    keeps: dict[str, frozenset[str]]
    purposes: dict[str, str]
    properties: dict[str, dict[Attribute, Usual]]
    commonest: dict[Attribute, Usual]
    may_be_round: frozenset[str]
    large_m: dict[str, float]
    parts: dict[str, int]
    states: tuple[_States, ...]
    seldom: dict[str, float]
    rooms: dict[str, dict[str, float]]


def purpose_share(label: str, words: Sequence[str]) -> float:
    """Share of the words that a label's purposes or name explain, in [0, 1]."""
    return _share_of(words, _purposes_of(label)) if words else 0.0


def use_share(label: str, words: Sequence[str]) -> float:
    """How well a use, as a verb and what it is done to, is that of such things, in [0, 1]: that of
    "throw paper" for a trash can. Above 0.5 where things are known to be used for all of it."""
    verb, *others = words
    things = [" ".join(map(singular, others[-number:])) for number in (2, 1)]
    if verb == "put" and not _table().keeps[_FOR_WASTE].isdisjoint(things):
        verb = "throw"  # no table is for rubbish
    if verb == "put" and not _furniture().isdisjoint(things):
        return 0.0  # nor for a chair
    users, purposes = _table().uses.get(verb), _purposes_of(label, with_name=False)
    named = users is not None and not users.isdisjoint(_names(label))
    kept = [thing in _kept_in(label) for thing in things if verb in _PUTTING]
    if any(kept):
        return 1.0 if kept[0] else _BY_LAST_WORD  # dirty clothes are not for the wardrobe
    share = _share_of(others, purposes) if others else 1.0
    is_purpose = _share_of((verb,), purposes) > 0.0
    is_by_purpose = is_purpose and (users is None or (bool(others) and share == 1.0))
    is_by_purpose |= verb == "put in" and bool(others) and share == 1.0
    is_so = named or is_by_purpose if verb not in _ANY_USE else is_purpose
    if is_so or named:
        return (1.0 + share) / 2.0
    return share if verb == "for" and others else 0.0


def labels_with_purpose() -> frozenset[str]:
    """Names of kinds of things whose use is known."""
    table = _table()
    return frozenset(table.purposes).union(*table.uses.values())


def by_purpose(text: str) -> str:
    """A phrase for a nameless thing with its purpose in place of a clause: "the tall thing for milk
    cold by the door" of "the tall thing by the door that keeps the milk cold"; empty for others.

    Only words that say what things are usually for tell a purpose.
    """
    words = [part for token in tokenize(text) for part in token.word.split("-") if part]
    for at in range(1, len(words) if "not" not in words else 0):  # no laptop is for "no laptop"
        is_named_next = words[at] in lexicon.DEFINITE and words[at - 1] in lexicon.ANYTHING
        if words[at] not in _OPENING and not is_named_next:  # "the thing the cat sleeps on"
            continue
        phrase, _ = read_phrase(words[:at])
        said = [word for word in words[at:] if _is_of_purpose(word)]
        is_nameless = isinstance(phrase, NounPhrase) and lexicon.ANYTHING.issuperset(
            phrase.noun.split(" ")[-1:] if phrase.noun else ()
        )
        named_at = [n for n, word in enumerate(words[:at]) if word in lexicon.ANYTHING]
        if is_nameless and said and named_at:
            head = named_at[0] + 1
            return " ".join((*words[:head], "for", *said, *words[head:at]))
    return ""


def _is_of_purpose(word: str) -> bool:
    """Whether a word tells what things of some kind are for; no small word, and no size."""
    is_size = lexicon.LOOKS.get(word, ("",))[0] == "size"
    return (
        not is_size
        and word not in lexicon.SMALL_WORDS
        and not roots(word).isdisjoint(_words_of_purposes())
    )


@lru_cache(maxsize=1)
def _words_of_purposes() -> frozenset[str]:
    said = " ".join((*_table().purposes.values(), *_table().uses)).split()
    return frozenset().union(*map(roots, said))


def usual_of(label: str, key: Attribute) -> Usual:
    """Usual value of an attribute of such things; of unknown ones the commonest of all."""
    return _find_usual(label, key) or _table().commonest.get(key, Usual("", 0.0))


def attribute_of(thing: MapObject, key: Attribute) -> Usual:
    """Attribute of an object in one word: as said of it or measured, else the usual one."""
    said = thing.attributes.get(key, "") if key in thing.attribute_sources else ""
    if key == "color":
        plain = lexicon.base_colour(said)
        return Usual(plain, 1.0) if plain in lexicon.COLOURS.values() else _color(thing)
    if key == "size":
        return _size(thing)
    if said:
        return Usual(said, 1.0)
    return _shape(thing) if key == "shape" else usual_of(thing.label, key)


def attribute_values() -> Mapping[Attribute, Mapping[str, str]]:
    """Words for values of attributes -> the plain word ("circular" -> "round")."""
    return _table().values


def usual_count(noun: str) -> int | None:
    """Usual number of parts of a name that things have ("legs"); None if unknown."""
    return _table().parts.get(singular(noun))


def usual_state(label: str, options: Sequence[str]) -> Usual | None:
    """The option that is the usual state of such things; None if unknown."""
    shares = [(state_share(label, option), option) for option in options]
    known = [(share, option) for share, option in shares if share is not None]
    if not known:
        return None
    share, option = max(known)
    if share < 1.0 / len(options) and len(known) < len(options):
        return None
    return Usual(option, share)


def state_share(label: str, words: str) -> float | None:
    """How likely such a thing is in a state ("open", "turned off"); None if unknown."""
    table, said = _table(), words.split()
    for states in table.states:
        share = _named(states.of, label, states.share)
        if any(word in said for word in states.usual):
            return share
        if any(word in said for word in states.other):
            return 1.0 - share
    return next((table.seldom[word] for word in said if word in table.seldom), None)


def is_known_thing(word: str) -> bool:
    """Whether a word names things of rooms."""
    table, name = _table(), singular(word)
    return name in table.purposes or name in Thesaurus.load().known()


def room_weights(kind: str) -> dict[str, float]:
    """Weights of objects as evidence for a kind of room, one of `room_kinds`."""
    return _table().rooms[kind]


def find_room(words: str) -> str | None:
    """Kind of room that words name; None for other words."""
    named = [kind for kind in _table().rooms if kind in words]
    return max(named, key=len) if named else None


def room_kinds() -> tuple[str, ...]:
    """Known kinds of rooms."""
    return tuple(_table().rooms)


@lru_cache(maxsize=1)
def _furniture() -> frozenset[str]:
    """Names of what people sit, lie and put things on, and keep them in."""
    return frozenset().union(*(_table().uses[use] for use in ("sit", "sleep", "put", "store")))


@lru_cache(maxsize=4096)
def _kept_in(label: str) -> frozenset[str]:
    return frozenset().union(*(_table().keeps.get(name, ()) for name in _names(label)))


@lru_cache(maxsize=4096)
def _purposes_of(label: str, *, with_name: bool = True) -> frozenset[str]:
    """Roots of the words for what a label is for; also of its name, which tells it as well, but is
    nothing that is done to it."""
    words = " ".join(_table().purposes.get(name, "") for name in _names(label)).split()
    return frozenset().union(*map(roots, (*words, *(normal(label).split() if with_name else ()))))


def _share_of(words: Sequence[str], known: frozenset[str]) -> float:
    """Share of the words of which a root is known."""
    return sum(not roots(word).isdisjoint(known) for word in words) / len(words)


@lru_cache(maxsize=4096)
def _names(label: str) -> tuple[str, ...]:
    """Names of a label in the table, the most specific first."""
    words = [singular(word) for word in normal(label).split()]
    whole = " ".join(words)
    same = sorted(Thesaurus.load().synonyms(whole) | Thesaurus.load().synonyms(normal(label)))
    endings = (" ".join(words[first:]) for first in range(1, len(words)))
    return tuple(dict.fromkeys((whole, normal(label), *same, *endings)))


def _named(table: Mapping[str, _T], label: str, otherwise: _T) -> _T:
    """The entry of the most specific name of a label."""
    return next((table[name] for name in _names(label) if name in table), otherwise)


@lru_cache(maxsize=1)
def _table() -> _Table:
    content = read_table("scenemind.reasoning.symbolic", "usual.yaml")
    content["values"] |= {"color": lexicon.COLOURS}
    return _Table.model_validate(content)


def _find_usual(label: str, key: Attribute) -> Usual | None:
    properties = (_table().properties.get(name, {}) for name in _names(label))
    return next((known[key] for known in properties if key in known), None)


def _color(thing: MapObject) -> Usual:
    """Measured colour; the usual one where it may look as measured in a room's light."""
    measured = quick_attributes(thing).get("color", "")
    if not measured:
        return usual_of(thing.label, "color")
    usual = _find_usual(thing.label, "color")
    likely = _LIKELY.get(measured, (lexicon.base_colour(measured),))
    if usual is not None and usual.value in likely:
        return Usual(usual.value, max(usual.share, _SEEN))
    return Usual(likely[0], _SEEN)


def _shape(thing: MapObject) -> Usual:
    length, width, _ = thing.yaw_box.size
    may_be_round = not _table().may_be_round.isdisjoint(_names(thing.label))
    if may_be_round and max(length, width) < _LONG * min(length, width):
        return Usual("round", _SEEN)
    return usual_of(thing.label, "shape")


def _size(thing: MapObject) -> Usual:
    limit_m = _named(_table().large_m, thing.label, 1.0)
    return Usual("large" if max(thing.yaw_box.size) > limit_m else "small", _SIZED)
