"""What kind of question a situated one is.

Rules are tried in turn on the sentence with its places marked; the last one reads everything.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from scenemind.reasoning.symbolic.situated.phrases import content_words, read_thing
from scenemind.reasoning.symbolic.situated.places import Places, side, spelled, without_marks
from scenemind.reasoning.symbolic.situated.tree import (
    AskClaim,
    AskClear,
    AskCount,
    AskDirection,
    AskExists,
    AskProperty,
    AskReach,
    AskRoom,
    AskSame,
    AskState,
    AskVisible,
    AskWhat,
    AskWhich,
    Comparison,
    Property,
    SituatedTree,
    Thing,
)
from scenemind.words.english import find_number

_PROPERTIES: tuple[tuple[str, Property], ...] = tuple(
    (rf"\b(?:what|which) (?:is |are |was )?(?:the )?(?:main |primary )?(?:{words})\b", which)
    for words, which in (
        ("colou?rs?", "color"), ("shapes?", "shape"), ("materials?", "material"), ("sizes?", "size"),
    )  # fmt: skip
) + (
    (r"\bshape as what\b", "shape"),
    (r"\bmade (?:up )?(?:out of|of|off|from)(?= *(?:@\d+ *)*$)", "material"),
)
_OF_PROPERTY = re.compile(r"\b(?:is|are|was|were|used to make|of|resemble|what)\b")
_OPENING = re.compile(
    r"^(?:what|which|who|is|are|was|were|do|does|did|can|could|will|would|am|the|there|how many)\b"
)
_YES_NO = re.compile(r"^(?:is|are|was|were|do|does|did|can|could|will|would|am|should|has|have)\b")
_DIRECTION = re.compile(
    r"\b(?:which|what|in which|in what) (?:direction|way|side)\b|\bwhich one way\b"
    r"|\bwhere (?:do|should|can|could|must|would|to|will|may|might|is|are|am|was|did)\b"
    r"|\bhow (?:do|should|can|must|would) i (?:need to |have to )?(?:turn|move|go|get|walk|face|look"
    r"|reach)\b"
    r"|\b(?:turn|go|look|walk|move|face|be) (?:to (?:the|my) )?(?:left or right|right or left)\b"
)
_STANDPOINT = re.compile(r"\b(?:at |from )?where (?:i am|@\d+)(?: \w+ing)?|\bfrom (?:my|the) (?:current )?"
                         r"(?:position|location|place|spot)")
_STAYING = re.compile(
    r"\bwithout (?:much )?(?:having to |needing to )?(?:moving|turning|altering|getting|walking|move"
    r"|movement|moment|standing|leaving|changing)\b.*|\bfrom (?:where i|my)\b.*"
)
_ASKING_WAY = re.compile(
    r"\b(?:in |to |towards? )?(?:which|what) (?:direction|way|side)s?\b|\bwhere\b|\bhow\b"
    r"|\bleft or right\b|\bright or left\b|\b(?:if|when) i\b"
    r"|\b(?:do|does|should|can|could|must|would|will|did|is|are|am|was) ?(?:i|we|you)?\b"
    r"|\b(?:need|have|want|wanted|wish|like|go|going|going to|turn|walk|move|travel|head|face|reach"
    r"|look|get|be|able|find|see|gotta|wanna|located|position|according)\b"
)
_COMPARED: tuple[tuple[str, Comparison], ...] = (
    (r"(?:much )?(?:closer|closest|nearer|nearest|near|close)(?: to ?me)?", "closest"),
    (r"(?:farther|farthest|further|furthest)(?: away)?(?: from me)?", "farthest"),
    (r"bigger|larger|biggest|largest|longer|wider", "largest"),
    (r"smaller|smallest|shorter", "smallest"),
    (r"taller|higher|tallest|highest", "tallest"),
)
_NO_OPTIONS = frozenset(("first", "another", "me", "it"))
_LEAD = re.compile(
    r"^(?:(?:what|which|who|is|are|was|were|am|do|does|did|can|could|would|will|should|there|their|"
    r"i|you|we|still|be|able|to|see|one|object|objects|thing|things|if|when|where|any|amount|of|"
    r"number|how|many|total|any|have|has|the|a|an|same|not|type|kind|sitting|standing|located|placed|just"
    r"|hanging|lying|object|mounted|stored|get|use|used) )+"
)


@dataclass(frozen=True, slots=True)
class Sentence:
    """A question in lower case; `marked` has its places as marks."""

    text: str
    main: str
    places: Places

    @property
    def marked(self) -> str:
        return self.places.text

    def thing(self, words: str) -> Thing:
        """What words with marks speak of, without the asking ones at their front."""
        return read_thing(_LEAD.sub("", f"{words.strip()} "), self.places)


def read_question(text: str) -> SituatedTree:
    """The tree of a question; there always is one."""
    plain = spelled(text)
    places = Places(plain)
    sentence = Sentence(plain, _main_clause(places.text), places)
    return next(tree for tree in (rule(sentence) for rule in _RULES) if tree is not None)


def _main_clause(marked: str) -> str:
    """The clause that asks: "if I turn around, what is there" -> "what is there"."""
    clauses = [clause.strip() for clause in marked.split(",")]
    if _OPENING.match(clauses[0]):
        return marked
    return next((clause for clause in clauses[1:] if _OPENING.match(clause)), marked)


def _same(s: Sentence) -> SituatedTree | None:
    found = re.search(r"\b(?:the )?same (color|shape|material)? ?(?:as|of|like|to)?", s.marked)
    if found is None or not _YES_NO.match(s.main):
        return None
    first, second = s.marked[: found.start()], s.marked[found.end() :]
    which = "color" if found.group(1) == "color" else "shape" if found.group(1) else "thing"
    return AskSame(s.thing(first), s.thing(second), which)  # type: ignore[arg-type]


def _parity(s: Sentence) -> SituatedTree | None:
    found = re.search(r"\b(?:an )?(odd or even|even or odd|odd|even)(?: amount| number)?\b", s.marked)
    if found is None or not re.search(r"\b(?:amount|number|odd or even|even or odd)\b", s.marked):
        return None
    counted = re.sub(r"\b(?:amount|number) of\b", " ", s.marked.replace(found.group(), " "))
    asked = found.group(1)
    thing = s.thing(counted)
    return AskCount(thing, "odd" if asked == "odd" else "even" if asked == "even" else "either")


def _divided(s: Sentence) -> SituatedTree | None:
    found = re.search(r"\b(?:be )?divided by (?:@\d+ )?(\w+)", s.marked)
    if found is None:
        return None
    counted = re.sub(r"\b(?:the )?(?:amount|number) of\b", " ", s.marked[: found.start()])
    return AskCount(s.thing(counted), divisor=find_number(found.group(1)) or 1)


def _count(s: Sentence) -> SituatedTree | None:
    found = re.search(r"\bhow (?:many|man|much)\b(?: of\b)?|\bnumber of\b|\bamount of\b", s.marked)
    if found is None or _YES_NO.match(s.main):
        return None
    counted = re.sub(r"^ *rows? of ", " ", s.marked[found.end() :])
    before = s.marked[: found.start()]
    thing = s.thing(counted)
    if not thing.places and s.places.of(before):
        thing = s.thing(f"{counted} {' '.join(re.findall(r'@[0-9]+', before))}")
    return AskCount(thing)


def _property(s: Sentence) -> SituatedTree | None:
    for pattern, which in _PROPERTIES:
        found = re.search(pattern, s.marked)
        if found is not None and not re.search(r"\bor\b|\bhow many\b", s.marked):
            rest = f"{s.marked[: found.start()]} {s.marked[found.end() :]}"
            return AskProperty(s.thing(_OF_PROPERTY.sub(" ", rest)), which)
    return None


def _which(s: Sentence) -> SituatedTree | None:
    for pattern, by in _COMPARED:
        found = re.search(rf"\b(?:{pattern})\b", s.marked)
        if found is None:
            continue
        rest = s.marked[found.end() :]
        between = re.search(r"\bbetween\b(.*)", s.marked)
        listed = between.group(1) if between else rest
        options = re.split(r"\band\b|\bor\b|,", listed) if between else re.split(r"\bor\b|,", rest)
        named = tuple(t for t in (s.thing(option) for option in options if option.strip()) if t.noun)
        if len(named) >= 2 and not _YES_NO.match(s.main):
            return AskWhich(named[-2:], by)
    return None


def _state(s: Sentence) -> SituatedTree | None:
    found = re.search(r"(?P<first>@\d+|[\w-]+)(?: *, *(?P<more>[\w-]+) *,?)? *,? or (?:(?:on|in|at|"
                      r"is it|a|an|the|my) )*(?P<last>@\d+|[\w-]+)", s.marked)  # fmt: skip
    if found is None or re.search(r"\btrue or\b", s.marked) or s.main.startswith("where"):
        return None
    said = found.group("first", "more", "last")
    options = tuple(s.places.side_of(word) for word in said if word and word not in _NO_OPTIONS)
    if len(options) < 2:
        return None
    of = s.marked[: found.start()] + " " + s.marked[found.end() :]
    return AskState(s.thing(re.sub(r"\bshape of\b", " ", of)), options)


def _direction(s: Sentence) -> SituatedTree | None:
    asked = _STANDPOINT.sub(" ", s.marked)
    if _DIRECTION.search(asked) is None:
        return None
    goal = _ASKING_WAY.sub(" ", asked)
    thing = s.thing(" ".join(goal.split()))
    if s.places.of(goal) and re.search(r"\bwhere (?:can|could|do|should) (?:i|we) (?!turn|go|walk|move"
                                       r"|look|find)", asked):  # fmt: skip
        # The side is told already.
        return AskWhat(Thing("", (), s.places.of(goal), (), content_words(goal), thing.extreme))
    return AskDirection(Thing(thing.noun, thing.adjectives, s.places.of(goal), (),
                              content_words(goal), thing.extreme))  # fmt: skip


def _room(s: Sentence) -> SituatedTree | None:
    found = re.search(r"\b(?:am )?i? ?(?:@\d+|in) (?:a|an|the) ((?:\w+ ?){1,3})(?:of|$)", s.marked)
    if re.search(r"\bwhat (?:(?:type|kind) of )?room am i\b", s.text):
        return AskRoom("")
    if found is None or not re.match(r"^(?:am|i) ", s.text):
        return None
    return AskRoom(found.group(1).strip())


def _visible(s: Sentence) -> SituatedTree | None:
    found = re.match(r"^(?:can|could|would|will|am|do|does) (?:i|you|we)(?: be able to| able to)? "
                     r"(?:still )?(see|reach|touch|grab|face)\b", s.text)  # fmt: skip
    if found is None or re.search(r"\b(?:out of|through|myself|my image)\b", s.text):
        return None
    turned = bool(re.search(r"\bturn|\bbackwards?\b", s.text)) and "without" not in s.text
    words = re.sub(r"^.*?\b(?:see|reach|touch|grab|face)\b", " ", s.text, count=1)
    words = re.split(r"\b(?:if|when|where|at where|from|without|at the moment)\b", words)[0]
    places = Places(words)
    thing = Sentence(words, words, places).thing(places.text)
    if found.group(1) in ("see", "face"):
        return AskVisible(thing, turned)
    return AskReach(Thing("", (), thing.places, (), content_words(words)))


def _clear(s: Sentence) -> SituatedTree | None:
    if not re.match(r"^(?:can|could|is it possible|would|am i able)\b", s.text):
        return None
    if not re.search(r"\b(?:walk|move|go|step)(?: any| much)?(?: further| farther)? ", s.text + " "):
        return None
    found = re.search(r"\b(?:forwards?|ahead|straight|backwards?)\b", s.text)
    words = re.search(r"\b(?:to|into|see|reach|touch|without|if)\b", s.text)
    if found is None or (words is not None and not s.text.startswith("is it")):
        return None
    return AskClear(side("back" if found.group().startswith("back") else "front"))


def _reach(s: Sentence) -> SituatedTree | None:
    if not re.match(r"^(?:can|could|would|will|am|is) ", s.text) or not _STAYING.search(s.text):
        return None
    rest = _STAYING.sub(" ", _STANDPOINT.sub(" ", s.marked))
    return AskReach(Thing("", (), s.places.of(rest), (), content_words(rest)))


def _exists(s: Sentence) -> SituatedTree | None:
    if not _YES_NO.match(s.main) and re.search(r"\b(?:wh\w+|how|or)\b", s.marked):
        return None
    is_there = bool(re.match(r"^(?:is|are|was|were|i|will) (?:there|their)\b", s.main))
    thing = s.thing(s.main)
    plain = bool(thing.noun) and not thing.hints and not thing.adjectives
    if is_there or not _YES_NO.match(s.main) or (plain and (thing.places or thing.links)):
        return AskExists(thing, is_there)
    return AskClaim(thing)


def _claim(s: Sentence) -> SituatedTree | None:
    if not re.search(r"\btrue or (?:false|flase)\b", s.marked):
        return None
    return AskClaim(s.thing(re.sub(r"\btrue or \w+\b", " ", s.marked)))


def _what(s: Sentence) -> SituatedTree:
    thing = s.thing(s.main)
    named = [thing.noun, *(anchor.noun for link in thing.links for anchor in link.anchors)]
    spoken = tuple(w for w in content_words(s.marked) if w not in " ".join(named).split())
    if not thing.places:
        thing = Thing(thing.noun, thing.adjectives, s.places.of(without_links(s, thing)),
                      thing.links, spoken, thing.extreme)  # fmt: skip
    return AskWhat(Thing(thing.noun, thing.adjectives, thing.places, thing.links, spoken,
                         thing.extreme))  # fmt: skip


def without_links(s: Sentence, thing: Thing) -> str:
    """The marks that no relation has taken."""
    return "" if thing.links else without_marks("") or s.marked


_RULES: tuple[Callable[[Sentence], SituatedTree | None], ...] = (
    _parity,
    _divided,
    _same,
    _claim,
    _room,
    _property,
    _count,
    _direction,
    _which,
    _visible,
    _clear,
    _reach,
    _state,
    _exists,
    _what,
)
