"""Which things a clause gives a name: "object 3 is really a stool", "call the couch a bench".

Every word of the clause has a part in that: the things, the name as a whole noun phrase, and the
shapes of sentences in `speech_acts.yaml` (`naming`), which are made of small words only. So neither
"object 3 is a stool cover" nor "object 3 is too small for a stool" or "what Tom uses as a stool"
names anything a stool.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from string import digits

from scenemind.language.assertions import Clause
from scenemind.language.english import word_set
from scenemind.language.qualities import find_look
from scenemind.language.speech_acts import any_of

Span = tuple[int, int]
"""The number of its first word, and of the word after it."""

_ONE = word_set("one ones")
_BEFORE = {
    "NAME": word_set("a an some the my our your his her their"),
    "ONE": word_set("a an the"),
    "PLACE": word_set("a an the this that these those my our your his her their object number"),
}
_BEFORE["THING"] = _BEFORE["PLACE"] | word_set("objects numbers marked")
_MOST_QUALITIES = 4  # words before a name that are no part of it
_NAMING = re.compile(any_of("naming"))
_THING = re.compile(r"\bTHING(\d+)")
_SEEN_AS = re.compile(rf"THING\d+ (?={any_of('seen')}(?: as)? THING)")  # "what you call a couch"
_NO_SUBJECT = re.compile(r" from .*| NAME ,.*")  # "from chair to stool", "a stool, a blue one"
# "Not a chair but", whose words are marked as denied.
_DENIED_BEFORE = re.compile(rf"(?:~\S+ )+{any_of('affirming')} ")
_DENIED_AFTER = re.compile(rf" (?:~?(?:,|and|but) )?{any_of('denied_after_name')}$")


def things_named(
    clause: Clause, name: Span, things: Sequence[Span], places: Sequence[Span]
) -> frozenset[int] | None:
    """Numbers of the things that a clause gives a name; none of them: it speaks of what was spoken
    of last ("it is a stool"). None where it does not give them the name.

    Args:
        name: the words of the name.
        things: the words of what may be named.
        places: the words of what only tells where something is.
    """
    said = _SEEN_AS.sub("", _outline(clause, name, things, places))
    if _NAMING.fullmatch(said) is None:
        return None
    return frozenset(int(number) for number in _THING.findall(_NO_SUBJECT.sub("", said)))


def _outline(clause: Clause, name: Span, things: Sequence[Span], places: Sequence[Span]) -> str:
    """The clause with its things, places and the name as one word each, without what is denied."""
    words = clause.words
    ones = [(at, at + 1) for at, word in enumerate(words) if word in _ONE and at > name[1]]
    spans = {f"PLACE{n}": span for n, span in enumerate(places)}
    spans |= {f"THING{n}": span for n, span in enumerate(things)}
    spans |= dict.fromkeys(("ONE",), ones[0]) if ones else {}
    spans["NAME"] = name
    marks = {_start(words, first): (end, mark) for mark, (first, end) in spans.items()}
    said: list[str] = []
    at = 0
    while at < len(words):
        end, word = marks.get(at, (at + 1, words[at]))
        before = _BEFORE.get(word.rstrip(digits), ())
        while said and said[-1].removeprefix("~") in before:
            said.pop()
        said.append("~" + word if clause.denied[at] else word)
        at = max(end, at + 1)
    outline = _DENIED_BEFORE.sub("", " ".join(said))
    return _DENIED_AFTER.sub("", outline)


def _start(words: Sequence[str], first: int) -> int:
    """The first word of a noun with the qualities before it: "wooden" of "a wooden stool"."""
    for start in range(max(0, first - _MOST_QUALITIES), first):
        at = start
        while at < first and (found := find_look(words, at)):
            at = found[1]
        if at == first:
            return start
    return first
