"""A statement cut into clauses, and what they assert: the words that each affirms and denies, and
whether the person states it or asks for it, in their own name and as things are.

A question, a condition, a report of what others say or want, a way to do something, a doubt, what
was or will be: nothing of such a sentence is asserted. The words of all that stand in
`speech_acts.yaml`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from scenemind.language import lexicon
from scenemind.language.corrections.slots import is_short_for_is
from scenemind.language.english import with_commas
from scenemind.language.plain_form import rewritten
from scenemind.language.speech_acts import (
    Frame,
    any_of,
    asks,
    begins_with_yes,
    declines,
    sentences,
    words_in,
)
from scenemind.language.tokens import Token, tokenize

# Words that may join clauses.
_JOINS = frozenset((",", "and", "but", "so", "because", "since", "although", "though"))
_MATES = words_in("mates")
_NO_MATES = frozenset(("a", "an", "no", "the", "that", "this", "my", "our", "your"))  # before them
# "It is" after words that do not go on with it begins a clause of its own.
_SUBJECTS = frozenset(("it", "they", "there"))
_PERSONS = frozenset(("you", "i", "we", "it", "they", "he", "she"))
_GOING_ON = lexicon.NOUN_END | {form[-1] for form in lexicon.RELATIONS} | _JOINS
_SAYING = re.compile(rf"\b(?:{any_of('silencing')}|{any_of('say')}|{any_of('reported')})")
_POINTED = (["it"], ["this"], ["that"], ["they"])

# "'Delete object 3' is what the sign says": what is quoted is not what is said.
_QUOTED = re.compile(
    "\"[^\"]*\"|\u201c[^\u201d]*\u201d|(?<!\\w)['\u2018][^'\u2018\u2019]*['\u2019](?!\\w)"
)
_SPEAKER = re.compile(r"\s*(\w+|.*\bsays?):\s")  # "Tom: delete it"
_FRAME = Frame("front", "closing")
_VERB, _UNREAL, _TIMED, _RETRACTING = (
    re.compile(rf"\b{any_of(name)}\b") for name in ("verb", "unreal", "timed", "retracting")
)
_REPORTED, _OF_ROBOT, _IN_MAP, _DENYING = (
    re.compile(rf"\b{any_of(name)}\b") for name in ("reported", "of_robot", "in_map", "denying")
)
_TURNING = re.compile(rf"\b(?:(?P<no>{any_of('denying')})|{any_of('affirming')})\b")


@dataclass(frozen=True, slots=True)
class Clause:
    """One clause, in lower-case words without what people say around it.

    Attributes:
        denied: for each word whether it is denied: "a lamp" in "not a lamp but a cup", "stand on
            the table" in "does not stand on the table".
        denials: how many words deny.
        is_told: the person tells it in their own name, be it of another time.
        is_asserted: told as it is now; else nothing follows from it.
        is_in_map: states what the robot has in its map, which may be what is wrong.
    """

    words: tuple[str, ...]
    denied: tuple[bool, ...]
    denials: int
    is_told: bool
    is_asserted: bool
    is_in_map: bool

    def part(self, denied: bool) -> tuple[str, ...]:
        """The words that are denied, or those that are affirmed."""
        return tuple(
            w for w, not_so in zip(self.words, self.denied, strict=True) if not_so == denied
        )


def broken_up(text: str) -> list[Token]:
    """Tokens of a statement, with a comma at each end of a clause that has a sign, and "the lamp's
    grey" written out."""
    words = rewritten(tokenize(with_commas(text)), "scenemind.language.corrections")
    tokens: list[Token] = []
    for place, token in enumerate(words):
        following = [other.word for other in words[place + 1 : place + 3]]
        if token.word in _MATES and following[:1] == [","]:
            if tokens and tokens[-1].word not in _NO_MATES:
                continue  # "that is oak, mate, not pine", "it is a vase love, not a jug"
        elif token.word in _MATES and place and following[:1] in _POINTED:
            token = Token(",", token.start)  # "that is no lamp dude it is a speaker"
        begins = token.word in _SUBJECTS and following[:1] in (["is"], ["are"])
        if begins and _is_whole([token.word for token in tokens], token.word):
            tokens.append(Token(",", token.start))  # "that is not real it is a picture"
        if token.word == "," and (not tokens or tokens[-1].word == ","):
            continue
        tokens.append(token)
        written = text[token.start :].lower().replace("\u2019", "'")
        if following and written.startswith(f"{token.word}'s") and is_short_for_is(following):
            tokens.append(Token("is", token.start))
    return tokens


def _is_whole(words: Sequence[str], subject: str) -> bool:
    """Whether words may end a clause, of which "it is" is no part; "there" is, of "what you see
    there is"."""
    last = " ".join(words).rpartition(" , ")[2]
    if subject == "there" and last.partition(" ")[0] not in _PERSONS:
        return False
    return last != "" and words[-1] not in _GOING_ON and _SAYING.search(last) is None


def stretches(words: Sequence[str], others: frozenset[str] = frozenset()) -> list[tuple[int, int]]:
    """Start and end of the stretches between words that may join clauses.

    Args:
        others: words that begin a stretch as well, and belong to it.
    """
    joins = [place for place, word in enumerate(words) if word in _JOINS | others]
    starts = [place + (words[place] in _JOINS) for place in joins]
    bounds = zip([0, *starts], [*joins, len(words)], strict=True)
    return [(start, end) for start, end in bounds if end > start]


def clauses_of(text: str) -> list[Clause]:
    """The clauses of a text in their order."""
    unquoted = _QUOTED.sub(lambda found: _without_clause(found.group()), text)
    said = [*sentences(unquoted)]
    is_retracted = any(declines(more) or _RETRACTING.search(more.lower()) for more in said[1:])
    return [clause for one in said for clause in _clauses(one, is_retracted or asks(one))]


def asserts(text: str) -> bool:
    """Whether the person states or asks for anything, if only what is in the map."""
    return any(clause.is_asserted or clause.is_in_map for clause in clauses_of(text))


def assents(text: str) -> bool:
    """Whether a text says yes to what was proposed, and takes back, doubts or asks nothing: "right,
    that is the one beside the lamp", but not "sure, if Anna agrees"."""
    clauses = clauses_of(text)
    return begins_with_yes(text) and all(c.is_asserted and not c.denials for c in clauses)


def denials_in(words: str) -> int:
    """How many words deny."""
    return len(_DENYING.findall(words))


def is_verb(word: str) -> bool:
    """Whether a word may be the verb of a clause."""
    return _VERB.fullmatch(word) is not None


def _without_clause(quoted: str) -> str:
    """What is quoted, if it may be a name; blanks for what is a clause."""
    return quoted if _VERB.search(quoted.lower()) is None else " " * len(quoted)


def _clauses(sentence: str, is_open: bool) -> Iterator[Clause]:
    words = [token.word for token in broken_up(sentence)]
    words = words[_FRAME.starts(words)[-1] :]
    words = words[: _FRAME.end(words)]
    said = " ".join(words)
    by = _SPEAKER.match(sentence)
    is_quoted = by is not None and len(_FRAME.starts([by[1].lower(), ","])) < 2
    is_open |= is_quoted or _UNREAL.search(said) is not None
    by_robot = _OF_ROBOT.match(said)
    is_now = _TIMED.search(said) is None
    is_told = not (is_open or _REPORTED.search(said, by_robot.end() if by_robot else 0))
    is_forbidding = is_reporting = False
    for join, part in _parts(words):
        said = " ".join(part)
        denied = tuple(_denied(said))
        # "Do not touch it, move it": the second order is denied with the first. "It says it is a
        # chair and it is red": both are only said.
        is_order = _VERB.match(said) is not None
        is_forbidding &= join != "but" and is_order
        is_reporting &= join == "and" or (join != "but" and is_order)
        is_reporting |= _OF_ROBOT.match(said) is not None
        is_so = is_told and not (is_forbidding or is_reporting)
        is_in_map = is_so and is_now and _IN_MAP.match(said) is not None
        denials, is_so = denials_in(said), is_so and not is_in_map
        yield Clause(tuple(part), denied, denials, is_so, is_so and is_now, is_in_map)
        is_forbidding |= any(denied[:2])


def _parts(words: Sequence[str]) -> list[tuple[str, list[str]]]:
    """Stretches with a verb each, and the word that joins each to the one before."""
    parts: list[tuple[str, list[str]]] = []
    for start, end in stretches(words):
        joint = words[start - 1] if start else ""
        if parts and not (_has_verb(parts[-1][1]) and _has_verb(words[start:end])):
            parts[-1][1].extend((joint, *words[start:end]))
        else:
            parts.append((joint, list(words[start:end])))
    return parts


def _has_verb(words: Sequence[str]) -> bool:
    return _VERB.search(" ".join(words)) is not None


def _denied(said: str) -> Iterator[bool]:
    """For each word of a clause whether it is denied."""
    turns = {
        said[: found.start()].count(" "): bool(found["no"]) for found in _TURNING.finditer(said)
    }
    is_denied = False
    for place in range(len(said.split())):
        is_denied = turns.get(place, is_denied)
        yield is_denied
