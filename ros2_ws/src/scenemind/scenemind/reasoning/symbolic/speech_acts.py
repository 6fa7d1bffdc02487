"""What people say around a correction without changing it: "no, you got this wrong: ...".

By classes of words (`speech_acts.yaml`) and how they combine, not by sentences: an interjection, a
remark on the sentence, who says it and how sure they are, a request, an objection. What is not
surely of one of these classes stays, so that the sentence is not understood ("I doubt that this is
a stool").
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from scenemind.reasoning.symbolic.tokens import Token
from scenemind.words.tables import read_table

_WORDS = {
    name: f"(?:{'|'.join(options)})"
    for name, options in read_table("scenemind.reasoning.symbolic", "speech_acts.yaml").items()
}
_THAT, _FALSE, _BEGINS = (_WORDS[name] for name in ("that", "untrue", "begins"))
_SURELY = f"(?: {_WORDS['surely']})*"
_HERE = "(?: here| there)?"
_ABOUT = f"(?: (?:about|with|on|in|of) (?:{_THAT}|your (?:map|memory|list|labels?)))?{_HERE}"
_ANSWER = f"(?:{_THAT}|(?:this|that|the|your) (?:answer|label|name|map)|something)"
_BE = "(?:(?:is|has|have) (?:been|being)|is|was|are|were|seems|seem|looks|sounds|must be|has to be)"
_MISTOOK = "mis(?:took|recogni[sz]ed|labell?ed|identified|named|read|judged|perceived|classified)"
_OBJECTION = "|".join(
    (
        f"{_ANSWER} {_BE}{_SURELY} {_FALSE}{_ABOUT}",
        f"you (?:are|were|have|must be|have been|seem|got|have got|get){_SURELY} {_FALSE}{_ABOUT}",
        f"you (?:have )?{_WORDS['got']} {_THAT}{_SURELY} {_FALSE}{_HERE}",
        f"you (?:(?:have|must have|may have) )?{_MISTOOK} {_THAT}{_HERE}",
        f"you (?:have )?(?:made|make|are making) {_FALSE}{_ABOUT}",
        f"there (?:is|was) (?:something wrong|{_FALSE}){_ABOUT}",
        f"i (?:disagree|beg to differ|do not (?:agree|think so|believe so)){_ABOUT}",
        r"i (?:(?:do|can) )?(?:see|understand|get) (?:why|how) you(?: \w+){1,9}(?= ,)",
        "wrong (?:name|label|colou?r|material|shape|word|answer|count|number|object|one|thing)",
        f"(?:fix|correct|change|update|check|relabel|rename)"
        f" (?:{_THAT}|(?:your|the) (?:map|label|name|records?))",
        "you are (?:seeing|imagining) (?:double|things)|(?:try|look|think) again|close enough",
    )
)
_PERSON_SAYS = (
    f"(?:i|we)(?: {_WORDS['stress']})* {_WORDS['say']}"
    f"(?: you(?= (?:that|{_BEGINS}) ))?(?: already)?"
    f"|(?:(?:can|could|would|will) you )?(?:please )?{_WORDS['know']}"
)
# "It is not true that ..." denies what follows, and stays.
_OBJECTS = rf"(?:{_OBJECTION})(?= ,|$| (?!that ){_BEGINS}(?: |$))"
_FRONT = re.compile(
    rf"(?:(?:{_OBJECTS}|(?:{_WORDS['alone']}|{_WORDS['before_comma']}(?= ,)"
    rf"|no(?= (?:{_BEGINS}|,)(?: |$)|$)|{_WORDS['remark']}(?: is)?|{_PERSON_SAYS}"
    rf"|{_WORDS['ordered']})(?: that(?= {_BEGINS} (?!,)))?)(?: |$)|, |,$)"
)
_BACK = re.compile(f"(?: |^){_WORDS['closing']}$")
_TAG = re.compile(f"(?:, )?{_WORDS['tag']}$")
_ASKS_TO_DO = re.compile("(?:can|could|would|will) you ")


def without_speech_acts(tokens: list[Token]) -> Iterator[list[Token]]:
    """What is left when all that changes nothing is taken away, then when less and less is: "no"
    belongs to what follows it in "no chair there". May be empty."""
    starts = _starts(tokens)
    end = _end(tokens)
    for start in reversed(starts):
        yield tokens[start : max(start, end)]
    if end < len(tokens):
        yield tokens


def is_doubtful(text: str, tokens: list[Token]) -> bool:
    """It ends in a question mark, and neither asks for something to be done nor for a mere yes."""
    said = _said(tokens)
    if not text.rstrip().rstrip("\"')").endswith("?") or _TAG.search(said):
        return False
    words = said.split()
    openings = (" ".join(words[start : start + 3]) for start in _starts(tokens))
    return not any(map(_ASKS_TO_DO.match, openings))


def _starts(tokens: list[Token]) -> list[int]:
    """Places up to which only such words stand, the first word's included."""
    said, starts = _said(tokens), [0]
    at = 0
    while at < len(said) and (found := _FRONT.match(said, at)):
        at = found.end()
        starts.append(len(said[:at].split()))
    return starts


def _end(tokens: list[Token]) -> int:
    said = _said(tokens)
    while said and (found := _BACK.search(said)):
        said = said[: found.start()]
    return len(said.split())


def _said(tokens: list[Token]) -> str:
    return " ".join(token.word for token in tokens)
