"""Kinds of situated questions: from the words of a sentence to its tree.

Rules are tried in turn on the sentence with its places marked; the last one reads everything. What
they look for is in `questions.yaml`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Literal

from scenemind.language import trees
from scenemind.language.english import find_number, read_table
from scenemind.language.situated.sentences import (
    SIDES,
    Sentence,
    attribute_of,
    content_words,
    read_open_relation,
)
from scenemind.language.trees import NounPhrase, Related, SituatedQuestion, Viewer

_TABLE = read_table("scenemind.language.situated", "questions.yaml")
_IS = {name: re.compile(text) for name, text in _TABLE.items() if isinstance(text, str)}
_OPEN_ENDS = [re.compile(pattern) for pattern in _TABLE["open_end"]]
_MARK = re.compile(r"@\d+")
_NO_OPTIONS = frozenset(("first", "another", "me", "it"))
_WAYS = {**SIDES, "ahead": "in front of", "forward": "in front of", "backward": "behind"}
_Asked = SituatedQuestion | None
_Rule = Callable[[Sentence, re.Match[str]], _Asked]
_RULES: dict[str, _Rule] = {}


def read_question(text: str) -> SituatedQuestion:
    """Tree of a question; every text has one."""
    sentence = Sentence.read(text)
    readings = (read(sentence) for read in _FRAMES)
    return next((tree for tree in readings if tree is not None), _identify(sentence))


def _frame(entry: Mapping[str, Any]) -> Callable[[Sentence], _Asked]:
    """Reader of an entry of `questions.yaml`; None for sentences of another shape."""
    defaults = {"needs": "", "unless": "(?!)", **entry}
    find, needs, unless = (re.compile(defaults[name]) for name in ("find", "needs", "unless"))
    rule = partial(_compare, entry["rank"]) if "rank" in entry else _RULES[entry["rule"]]

    def read(s: Sentence) -> _Asked:
        text = s.text if entry.get("in") == "text" else s.marked
        found = find.search(text)
        if found is None or entry.get("yes_no", s.is_yes_no) != s.is_yes_no:
            return None
        return rule(s, found) if needs.search(text) and not unless.search(text) else None

    return read


def _rule(read: _Rule) -> _Rule:
    _RULES[read.__name__.removeprefix("_")] = read
    return read


@_rule
def _parity(s: Sentence, found: re.Match[str]) -> _Asked:
    """Read "is the number of chairs odd or even"."""
    phrase = s.phrase(_IS["amount_of"].sub(" ", s.marked.replace(found.group(), " ")))
    asked: Literal["odd", "even", "either"] = "either"
    if found.group(1) in ("odd", "even"):
        asked = "odd" if found.group(1) == "odd" else "even"
    return trees.Count(phrase, asked)


@_rule
def _divided(s: Sentence, found: re.Match[str]) -> _Asked:
    """Read "can the number of chairs be divided by three"."""
    phrase = s.phrase(_IS["amount_of"].sub(" ", s.marked[: found.start()]))
    return trees.Count(phrase, divisor=find_number(found.group(1)) or 1)


@_rule
def _count(s: Sentence, found: re.Match[str]) -> _Asked:
    """Read "how many chairs are there"."""
    before, counted = s.marked[: found.start()], s.marked[found.end() :]
    phrase = s.phrase(counted)
    if not trees.relations_to_viewer(phrase) and s.places.of(before):
        phrase = s.phrase(f"{counted} {' '.join(_MARK.findall(before))}")
    return trees.Count(phrase)


@_rule
def _same(s: Sentence, found: re.Match[str]) -> _Asked:
    """Read "is the chair the same color as the table"."""
    subjects = s.phrase(s.marked[: found.start()]), s.phrase(s.marked[found.end() :])
    return trees.Same(subjects, _key(found.group(1)) or "kind")


def _compare(name: trees.Superlative, s: Sentence, found: re.Match[str]) -> _Asked:
    """Read "what is nearer to me, the box or the counter"; "... between the box and the
    counter"."""
    after = s.marked[found.end() :]
    between = _IS["between"].search(s.marked)
    options = _IS["and_or"].split(between.group(1)) if between else _IS["or"].split(after)
    named = [phrase for option in options if (phrase := s.phrase(option)).noun]
    if len(named) < 2:
        return None
    to = _IS["compared_to"].match(after)
    anchor = s.phrase(to["anchor"]) if to else None
    return trees.Compare(tuple(named[-2:]), trees.Rank(name, anchor=anchor))


@_rule
def _choose(s: Sentence, found: re.Match[str]) -> _Asked:
    """Read "is the door open or closed", "is the table on my left or behind me"."""
    before, comma, offered = s.marked.rpartition(" , ")
    named = [phrase for part in _IS["or"].split(offered) if (phrase := s.phrase(part)).noun]
    nouns = [phrase.noun for phrase in named if phrase.noun not in _WAYS]
    if comma and not s.is_yes_no and len(nouns) == 2:
        # "Which is brighter, the kitchen or the room I am in"
        return trees.Choose(s.phrase(before), tuple(map(trees.Described, nouns)))
    said = found.group("first", "more", "last")
    options = tuple(_option(word, s) for word in said if word and word not in _NO_OPTIONS)
    of = _IS["shape_of"].sub(" ", s.without(found))
    return trees.Choose(s.phrase(of), options) if len(options) > 1 else None


def _option(word: str, s: Sentence) -> trees.Condition:
    """The condition that an offered word means; a word that is no attribute may be a noun."""
    if word.startswith("@"):
        return s.places.of(word)[0]
    if word in _WAYS:
        return Related(_WAYS[word], (Viewer(),))
    return attribute_of(word) or trees.Described(word)


@_rule
def _room(s: Sentence, found: re.Match[str]) -> _Asked:
    """Read "am I in the kitchen", "what room am I in"."""
    del s
    return trees.AskRoom(found.groupdict().get("room") or "")


@_rule
def _exists(s: Sentence, found: re.Match[str]) -> _Asked:
    """Read "is there a clock on the wall", "is the door behind me", "is the door open"."""
    del found
    phrase = s.phrase(s.main)
    return trees.Exists(phrase) if _IS["is_there"].match(s.main) else _claimed(phrase)


@_rule
def _claim(s: Sentence, found: re.Match[str]) -> _Asked:
    """Read "the door is open; true or false"."""
    return _claimed(s.phrase(s.without(found)))


def _claimed(phrase: NounPhrase) -> SituatedQuestion:
    """A claim about a thing: an attribute, else words that are none, else its place."""
    said = [c for c in phrase.conditions if isinstance(c, trees.HasAttribute)]
    if said:
        claimed: trees.Condition = said[-1]
    elif phrase.unread:
        claimed = trees.HasAttribute("state", " ".join(phrase.unread))
    elif phrase.conditions:
        claimed = phrase.conditions[-1]
    else:
        return trees.Exists(phrase)
    others = tuple(c for c in phrase.conditions if c is not claimed)
    return trees.Verify(replace(phrase, conditions=others, unread=()), claimed)


@_rule
def _where(s: Sentence, found: re.Match[str]) -> _Asked:
    """Read "where is the door"."""
    phrase = s.phrase(_IS["standpoint"].sub(" ", s.without(found)))
    return trees.Where(phrase) if phrase.noun else None


@_rule
def _direction(s: Sentence, found: re.Match[str]) -> _Asked:
    """Read "which way should I turn to open the window"."""
    del found
    asked = _IS["standpoint"].sub(" ", s.marked)
    clauses = asked.split(" , ")
    told = [c for c in clauses if not _IS["background"].match(c)] or clauses
    goal = s.goal(_IS["asking"].sub(" ", " , ".join(told)))
    if goal.conditions and _IS["doing_there"].search(asked):
        return trees.Identify(goal)  # "Where can I sit on my left?": the side is given.
    return trees.AskDirection(goal) if _IS["going"].search(asked) else trees.Where(goal)


@_rule
def _visible(s: Sentence, found: re.Match[str]) -> _Asked:
    """Read "can I see the sink if I turn around", "can I reach it", "is the sink visible"."""
    part = Sentence.read(_IS["circumstance"].split(found["rest"])[0])
    if found.groupdict().get("verb", "see") in ("see", "face"):
        turned = _IS["turned"].search(s.text) is not None and "without" not in s.text
        return trees.Verify(part.phrase(part.marked), Related("in view of", (Viewer(turned),)))
    return trees.Verify(part.goal(part.marked), Related("within reach", (Viewer(),)))


@_rule
def _clear(s: Sentence, found: re.Match[str]) -> _Asked:
    """Read "can I still walk forward"."""
    del s
    way = "behind" if found["way"].startswith("back") else "in front of"
    return trees.IsWayClear(Related(way, (Viewer(),)))


@_rule
def _reach(s: Sentence, found: re.Match[str]) -> _Asked:
    """Read "can I water the plant without moving"."""
    rest = found.re.sub(" ", _IS["standpoint"].sub(" ", s.marked))
    return trees.Verify(s.goal(rest), Related("within reach", (Viewer(),)))


@_rule
def _attribute(s: Sentence, found: re.Match[str]) -> _Asked:
    """Read "what color is the door"."""
    phrase = s.phrase(_IS["of_attribute"].sub(" ", s.without(found)))
    return trees.AskAttribute(phrase, _key(found["key"]) or "material")


def _key(word: str | None) -> trees.Attribute | None:
    match word:
        case "color" | "shape" | "material" | "size":
            return word
        case _:
            return None


def _identify(s: Sentence) -> SituatedQuestion:
    """Read any sentence: words that name nothing are unread, also before the main clause."""
    for pattern in _OPEN_ENDS:
        found = pattern.match(s.main)
        if found is not None:
            words = " ".join((found["rest"], found.groupdict().get("how") or ""))
            asked = read_open_relation(words, s.places)
            if asked is not None:
                return trees.Identify(NounPhrase("", conditions=(asked,)))
    phrase = s.phrase(s.main)
    related = [c for c in phrase.conditions if isinstance(c, Related)]
    named = {word for part in trees.noun_phrases(phrase) for word in part.noun.split()}
    named |= {c.value for part in trees.noun_phrases(phrase) if part is not phrase
              for c in part.conditions if isinstance(c, trees.HasAttribute)}  # fmt: skip
    unread = tuple(word for word in content_words(s.marked) if word not in named)
    if not related:
        phrase = replace(phrase, conditions=(*phrase.conditions, *s.places.of(s.marked)))
    return trees.Identify(replace(phrase, unread=unread))


_FRAMES = [_frame(entry) for entry in _TABLE["frames"]]
