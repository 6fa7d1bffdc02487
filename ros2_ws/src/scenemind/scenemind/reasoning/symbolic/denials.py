"""What is denied before or after it is said what is so, within a clause; and words for the ear."""

from __future__ import annotations

from scenemind.reasoning.errors import ReasoningError
from scenemind.reasoning.symbolic.parser import Parser
from scenemind.words.english import find_number

_SO = ("it is", "this is", "that is", "they are", "these are", "those are")
_TRULY = (
    "actually", "really", "in fact", "in truth", "in reality", "truly", "definitely", "clearly",
    "of course", "now", "simply", "certainly", "obviously", "indeed", "just", "only", "rather",
    "probably meant to be", "more like", "nothing but", "in actual fact", "also", "still", "all",
    "basically", "literally", "honestly", "plainly", "to be honest", "to be exact",
)  # fmt: skip
_CONTRASTS = (
    "not", "instead of", "rather than", "than", "as opposed to", "unlike", "definitely not",
    "certainly not", "never", "and not", "but not", "no",
)  # fmt: skip


def skip_truly(p: Parser) -> None:
    """ "actually", which changes nothing."""
    while p.take(*_TRULY):
        pass


def skip_denial(p: Parser) -> None:
    """ "not a microwave, it is" and "not red but", where what is so follows; else no move."""
    start = p.at
    if not p.take("not") or not _skip_said(p):
        p.at = start
        return
    comma, but = p.take(",", ":", ";"), p.take("but")
    if not (p.take(*_SO) or but or comma) or p.done:
        p.at = start
        return
    skip_truly(p)


def skip_contrast(p: Parser) -> None:
    """ ", not a microwave", "rather than red", ", not two": said for the ear."""
    start = p.at
    p.take(",")
    p.take("and")
    if not p.take(*_CONTRASTS):
        p.at = start
        return
    p.take("made of", "made from", "made out of", "of", "from", "in")
    if not _skip_said(p):
        p.at = start


def _skip_said(p: Parser) -> bool:
    """Over a colour, a quality, a number or a thing."""
    if p.find_attribute() or p.find_quality():
        return True
    if find_number(p.peek()) is not None and p.peek(1) in ("", ",", "but"):
        p.at += 1
        return True
    try:
        p.reference()
    except ReasoningError:
        return False
    return True
