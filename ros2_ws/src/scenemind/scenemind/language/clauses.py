"""A text cut into the questions that it asks, before any shape is tried on them.

People say why they ask, name the thing first, ask politely and ask twice: "I need to call home. My
phone, you would not happen to know where it is, and what colour?". A text is cut into sentences,
those into clauses, and each clause is classed by its first words and its verb (`clauses.yaml`):
asked, ordered, told, said in passing, or a phrase. What is asked is put into one form: without whom
it is said to and the verbs of knowing around it, the verb before its subject.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise, takewhile
from typing import Any, Literal

from scenemind.language import lexicon
from scenemind.language.english import SENTENCE_END, read_table, word_set
from scenemind.language.plain_form import plain
from scenemind.language.speech_acts import Frame
from scenemind.language.tokens import Token, tokenize

Kind = Literal["asked", "ordered", "told", "aside", "phrase"]
Words = tuple[str, ...]
_TABLE: Mapping[str, Any] = read_table("scenemind.language", "clauses.yaml")
_ASKING, _HELPING, _ORDERING, _SUBJECTS, _DETERMINING, _ASIDE, _KNOWING, _MANNER, _VOCATIVES = (
    frozenset(_TABLE[name])
    for name in (
        *("asking", "helping", "ordering", "subjects", "determining", "aside"),
        *("knowing", "manner", "vocatives"),
    )
)
_MANNER |= _KNOWING | _VOCATIVES
_REASONS = sorted((tuple(said.split()) for said in _TABLE["reasons"]), key=len, reverse=True)
_ASPECTS: dict[str, str] = _TABLE["aspects"]
# What is a part of a thing, and no thing of its own.
PARTS = frozenset(_TABLE["parts"])
_PERSONAL = frozenset(_TABLE["personal"])
_FRAME = Frame("question_front", "question_closing")
_FINITE = (_HELPING | lexicon.BE) - {"might", "may"}
_RELATIVE = frozenset(("that", "which", "who", "where"))
_THEIR = frozenset(("his", "her", "their"))
_BEFORE_LOST = _DETERMINING - _THEIR  # "the kids left a cup"
_BEFORE_NOUN = {form[-1] for form in (*lexicon.RELATIONS, *lexicon.FREE_RELATIONS)}
_BEFORE_NOUN = (_BEFORE_NOUN | _FINITE | word_set("and or than , :")) - {"left", "right"}
# "Do you think" inside a question: "where do you think the cup is".
_ASIDE_INSIDE = re.compile(r"(?:do|would|did) you (?:think|say|guess|reckon|believe|suppose) ")
_EMBEDDING = ("if", "whether", "that")
_JOINING = ("and", "but", "or", "so", "then")
_JOINT_AT_END = re.compile(rf"\W+(?:{'|'.join(_JOINING)})$", re.IGNORECASE)
_SIGN = re.compile(
    rf"(?P<end>(?:{SENTENCE_END}|\u2026)+(?=\s|$|[\"'\u2019\u201d)])|\n)"
    r"|(?P<joint>,(?!\d)|:(?=\s)|\s[-\u2013\u2014]+\s|[\u2013\u2014])"
)
_MOST_PARTS = 12
_SPEAKING = frozenset(("i", "we"))
_POINTING = frozenset(("it", "they", "there"))
_SEEING = frozenset(("see", "got", "have"))
_SMALL = word_set(
    "the its their with and a , of it them each about roughly exactly approximately also is are"
)
_ADVICE = re.compile(_TABLE["advice"])
_PURPOSE = re.compile(_TABLE["purpose"])
TOLD_ASKED = [
    (re.compile(told), re.compile(asks), said) for told, asks, said in _TABLE["told_asked"]
]
"""What is told, what is asked after it, and the question that both ask."""
_WISHES = [(re.compile(said), asked) for said, asked in _TABLE["wishes"]]
_ELSE = frozenset(("what", "who", "where", "else", "and"))
_CALLS = ("not", "right", "yes", "no", "ok", "okay", "excuse", "me", "hello", "hi", "hey")
# A question begins with them, even without a sign before.
_ONSETS = {tuple(said.split()) for said in _TABLE["onsets"]}
_LEAST_BEFORE = 2  # words
_SHORT = 4  # words of each of several things
_OPEN = frozenset(("any", "anything", "anyone", "anybody", "more", "fewer", "enough"))


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of a text.

    Attributes:
        sentence: number of its sentence. joint: what joins it to the clause before, a sign or a
            word; empty at the front of a sentence.
        is_asked: its sentence ends with a question mark.
        text: as it was said.
    """

    tokens: tuple[Token, ...]
    kind: Kind
    sentence: int = 0
    joint: str = ""
    is_asked: bool = False
    text: str = ""

    @property
    def words(self) -> Words:
        """Its words."""
        return tuple(token.word for token in self.tokens)


@dataclass(frozen=True, slots=True)
class Asked:
    """One question of a text.

    Attributes:
        ways: its tokens, in the forms to be tried in turn.
        topic: tokens of the phrase that "it" in it means; empty for none.
        told: tokens of what was told before it, the last clause first, which may name that.
        rest: tokens of phrases after it, which some of its forms leave out.
    """

    ways: tuple[tuple[Token, ...], ...]
    topic: tuple[Token, ...] = ()
    told: tuple[Token, ...] = ()
    rest: tuple[Token, ...] = ()


def questions_in(clauses: Sequence[Clause]) -> list[Asked]:
    """The questions of the clauses of a text in their order; what asks nothing is left out."""
    is_told = any(clause.kind == "told" for clause in clauses)
    if not is_told and any(_ELSE.issuperset(clause.words) for clause in clauses):
        return []  # "a bed and what else" asks for more of what was told
    clauses = [c for c in _rejoined(clauses[:_MOST_PARTS]) if not _is_empty(c)]
    if not any(clause.kind in ("asked", "ordered") for clause in clauses):
        clauses = _taken_for_questions(clauses)
    phrases = [clause for clause in clauses if clause.kind == "phrase"]
    if phrases and {clause.kind for clause in clauses} <= {"phrase", "aside"}:
        return _of_phrases(phrases)
    excepted = next((c.tokens for c in clauses if _excepts(c)), ())
    if excepted and excepted[0].word == "besides":
        excepted = (Token("except", excepted[0].start), *excepted[1:])
    found: list[Asked] = []
    topic: tuple[Token, ...] = ()
    told: tuple[Token, ...] = ()
    at = 0
    while at < len(clauses):
        clause, after = clauses[at], at + 1
        if at and clause.sentence > clauses[at - 1].sentence and topic:
            topic, told = (), (*told, Token(".", 0), *topic)
        if clause.kind == "phrase":
            aspects = aspects_of(clause) if topic or found or told else []
            found += [Asked((aspect,), topic, told) for aspect in aspects]
            if not aspects:
                topic = clause.tokens
        elif clause.kind == "told":
            told = (*clause.tokens, Token(".", 0), *told)
        elif clause.kind in ("asked", "ordered"):
            while after < len(clauses) and _goes_on(clauses[after]):
                after += 1
            parts = clauses[at:after]
            if any(aspects_of(part) for part in parts[1:]):
                after, parts = at + 1, parts[:1]  # "how many are there, and what size"
            ways = tuple(dict.fromkeys(_ways(parts, topic)))
            if excepted:
                ways = (*((*w, *excepted) for w in ways if excepted[0] not in w), *ways)
            if not _is_address(clause.words):
                added = (p.tokens for p in parts[1:] if not _adds_nothing(p))
                after_it = tuple(chain.from_iterable(added))
                found.append(Asked(ways, topic, told, after_it))
        at = after
    return found


def clauses_of(text: str) -> list[Clause]:
    """The clauses of a text."""
    found: list[Clause] = []
    start, joint, sentence = 0, "", 0
    for sign in [*_SIGN.finditer(text), None]:
        end = len(text) if sign is None else sign.start()
        tokens = [Token(t.word, start + t.start) for t in tokenize(text[start:end])]
        found += _split(tokens, sentence, joint)
        joint = "" if sign is None else sign.group().strip()
        if sign is not None and sign["end"]:
            asks = "?" in sign.group()
            found = [_ended(c, asks) if c.sentence == sentence else c for c in found]
            sentence, joint = sentence + 1, ""
        start = len(text) if sign is None else sign.end()
    found = [c for c in found if c.tokens]
    starts = [*(clause.tokens[0].start for clause in found), len(text)]
    said = [text[start:end] for start, end in pairwise(starts)]
    return [replace(c, text=_stripped(words)) for c, words in zip(found, said, strict=True)]


def _stripped(said: str) -> str:
    """Words without the sign and the word that join them to the next clause."""
    return _JOINT_AT_END.sub("", said.strip(" ,;:-\u2013\u2014\n"))


def _ended(clause: Clause, asks: bool) -> Clause:
    """A clause of a sentence that ends with a question mark or without."""
    if not asks and clause.kind == "asked" and clause.joint and clause.words[0] not in _ASKING:
        return replace(clause, kind="told")  # "it is round and is next to the desk"
    is_open = asks and clause.kind in ("phrase", "told") and not _OPEN.isdisjoint(clause.words[:1])
    return replace(clause, is_asked=asks, kind="asked" if is_open else clause.kind)


def _split(tokens: Sequence[Token], sentence: int, joint: str) -> Iterator[Clause]:
    """Clauses between two signs: cut before "because", and before "and" where a clause follows."""
    words = tuple(token.word for token in tokens)
    start = 0
    for at in range(1, len(words)):
        reason = any(words[at : at + len(said)] == said for said in _REASONS)
        joins = words[at] in _JOINING and at > start and _opens_clause(words[at + 1 :])
        joins &= words[at] != "or" or _SUBJECTS.isdisjoint(words[at + 1 : at + 2])
        joins &= not _MANNER.issuperset(words[start:at])
        if not reason and words[at : at + 2] in _ONSETS and _may_end(words[start:at], words[at]):
            yield _clause(tokens[start:at], sentence, joint)
            start, joint = at, ""
        if reason or joins:
            yield _clause(tokens[start:at], sentence, joint)
            start, joint = at + joins, words[at]
    yield _clause(tokens[start:], sentence, joint)


def _may_end(words: Words, following: str) -> bool:
    """Whether a question may follow words without a sign between them: "i am back is there a
    bin", "black chairs how many", but not "do you know where is"."""
    if len(words) < _LEAST_BEFORE or _MANNER.issuperset(words):
        return False
    is_open = words[-1] in _RELATIVE | _DETERMINING | _BEFORE_NOUN | _FINITE
    kinds = ("told", "aside", *("phrase",) * (following in ("where", "how")))
    return not is_open and _kind_of(words) in kinds


def _opens_clause(words: Words) -> bool:
    """Whether a clause of its own begins: "what are they", "is it red", "he is taller"."""
    first, second, third = (*words[:3], "", "", "")[:3]
    if first in _ASKING or first in _ORDERING:
        return second != "" or first in ("where", "when")
    if first in _HELPING:
        return second in _SUBJECTS | _DETERMINING and third != ""
    if _wish(words) is not None:
        return True
    return first in _SUBJECTS - {"this", "that", "these", "those"} and second in _FINITE


def _clause(tokens: Sequence[Token], sentence: int, joint: str) -> Clause:
    kept = _without_vocatives(tokens)
    words = tuple(token.word for token in kept)
    kind = _kind_of(words)
    is_doubt = kind == "told" and words[0] in ("maybe", "perhaps")  # "or maybe I am wrong"
    is_doubt |= kind == "asked" and words[0] in _HELPING and words[1] in _SPEAKING
    if joint == "or" and is_doubt:
        kind = "aside"  # "or do I have to look for one" is no question about things
    clause = Clause(tuple(kept), kind, sentence, joint)
    is_whole = kind == "asked" and not _POINTING.isdisjoint(words)  # "so where is it"
    is_aspect = joint != "" and not is_whole and aspects_of(clause)
    return replace(clause, kind="phrase") if is_aspect else clause


def _kind_of(words: Words) -> Kind:
    inner = _after_knowing(words)
    words = words[inner or _FRAME.starts(words)[-1] :] or words
    if _ADVICE.fullmatch(" ".join(words)):
        return "aside"
    if _wish(words) is not None:
        return "ordered"
    words = words[words[:1] == ("and",) :]
    inner = inner or _after_knowing(words)
    if words and _after_knowing(words):
        words = words[_after_knowing(words) :]
    first, second = (*words[:2], "", "")[:2]
    if inner and first in _EMBEDDING:
        return "asked"
    if first in ("when", "while") and second in _SUBJECTS and not inner:
        return "aside"
    if first in _ASKING or (first in _HELPING and second not in ("", "not")):
        return "asked"
    if first in _ORDERING:
        return "ordered"
    if first in _ASIDE or (first == "or" and second in _HELPING):
        return "aside"
    if first in _SUBJECTS and len(words) > 1 and not lexicon.at_relation(words, 1):
        return "told"
    if first == "of" and "which" in words:
        return "asked"
    is_told = any(
        (word in _FINITE and words[at - 1] not in _RELATIVE | {",", "and"})
        or (word in _THEIR and words[at - 1] not in _BEFORE_NOUN)  # "the man left his hat"
        or (words[at - 1] in lexicon.DID and word in _BEFORE_LOST)
        for at, word in enumerate(words)
        if at
    )
    return "told" if is_told else "phrase"


def _rejoined(clauses: Sequence[Clause]) -> Iterator[Clause]:
    """Clauses without what is said in brackets: "is the sofa, you know, on my left"."""
    at = 0
    while at < len(clauses):
        clause, *more = clauses[at : at + 3]
        is_one = len(more) == 2 and {c.sentence for c in more} == {clause.sentence}
        is_aside = is_one and (_MANNER.issuperset(more[0].words) or _adds_nothing(more[0]))
        if is_aside and more[1].kind == "phrase":
            yield replace(clause, tokens=(*clause.tokens, *more[1].tokens))
            at += 3
        else:
            yield clause
            at += 1


def _of_phrases(clauses: Sequence[Clause]) -> list[Asked]:
    """What phrases alone ask: what is said of the first ("vase: size and place"), or all of them as
    one question ("distance couch - table")."""
    first, *more = clauses
    found = [Asked((aspect,), first.tokens) for part in more for aspect in aspects_of(part)]
    whole: list[Token] = [*first.tokens]
    for part in more:
        if not (aspects_of(part) or _adds_nothing(part)):
            whole += [Token(",", part.tokens[0].start), *part.tokens]
    ways = [tuple(_without_closing(whole))]
    is_list = first.is_asked and len(more) > 0 and all(len(c.words) < _SHORT for c in clauses)
    if is_list and not found:
        each = ((Token("or", c.tokens[0].start), *c.tokens) for c in clauses)
        ways.insert(1, (Token("is", 0), Token("there", 0), *[*chain(*each)][1:]))
    if first.is_asked and more and lexicon.at_relation(more[0].words, 0):
        ways.insert(0, (Token("is", 0), *first.tokens, *more[0].tokens))
    elif first.is_asked and more and lexicon.at_relation(more[0].words, 1):
        ways.insert(0, (Token("is", 0), *first.tokens, *more[0].tokens[1:]))  # "left on the sofa"
    words = [token.word for token in whole]
    is_placed = any(lexicon.RELATIONS.longest(words, at)[1] for at in range(len(words)))
    is_placed |= not lexicon.SIDE_WORDS.keys().isdisjoint(words)
    if "to" in words[1:-1] and not is_placed and lexicon.SUPERLATIVES.keys().isdisjoint(words):
        ways.append((Token("distance", 0), *whole))
    return [*([] if found else [Asked(tuple(dict.fromkeys(ways)))]), *found]


def _excepts(clause: Clause) -> bool:
    """Whether a clause says what a question is not about: "apart from the black ones"."""
    excepts = clause.words[:1] == ("besides",) or lexicon.EXCEPT.longest(clause.words, 0)[1] > 0
    return clause.kind in ("aside", "phrase") and excepts


def _is_address(words: Words) -> bool:
    """Whether words only speak to somebody: "can you help me"; but "do you see it" asks."""
    asks_of_it = words[-1] in ("it", "them") and not _SEEING.isdisjoint(words)
    return _MANNER.issuperset(words) and words[0] not in _ASKING and not asks_of_it


def _is_empty(clause: Clause) -> bool:
    """Whether a clause adds nothing to the one before it: "is not it", "give or take", "if you do
    not mind my asking"."""
    words = tuple(word for word in clause.words if word != "my")
    if len(words) == 1 and words[0] in _MANNER - _ASKING:
        return True  # "like", "well"
    is_polite = bool(words) and _is_address(words) and not _PERSONAL.isdisjoint(words)
    return _is_tag(words) or (clause.joint != "" and (is_polite or not _FRAME.end(words)))


def _is_tag(words: Words) -> bool:
    """Whether words are a tag or a call: "is not it", "right", "excuse me"."""
    only = {*_HELPING, *_SUBJECTS, *_CALLS}
    return len(words) < 4 and set(words) <= only and not (words[:1] == ("is",) and len(words) > 3)


def _goes_on(clause: Clause) -> bool:
    """Whether a clause belongs to the question before it: "the lamp" of "which is taller, the
    lamp"."""
    return clause.kind == "phrase" and clause.joint != ""


def _taken_for_questions(clauses: Sequence[Clause]) -> list[Clause]:
    """Clauses of a text that asks nothing in form: what is told and ends with a question mark is
    asked ("there is a cup?"), as is a phrase, and what somebody wants to do ("I need to wash my
    hands. Where do I go?")."""
    said = [" ".join(clause.words) for clause in clauses]
    wanted = [
        _PURPOSE.match(words) if c.kind in ("told", "aside") else None
        for c, words in zip(clauses, said, strict=True)
    ]
    advice = next((words for words in said if any(wanted) and _ADVICE.fullmatch(words)), "")
    for at, purpose in enumerate(wanted):
        if purpose is not None and advice:
            start = clauses[at].tokens[0].start
            doing = clauses[at].tokens[len(purpose[0].split()) :]
            doing = tuple(takewhile(lambda token: token.word != "for", doing))  # whom it is for
            if not purpose[0].endswith("to "):
                doing = _of_noun(doing)
            asks = f"{'where' if 'where' in advice else 'what'} can i"
            asked = (*_written(asks, start), *doing)
            return [*clauses[:at], replace(clauses[at], kind="asked", tokens=asked)]
    told = [c for c in clauses if c.is_asked and c.kind == "told"]
    if not told:
        return list(clauses)
    return [replace(c, kind="asked") if c is told[-1] else c for c in clauses]


def _of_noun(wanted: Sequence[Token]) -> tuple[Token, ...]:
    """What somebody does who wants what is said by a noun: "sleep" for "a nap", "go for a coffee",
    "find a chair"."""
    going = plain((*_written("go for", wanted[0].start), *wanted))
    is_use = going[0].word != "go" or wanted[-1].word in lexicon.STUFF
    return tuple(going) if is_use else (*_written("find", wanted[0].start), *wanted)


def _ways(parts: Sequence[Clause], topic: tuple[Token, ...]) -> Iterator[tuple[Token, ...]]:
    """The forms of a question to be tried, with what goes on after it, and without."""
    whole = [*parts[0].tokens]
    for part in parts[1:]:
        joint = [Token(part.joint if part.joint.isalpha() else ",", part.tokens[0].start)]
        whole += [*joint, *part.tokens]
    comma = (Token(",", topic[-1].start),) if topic else ()
    offers = any("or" in (part.joint, *part.words) for part in parts[1:])
    for tokens in (whole,) if offers else (whole, list(parts[0].tokens)):
        said = _canonical(tokens)
        if topic and said:
            yield from _with_topic(topic, said[0])
        yield from said
        if topic and said:
            yield (*topic, *comma, *said[0])


def _with_topic(topic: tuple[Token, ...], tokens: tuple[Token, ...]) -> Iterator[tuple[Token, ...]]:
    """ "Which of the plants is" of "of the plants, which one is", "how many of them are"."""
    words = [token.word for token in tokens[:2]]
    asked = 2 if words == ["how", "many"] else 1
    is_open = asked == 2 or words[:1] in (["which"], ["what"])
    if topic[0].word in ("of", "among", "between", "out") and is_open:
        of = topic[topic[0].word == "out" :]
        is_one = words[1:] in (["one"], ["ones"])
        yield (*tokens[:asked], Token("of", of[0].start), *of[1:], *tokens[asked + is_one :])


def _wish(words: Words) -> tuple[int, str] | None:
    """Number of the words that tell a wish, and how it asks for what follows; None for others."""
    said = " ".join(words)
    found = ((pattern.match(said), asked) for pattern, asked in _WISHES)
    return next(((len(wish[0].split()), asked) for wish, asked in found if wish), None)


def _canonical(tokens: Sequence[Token]) -> list[tuple[Token, ...]]:
    """A question without frames, with its verb before its subject; the likelier form first."""
    tokens = plain(_compared(_without_closing(tokens)))
    words = tuple(token.word for token in tokens)
    inner = _after_knowing(words)
    start = 0 if inner else _FRAME.starts(words)[-1]
    tokens = tokens[start:] if start < len(words) else tokens
    tokens = tokens[bool(tokens) and tokens[0].word in _JOINING :]
    words = tuple(token.word for token in tokens)
    inner = _after_knowing(words)
    tokens = _without_inside(tokens[inner:])
    words = tuple(token.word for token in tokens)
    if (wish := _wish(words)) is not None:
        tokens = [*_written(wish[1], tokens[0].start), *tokens[wish[0] :]]
        words = tuple(token.word for token in tokens)
    ways = [tuple(tokens)]
    if inner and words[:1] in (("if",), ("whether",), ("that",)):
        ways = [*_inverted(tokens[1:], 0), tuple(tokens)]
    elif words[:1] and words[0] in _ASKING:
        ways += _inverted(tokens, 1)
    elif words[:1] == ("do",) and any(word in lexicon.BE for word in words[1:]):
        ways += _inverted(tokens[1:], 0)  # "do all books are"
    elif words[:1] and words[0] not in _HELPING | _ORDERING:
        ways = [*_inverted(tokens, 0), tuple(tokens)]
    aspect = _ASPECTS.get(" ".join(words))
    ways = [tuple(plain(way)) for way in ways]
    return [*([_written(aspect, tokens[0].start)] if aspect else ()), *ways]


def _inverted(tokens: Sequence[Token], first: int) -> list[tuple[Token, ...]]:
    """Tokens with their verb before what stands from `first` on: "is the cup red" of "the cup is
    red"; for a question word, after the words that belong to it."""
    words = [token.word for token in tokens]
    if first and first < len(words) and words[first] in _HELPING:
        return []
    places = [
        at
        for at in range(first + 1, len(words))
        if words[at] in _HELPING and words[at - 1] not in _RELATIVE - {"that"}
    ]
    found = []
    for at in places[:2]:
        before, verb, after = tokens[:first], tokens[at], tokens[at + 1 :]
        subject = tokens[first:at]
        if words[at - 1] == "it" and at - 1 > first:
            subject = tokens[first : at - 1]  # "the umbrella it is black"
        starts = range(1, len(subject)) if first else (0,)
        for start in starts:
            if first and subject[start].word not in _SUBJECTS | _DETERMINING:
                continue
            found.append((*before, *subject[:start], verb, *subject[start:], *after))
        if first:
            found.append((*before, verb, *subject, *after))
    return found


def _after_knowing(words: Words) -> int:
    """Number of the word after "would you happen to know" and the like; 0 for none."""
    at, known, by_somebody = 0, False, False
    while at < len(words) and words[at] in _MANNER:
        known |= words[at] in _KNOWING
        by_somebody |= words[at] in _PERSONAL
        at += 1
        following = words[at] if at < len(words) else ""
        embeds = following in _ASKING or following in ("if", "whether")
        embeds |= words[at - 1] in _KNOWING and following == "there"  # "I think there was a sofa"
        embeds |= words[at - 1] == "that" and following in _SUBJECTS | _DETERMINING
        if known and by_somebody and embeds:
            return at
    return 0


def _without_inside(tokens: Sequence[Token]) -> list[Token]:
    """Tokens without "do you think" after a question word."""
    said = " ".join(token.word for token in tokens)
    found = _ASIDE_INSIDE.search(said)
    if found is None or not found.start() or said.split()[0] not in _ASKING:
        return list(tokens)
    first, last = said[: found.start()].count(" "), said[: found.end()].count(" ")
    return [*tokens[:first], *tokens[last:]]


def _without_vocatives(tokens: Sequence[Token]) -> list[Token]:
    """Tokens without whom they are said to at their ends, unless nothing else is there."""
    kept = list(tokens)
    while len(kept) > 1 and kept[-1].word in _VOCATIVES and kept[-2].word not in _DETERMINING:
        kept.pop()
    return [] if len(kept) == 1 and kept[0].word in _VOCATIVES else kept


def _without_closing(tokens: Sequence[Token]) -> Sequence[Token]:
    """Tokens without words at their end that add nothing, unless nothing else is there."""
    return tokens[: _FRAME.end([token.word for token in tokens]) or len(tokens)]


def _adds_nothing(clause: Clause) -> bool:
    """Whether a clause has nothing but words that may stand at the end of any question."""
    return _FRAME.end(clause.words) == 0


def _compared(tokens: Sequence[Token]) -> list[Token]:
    """Tokens with "nearest" for "the most near", "taller" for "more tall"."""
    kept: list[Token] = []
    for token in tokens:
        forms = _TABLE["compared"].get(token.word)
        if forms and kept and kept[-1].word in ("more", "most"):
            more = kept.pop()
            kept.append(Token(forms[more.word == "most"], more.start))
        else:
            kept.append(token)
    return kept


def aspects_of(clause: Clause) -> list[tuple[Token, ...]]:
    """The questions for what a phrase asks of the thing before it: "and what colour", "with
    heights", "number of sightings and place"; empty for others."""
    words = " ".join(token.word for token in _without_closing(clause.tokens))
    said = [
        part if part in _ASPECTS else " ".join(w for w in part.split() if w not in _SMALL)
        for part in words.removeprefix("and ").split(" and ")
    ]
    asked = [_ASPECTS[part] for part in said if part in _ASPECTS]
    is_all = len(asked) == len([part for part in said if part])
    return [_written(each, clause.tokens[0].start) for each in asked] if is_all else []


def _written(text: str, start: int) -> tuple[Token, ...]:
    return tuple(Token(word, start) for word in text.split())
