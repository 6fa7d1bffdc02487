"""Noun phrases about the one who asks, read as far as they can be.

"the brown table behind me that has chairs" is its nouns, adjectives and places; what is left over
("has chairs") is kept as hints. Nothing is refused: a sentence always gives a thing.
"""

from __future__ import annotations

import re
from dataclasses import replace

from scenemind.reasoning.symbolic import lexicon
from scenemind.reasoning.symbolic.situated.places import Places, without_marks
from scenemind.reasoning.symbolic.situated.tree import BUILDING, Comparison, Link, Thing
from scenemind.words.english import is_plural, word_set

_DETERMINERS = word_set(
    "the a an my this that these those any some all both another other their your its one of two"
    " three four five six seven eight several few many couple no more extra additional just"
    " directly only main immediately slightly very"
)
# "can" after these is a thing, and no verb.
_CANS = word_set("trash garbage soda tin watering litter waste rubbish spray beer paint")
# Words that say nothing of which thing is meant.
_STOP_WORDS = word_set(
    "the a an my this that these those any some all both another their your its of what which who"
    " is are was were be been am do does did has have had having can could will would should shall"
    " may might must need needs i me you we it they there here to in on at by for with from and or"
    " if when where how so as not no get got go see look looking find want wanted just right left"
    " behind front located placed positioned called named know used use using uses more most very"
    " object objects thing things item items something anything someone first closest nearest"
    " farthest furthest further away side sides direction room turn walk move take put way"
    " standing sitting one ones own piece kind type main out into up down able make around about"
    " other each too also still furniture many much number amount total run bump hit encounter sort"
    " top bottom above below over under between against across opposite next near along hanging"
    " hung mounted posted stuck leaning lying laying attached directly immediately slightly but"
    " o'clock clock corner middle while turning"
)
_ANYTHING = word_set(
    "object objects thing things item items something anything furniture what one ones piece stuff"
    " who which it"
)
_SHAPE_WORDS = word_set("round square rectangular circular oval octagon octagonal rectangle")
_ADJECTIVES = (
    frozenset(lexicon.COLOURS) | frozenset(lexicon.SIZES) | frozenset(lexicon.ADJECTIVES)
) | _SHAPE_WORDS
# The head of a phrase ends before one of these.
_ENDS = word_set(
    "that which who is are was were has have had with i and or can could do does did , to for from"
    " where when if you we will would should of ate so made used it not using while there"
    " stands lie lies sits hang hangs"
)
_HOUR_OF = r"(?:at|on|in|to) (?:the |its |my )?(?P<hour>\w+) o'clock (?:direction )?(?:of|from)"
_POSTURE = (
    r"(?:(?:sitting|standing|resting|hanging|hung|mounted|posted|placed|laying|lying|attached|stuck"
    r"|kept|stored|leaning|located|directly|right|immediately|that is|that are) )*"
)
_RELATIONS = (
    (_HOUR_OF, "clock"),
    (r"(?:to|on|at|towards) (?:the )?left(?: hand)?(?: side)? of", "left"),
    (r"(?:to|on|at|towards) (?:the )?right(?: hand)?(?: side)? of", "right"),
    (r"(?:left|left side) of", "left"),
    (r"(?:right|right side) of", "right"),
    (r"on (?:the )?top of|on top|over top of|atop", "on"),
    (r"in ?front of|in the front of", "front"),
    (r"(?:in )?between me and", "toward"),
    (r"in the middle of|in between|between", "between"),
    (r"(?:closest|nearest) to|across from|opposite(?: of| to)?|(?:near|close|next|adjacent) to|"
     r"beside|besides|by|near|against|at|along", "near"),
    (r"around|surrounding|surrounds?|surrounded(?! by)", "around"),
    (r"above|over", "above"),
    (r"underneath|under|beneath|below", "below"),
    (r"inside of|inside|in|within|into", "inside"),
    (r"on|onto|upon", "on"),
    (r"behind|in back of", "behind"),
)  # fmt: skip
_RELATION = re.compile(
    rf"(?<![\w@]){_POSTURE}(?:"
    + "|".join(f"(?P<r{n}>{pattern})" for n, (pattern, _) in enumerate(_RELATIONS))
    + r")(?= (?:the|a|an|my|it|this|that|these|each|both|your|which|of|\w+)\b)(?! me\b)"
)
_EXTREMES: tuple[tuple[str, Comparison], ...] = (
    (r"first|(?:closest|nearest)(?: to| from)?(?: me)?|run into|bump into|encounter|would i"
     r" hit|immediate", "closest"),
    (r"(?:farthest|furthest|far) away|farthest|furthest", "farthest"),
    (r"largest|biggest|bigger|larger", "largest"),
    (r"smallest|smaller|littlest", "smallest"),
    (r"tallest|highest|taller", "tallest"),
)  # fmt: skip
_EXTREME = tuple((re.compile(rf"\b(?:{pattern})\b"), name) for pattern, name in _EXTREMES)
_ROOM = re.compile(
    r"\b(?:in|of|inside|into|around|for) (?:the|this|my|that) (?:whole )?room\b(?: total)?"
)
_WORD = re.compile(r"[a-z][a-z'-]+")
# "on the table by the door that is ...": deeper nesting is left out of account.
_DEEPEST = 2


def read_thing(words: str, places: Places, with_links: bool = True) -> Thing:
    """The thing that marked words speak of; see `Places`.

    Args:
        with_links: read relations to other things too.
    """
    return _thing(words, places, _DEEPEST if with_links else 0)


def _thing(words: str, places: Places, depth: int) -> Thing:
    """With as many relations nested in each other."""
    words, extreme = _without_extreme(_ROOM.sub(" ", words))
    found = _RELATION.search(words)
    if found is None:
        return _head(words, places, extreme)
    if not depth:
        return _head(words[: found.start()], places, extreme)
    link, further = _link(found, words[found.end() :], places, depth - 1)
    if link is None:
        return _head(words, places, extreme)
    head = _head(words[: found.start()], places, extreme)
    return replace(
        head,
        places=head.places + further.places,
        links=(link,),
        hints=head.hints + further.hints,
    )


def content_words(words: str) -> tuple[str, ...]:
    """Those of the words that mean something, without marks."""
    found = _WORD.findall(without_marks(words))
    return tuple(word for word in found if word not in _STOP_WORDS)


def _link(
    found: re.Match[str], after: str, places: Places, depth: int
) -> tuple[Link | None, Thing]:
    """The relation, and what of its words belongs to the head after all."""
    which = next(n for n in range(len(_RELATIONS)) if found.group(f"r{n}"))
    relation = _RELATIONS[which][1]
    if relation == "clock":
        relation = f"{found.group('hour')} o'clock"
    if relation == "between":
        first, _, second = after.partition(" and ")
        ends = tuple(_thing(part, places, depth) for part in (first, second) if part)
        return (Link(relation, ends) if len(ends) == 2 else None), Thing()
    anchor = _thing(after, places, depth)
    if not anchor.noun:
        return None, Thing()
    if anchor.noun in BUILDING:
        # Parts of the building stand in many pieces: the thing itself lies where they do.
        return Link(relation, (Thing(anchor.noun),)), replace(anchor, noun="")
    return Link(relation, (replace(anchor, hints=()),)), Thing(hints=anchor.hints)


def _head(words: str, places: Places, extreme: Comparison | None) -> Thing:
    tokens = words.replace(",", " , ").split()
    adjectives: list[str] = []
    noun: list[str] = []
    rest: list[str] = []
    for at, word in enumerate(tokens):
        if word.startswith("@"):
            continue
        is_can = word == "can" and bool(noun) and noun[-1] in _CANS
        if rest or (noun and not is_can and (word in _ENDS or _marked_before(tokens, at))):
            rest.append(word)
        elif word == "stand" and noun and is_plural(noun[-1]):
            rest.append(word)  # "chairs stand there"; "a tv stand" is a thing.
        elif word in _ADJECTIVES and not noun:
            adjectives.append(word)
        elif is_can or word not in _DETERMINERS | _ENDS:
            noun.append(word)
    adjectives += [word for word in rest if word in _ADJECTIVES]
    if all(word in _ANYTHING for word in noun):
        noun = []
    hints = content_words(" ".join(rest))
    return Thing(" ".join(noun), tuple(adjectives), places.of(words), (), hints, extreme)


def _marked_before(tokens: list[str], at: int) -> bool:
    return at > 0 and tokens[at - 1].startswith("@")


def _without_extreme(words: str) -> tuple[str, Comparison | None]:
    for pattern, name in _EXTREME:
        without, count = pattern.subn(" ", words)
        if count:
            return " ".join(without.split()), name
    return words, None
