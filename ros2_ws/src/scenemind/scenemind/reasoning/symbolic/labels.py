"""A person's new word for a thing."""

from __future__ import annotations

from scenemind.reasoning.symbolic import lexicon
from scenemind.reasoning.symbolic.parser import Parser
from scenemind.words.english import singular, word_set

_MAX_LABEL_WORDS = 5
# What "this is a ..." says of the talk, of time or of feelings, and of no thing in a room.
_NO_THINGS = word_set(
    "bit lot joke mess shame pity relief surprise problem question idea point test mistake error"
    " lie disaster start end way reason story matter fact truth rumor rumour secret trick game"
    " deal bargain day night morning evening week month year time hour minute moment pleasure"
    " honor honour disgrace must pain nuisance success failure fail win wonder miracle dream"
    " nightmare thought guess opinion answer reply sentence word name label color colour shade"
    " material shape kind sort type waste risk threat danger challenge chance change difference"
    " improvement good bad nice great fine wrong right true false same one thing object item stuff"
    " something anything nothing everything habit favour favor compliment insult promise plan"
    " compromise coincidence beauty classic keeper winner loser champion hero legend friend robot"
    " room house home place world life no yes ok okay hello thanks sorry please maybe perhaps"
    " probably certainly well really seriously here there now then too again instead total half"
    " third quarter hazard inconvenience kitchen bedroom bathroom office hallway corridor garage"
    " garden cool amazing awesome ridiculous lovely terrible awful perfect"
    " excellent interesting strange weird funny silly stupid crazy kidding absurd beautiful ugly"
    " cute impossible enough much more most less better worse best worst important everyone"
    " everybody nobody none neither who whoever weather wait stop second careful"
)
# With these before it, a name tells of no certain thing.
_NO_NAMES = word_set(
    "bit lot same little similar different other more such another no maybe perhaps like as if"
    " not says say said thinks think believes claims told tells heard guess wonder imagine pretend"
    " suppose assume nothing nobody none neither everything yesterday tomorrow today that this it"
    " these those they he she we i you whether although while until unless almost nearly"
)
_ADVERBS = word_set(
    "actually really basically honestly clearly obviously definitely certainly probably possibly"
    " simply seriously literally truly indeed just only rather quite very too also again"
)
# What a robot is told to do, where a bare word might be a name: "no, go back".
_ORDERS = word_set(
    "go come stop wait try look listen get give bring take put find help leave move turn open"
    " close start play tell show do make let see keep stay hold be have drive follow return walk"
    " run hurry think check ask answer continue cancel quit pause resume repeat clean pick drop"
    " push pull read speak say shut calm relax work use fix correct undo redo delete remove forget"
    " never always please why how what where"
)
_KIND_OF = ("some kind of", "a kind of", "a sort of", "some sort of", "a type of", "kind of")


def label_of(p: Parser) -> str:
    """Up to five words, the last in the singular.

    Raises:
        ReasoningError: none, too many, signs that belong in no label, or what is called no thing.
    """
    p.take(*_KIND_OF)
    words: list[str] = []
    while p.peek() and not _ends_label(p):
        if len(words) >= _MAX_LABEL_WORDS or not p.peek()[0].isalnum():
            raise p.fail()
        words.append(p.peek())
        p.at += 1
    if not words or is_no_thing(words):
        raise p.fail()
    return " ".join((*words[:-1], singular(words[-1])))


def may_be_alone(label: str) -> bool:
    """It may be a name even where nothing else is said; "go back" is none."""
    first = label.split()[0]
    return first not in _ORDERS and not first.endswith("ly")


def is_no_thing(words: list[str]) -> bool:
    """ "(a) joke", "(a) bit strange", "(a) dark grey"."""
    last = words[-1]
    is_like_this = last in lexicon.COLOURS.keys() - {"orange", "tan", "cream", "olive", "navy"}
    is_like_this |= last in lexicon.ADJECTIVES
    return last in _NO_THINGS or is_like_this or not (_NO_NAMES | _ADVERBS).isdisjoint(words)


def _ends_label(p: Parser) -> bool:
    """A trash can is one."""
    is_noun = p.peek() == "can" and p.peek(1) in ("", ",", "and", "not")
    return p.peek() in lexicon.NOUN_END | {",", "instead"} and not is_noun
