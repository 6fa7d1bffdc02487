"""Corrections of what is several things that were taken for one."""

from __future__ import annotations

from scenemind.reasoning.symbolic import lexicon
from scenemind.reasoning.symbolic.command_subjects import another, is_said_so, subject_of
from scenemind.reasoning.symbolic.command_syntax import Command, Several, Split
from scenemind.reasoning.symbolic.denials import skip_contrast, skip_denial, skip_truly
from scenemind.reasoning.symbolic.parser import Parser
from scenemind.reasoning.symbolic.syntax import Marked, Reference
from scenemind.words.english import find_number, is_plural, plural

_MOST_PARTS = 4
_IN_PARTS = {
    f"{into} {count}{things}": number
    for number, counts in ((2, "two 2 half halves"), (3, "three 3"), (4, "four 4"))
    for count in counts.split()
    for into in ("in", "into")
    for things in ("", " parts", " pieces", " things", " objects", " separate ones")
}  # fmt: skip
_PIECES = lexicon.ANYTHING | {"pieces", "parts", "them", "halves"}
_SPLIT = ("split", "divide", "separate", "break", "cut", "part", "take apart", "pull apart")
_CONSISTS = (
    "consists of", "is made up of", "is composed of", "contains", "covers", "includes",
    "combines", "consist of", "is made of", "shows", "holds", "represents", "is a combination of",
    "has", "is a mix of", "is a merge of",
)  # fmt: skip
_THERE_ARE = ("there are", "here are", "i see", "we see", "there should be", "we have", "i count")
_HERE = ("here", "there", "in there", "in here", "in it", "in this", "in that", "on this spot")
_MERGED = (
    "merged", "lumped", "joined", "combined", "mixed", "fused", "clumped", "counted", "treated",
    "put", "taken", "took", "glued", "grouped", "have", "see", "saw", "mixed up", "run",
)  # fmt: skip
_AS_ONE = (
    "together", "into one", "as one", "as a single", "into a single", "for one", "in one",
    "together into one", "together as one", "up", "into",
)  # fmt: skip
_SEPARATE = (
    "different", "separate", "distinct", "individual", "single", "adjacent", "neighbouring",
)  # fmt: skip
_BESIDE = tuple(
    f"{standing}{beside}"
    for standing in ("standing ", "sitting ", "placed ", "right ", "that stand ", "")
    for beside in (
        "side by side", "next to each other", "beside each other", "close together", "together",
        "next to one another", "right next to each other", "close to each other", "touching",
    )
)  # fmt: skip


def split(p: Parser) -> Command | None:
    """ "split object 3 in two", "separate these into two chairs", "split this up"."""
    if not p.take(*_SPLIT):
        return None
    ending = p.cut_ending(*_IN_PARTS)
    if ending:
        p.cut_ending("up", "apart")
        return Split(_one_of(p), _IN_PARTS[ending])
    into = max((i for i, word in enumerate(p.words) if word in ("into", "in")), default=0)
    if into:
        words = p.words
        p.cut(into)
        p.cut_ending("up", "apart")
        subject = another(p)
        p.words, p.at = words, into + 1
        return _parts(p, subject)
    p.take("up", "apart")
    p.cut_ending("up", "apart")
    if p.take("these", "those", "the") and find_number(p.peek()):
        return _parts(p, Marked())
    return Split(_one_of(p))


def are_several(p: Parser) -> Command | None:
    """ "object 3 is two chairs", "object 3 consists of two chairs", "this is not one but two"."""
    p.cut_ending(*_BESIDE)
    p.cut_ending(",")
    subject = _one_of(p)
    if p.take(*_CONSISTS):
        skip_truly(p)
        return _parts(p, subject)
    if p.take("should be split", "must be split", "needs to be split", "has to be split"):
        p.take("up", "apart")
        if _skip_parts(p):
            return Split(subject)
        return _parts(p, subject) if p.take("into", "in") else None
    if not is_said_so(p):
        return None
    skip_truly(p)
    denied = p.peek() == "not"
    skip_denial(p)
    skip_truly(p)
    if p.take("more than one"):
        noun = " ".join(p.noun_words())
        return Split(subject, 2, plural(noun) if noun and noun not in lexicon.ANYTHING else "")
    count = _count(p)
    denied |= "one" in p.words[: p.at]  # "what you see as one chair"
    if denied and 1 < count <= _MOST_PARTS and not p.peek(1):  # "not one chair but two"
        p.at += 1
        return Split(subject, count)
    parts = _parts(p, subject) if count > 1 and p.peek(1) else None
    skip_contrast(p)
    return parts


def there_are(p: Parser) -> Command | None:
    """ "there are two chairs here", "there are two chairs where you see chair 3"."""
    if not p.take(*_THERE_ARE):
        return None
    skip_truly(p)
    here = _parts(p, Marked()) if _count(p) else None
    if here is None:
        return None
    p.take("standing", "sitting")
    is_here = bool(p.take(*_HERE)) or p.words[0] == "here" or p.words[-1] == "them"
    if p.take("where you see", "where you have", "instead of", "in place of", "in"):
        p.take("just", "only", "the one")
        place = another(p)
        return Split(place, here.count, here.noun)
    denied = p.at
    skip_contrast(p)
    return here if is_here or p.at > denied else None


def merged_two(p: Parser) -> Command | None:
    """ "you merged two chairs into one", "you have put two chairs together"."""
    if not p.take("you have", "you are", "you", "the robot has", "the robot"):
        return None
    if not p.take(*_MERGED):
        return None
    if p.take("them", "these", "those", "both", "the two"):
        return Split(Marked()) if p.take(*_AS_ONE) or p.done else None
    is_clear = p.words[p.at - 1] not in ("have", "see", "saw", "put", "taken", "took", "counted")
    p.take("together", "up")
    at_one = next((i for i in range(p.at, len(p.words)) if _says_as_one(p, i)), len(p.words))
    words = p.words
    p.cut(at_one)
    parts = _parts(p, Marked()) if _count(p) else None
    ends_there, p.words = p.done, words
    if parts is None or not ends_there or not (p.take(*_AS_ONE) or is_clear):
        return None
    if p.words[p.at - 1] == "into" and not p.done:
        return Split(another(p), parts.count, parts.noun)
    p.noun_words()
    p.take("here", "there")
    return parts


def _says_as_one(p: Parser, place: int) -> bool:
    return any(p.words[place : place + len(t)] == t for t in (tuple(w.split()) for w in _AS_ONE))


def parts_fragment(p: Parser) -> Command | None:
    """ "two chairs, not one"."""
    p.take("actually", "rather")
    parts = _parts(p, Marked()) if _count(p) else None
    if parts is None:
        return None
    skip_contrast(p)
    p.take("here", "there")
    return parts if parts.noun and p.done else None


def _one_of(p: Parser) -> Reference:
    """A single subject.

    Raises:
        ReasoningError: there is none, or there are several.
    """
    subject = subject_of(p)
    if isinstance(subject, Several):
        raise p.fail()
    return subject


def _count(p: Parser) -> int:
    """Of "two" and "a pair of", where it is several; 0 else, without a move."""
    start = p.at
    if p.take("a pair of", "a couple of", "both"):
        p.at = start
        return 2
    count = find_number(p.peek()) or 0
    return count if count > 1 else 0


def _skip_parts(p: Parser) -> bool:
    if " ".join(p.words[p.at :]) in _IN_PARTS:
        p.at = len(p.words)
    return p.done


def _parts(p: Parser, subject: Reference) -> Split | None:
    """ "two chairs", but not "2 m wide" or "two chairs wide"."""
    count = _count(p)
    if not 2 <= count <= _MOST_PARTS:
        return None
    if not p.take("a pair of", "a couple of"):
        p.at += 1
    p.take(*_SEPARATE)
    p.take("of them")
    noun = p.noun_words()
    if noun[:1] == ["more"]:
        return None
    if not noun and p.words[p.at - 1] == "them":
        return Split(subject, count)
    if not noun or not (is_plural(noun[-1]) or noun[-1] == plural(noun[-1])):
        return None
    words = " ".join(noun)
    p.take(*_BESIDE)
    return Split(subject, count, "" if words in _PIECES else words)
