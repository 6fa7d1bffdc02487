"""What a question means by what was named before it: "it", "the tall one", "and the red one?"."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from scenemind.language import lexicon, trees
from scenemind.language.english import find_ordinal, normal, plural, word_set
from scenemind.language.referring.whole import read_conditions, read_phrase
from scenemind.language.relation_names import CARRYING
from scenemind.language.shapes import Words

_PRONOUN = re.compile(r"\b(?:it|them)\b")
# "The second best one"; "the runner-up".
_OF_ORDER, _NEXT = word_set("the one best place comes came is in"), word_set("next runner-up")
# Words for things that were named before.
_POINTING = word_set("it its they them their one ones another other others those these that this")


def is_of_one_before(words: Words) -> bool:
    """Whether words are about things named before: "it", "the other", "which is the tallest", "how
    many are there"."""
    opens = (*(("which", word) for word in ("is", "are", "can", "could")), ("how", "many", "are"))
    return not _POINTING.isdisjoint(words) or any(words[: len(form)] == form for form in opens)


def place_of(before: trees.Question | None, *, is_else: bool) -> trees.Reference | None:
    """What "there" means after a question: the thing whose place was asked for, or at which
    something was asked for.

    Args:
        is_else: "what else is there", beside the thing: it is what carries that.
    """
    subject = getattr(before, "subject", None)
    if isinstance(before, trees.Where) and not is_else:
        return before.subject
    if isinstance(before, trees.Where):
        carries = trees.Related("supports", (before.subject,))
        return trees.NounPhrase("thing", definite=True, conditions=(carries,))
    conditions = subject.conditions if isinstance(subject, trees.NounPhrase) else ()
    return next(filter(None, map(_anchor_of, conditions)), None)


def at_carrier(question: trees.Question, before: trees.Question | None) -> trees.Question:
    """A question in which "that table" is the one with the thing whose place was asked for."""
    if not isinstance(before, trees.Where) or not isinstance(before.subject, trees.NounPhrase):
        return question
    carries = (trees.Related("supports", (before.subject,)),)
    for marked in trees.parts_of(question, trees.Marked):
        if marked.noun and normal(marked.noun) != normal(before.subject.noun):
            there = trees.NounPhrase(marked.noun, True, conditions=carries)
            question = trees.with_part(question, marked, there)
    return question


def beside_those_before(question: trees.Question, before: trees.Question | None) -> trees.Question:
    """A question for other things than those asked for before: "what else is on there"."""
    told = getattr(before, "subject", None)
    subject = getattr(question, "subject", None)
    is_open = isinstance(question, trees.ListObjects | trees.Exists | trees.Count)
    if not is_open or not isinstance(subject, trees.NounPhrase):
        return question
    if not isinstance(told, trees.Reference):
        return question
    others = subject.that(trees.Among(told, negated=True))
    return replace(question, subject=others)  # type: ignore[arg-type]


def of_them(question: trees.Question, words: Words) -> trees.Question:
    """A question for some of those named before: "which (of them) is at the desk", "how many are
    red"."""
    if not isinstance(question, trees.ListObjects | trees.Count):
        return question
    subject = question.subject
    is_asked = words[: 1 + (words[0] == "how")] in (("which",), ("how", "many"))
    if not is_asked or not isinstance(subject, trees.NounPhrase) or subject.noun:
        return question
    return replace(question, subject=replace(subject, definite=True))


def instead(words: Words, before: trees.Question) -> trees.Question | None:
    """The question before of another thing or place: "and the red one?", "and on the desk?"."""
    words = words[words[:1] in (("and",), ("or",), ("but",)) :]
    for lead in (("what", "about"), ("how", "about")):
        words = words[2:] if words[:2] == lead else words
    subject = getattr(before, "subject", None)
    if not words or not isinstance(subject, trees.NounPhrase):
        return None
    in_order = _in_order(words, subject)
    if in_order is not None:
        return replace(before, subject=in_order)  # type: ignore[arg-type]
    superlative = lexicon.SUPERLATIVES.get(words[-1]) if words[:-1] in ((), ("the",)) else None
    if superlative is not None:  # "and the closest?"
        phrase: trees.Reference | None = trees.NounPhrase("", ranks=(trees.Rank(superlative),))
    else:
        phrase = read_phrase(words)[0] or read_conditions(words)[0]
    if not isinstance(phrase, trees.NounPhrase):
        return None
    if phrase.noun or phrase.other or _is_of_it(phrase):
        return replace(before, subject=with_meant(phrase, subject))
    of_anchor = _instead_of_anchor(phrase, subject)
    if of_anchor is not None:
        return replace(before, subject=of_anchor)  # type: ignore[arg-type]
    kinds = {type(condition) for condition in phrase.conditions}
    kept = tuple(c for c in subject.conditions if type(c) not in kinds)
    anchors = [rank.anchor for rank in subject.ranks if rank.anchor is not None]
    own = tuple(
        replace(rank, anchor=rank.anchor or (anchors[0] if anchors else None))
        if rank.superlative in lexicon.COMPARING
        else rank
        for rank in phrase.ranks
    )
    of_others = kinds <= {trees.Described, trees.Among}  # "and except the door?"
    ranks = own or (subject.ranks if of_others else ())
    conditions = (*kept, *(_at_another(c, subject) for c in phrase.conditions))
    asked = replace(subject, conditions=conditions, ranks=ranks, count=phrase.count)
    if isinstance(before, trees.Count) and own:
        return trees.ListObjects(asked)  # "and the biggest?" after "how many are there?"
    return replace(before, subject=asked)  # type: ignore[arg-type]


def _in_order(words: Words, subject: trees.NounPhrase) -> trees.NounPhrase | None:
    """The subject at another place of its order: "the second?", "the next one", "the runner-up";
    None where it has no order, or words say more."""
    said = [word for word in words if word not in _OF_ORDER]
    if len(said) != 1 or not subject.ranks:
        return None
    first, *others = subject.ranks
    order = find_ordinal(said[0]) or (first.order + 1 if said[0] in _NEXT else None)
    return replace(subject, ranks=(replace(first, order=order), *others)) if order else None


def _instead_of_anchor(
    phrase: trees.NounPhrase, subject: trees.NounPhrase
) -> trees.NounPhrase | None:
    """A subject at another thing of the same kind: "and the round one?" after "the chairs at the
    long table"; None where the subject itself is told from others of its kind."""
    if not phrase.conditions or not all(map(is_look, phrase.conditions)):
        return None
    if any(map(is_look, subject.conditions)):
        return None
    for condition in subject.conditions:
        anchor = _anchor_of(condition)
        if anchor is None or (anchor.noun == kind_of(anchor.noun) and not anchor.conditions):
            continue
        other = replace(called(phrase, normal(kind_of(anchor.noun))), definite=True)
        of = (_at(c, other) if c is condition else c for c in subject.conditions)
        return replace(subject, conditions=tuple(of))
    return None


def _at_another(condition: trees.Condition, subject: trees.NounPhrase) -> trees.Condition:
    """A condition in which "the round one" is of the kind of what the subject is at: "and at the
    round one?"; else of the kind of the subject."""
    said = getattr(condition, "predicate", "")
    anchors = (_anchor_of(c) for c in subject.conditions if getattr(c, "predicate", "") == said)
    anchor, own = next(filter(None, anchors), None), _anchor_of(condition)
    if anchor is not None and own is not None and not own.noun:
        return _at(condition, called(own, normal(kind_of(anchor.noun))))
    named: trees.Condition = with_meant(condition, subject)
    return named


def _is_of_it(phrase: trees.NounPhrase) -> bool:
    """Whether things have their rank from "it": "the nearest thing to it" need not be like it."""
    return any(rank.anchor == trees.Marked() for rank in phrase.ranks)


def _anchor_of(condition: trees.Condition) -> trees.NounPhrase | None:
    anchor = condition.anchors[-1] if isinstance(condition, trees.Related) else None
    return anchor if isinstance(anchor, trees.NounPhrase) else None


def _at(condition: trees.Condition, anchor: trees.NounPhrase) -> trees.Condition:
    assert isinstance(condition, trees.Related)
    return replace(condition, anchors=(*condition.anchors[:-1], anchor))


def is_look(condition: trees.Condition) -> bool:
    """Whether a condition is an attribute of a thing, and no relation."""
    return isinstance(condition, trees.HasAttribute)


def about(
    question: trees.Question,
    meant: trees.Reference | None,
    *,
    is_pointed: bool = False,
    is_topic: bool = False,
) -> trees.Question:
    """A question in which "it" is a thing that was named before, and "the tall one" one of those.

    Args:
        meant: that thing; None: nothing was named.
        is_pointed: "it" is what is pointed at.
        is_topic: it was named for this question alone.
    """
    is_thing = isinstance(meant, trees.NounPhrase) and (meant.noun or meant.definite or is_topic)
    if isinstance(meant, trees.NounPhrase) and not is_thing:  # "what is on the table"
        of = [c.anchors[-1] for c in meant.conditions if isinstance(c, trees.Related)]
        meant = of[-1] if of else meant
    if not isinstance(meant, trees.NounPhrase):
        return question
    named: trees.Question = with_meant(question, replace(meant, definite=True), is_pointed)
    return named


def with_meant(tree: Any, meant: trees.NounPhrase, is_pointed: bool = False) -> Any:
    match tree:
        case trees.Marked(noun="") if not is_pointed:
            return meant
        case trees.Verify(subject=trees.NounPhrase(noun="", definite=False) as one):
            # "Is one of them red", "are any of them red": of one it is enough.
            named = with_meant(one, meant, is_pointed)
            condition = with_meant(tree.condition, meant, is_pointed)
            return trees.Verify(replace(named, noun=normal(named.noun)), condition)
        case trees.HasAttribute(key="affordance", value=use) if meant.noun:
            return replace(tree, value=_PRONOUN.sub(normal(meant.noun).split(" ")[-1], use))
        case trees.NounPhrase(other=True) if tree.noun and normal(tree.noun) == normal(meant.noun):
            return replace(tree, other=False).that(trees.Among(meant, negated=True))
        case trees.NounPhrase(noun="" | "other" | "others"):
            own = tuple(with_meant(each, meant, is_pointed) for each in tree.conditions)
            ranks = tuple(with_meant(rank, meant, is_pointed) for rank in tree.ranks)
            is_open = not (tree.definite or tree.other or tree.noun or tree == trees.NounPhrase(""))
            if _is_of_it(tree) or (is_open and not ranks):
                return replace(tree, conditions=own, ranks=ranks)
            among = (trees.Among(meant, negated=True),) if tree.other or tree.noun else ()
            kept = () if among else meant.conditions
            of_one = normal(meant.noun) if tree.definite and not tree.count else meant.noun
            other = plural(normal(meant.noun)) if tree.noun == "others" else of_one
            of_kind = replace(meant, noun=other, count=tree.count, definite=tree.definite)
            return replace(of_kind, conditions=(*kept, *among, *own), ranks=ranks)
    return trees.with_parts(tree, lambda part: with_meant(part, meant, is_pointed))


def with_nouns_of_first(question: trees.Question) -> trees.Question:
    """A question whose other things have the noun of the first: "is the black tv wider than the
    grey one", "is the red chair next to the black one"; but "on the black one" is on no chair."""
    first = next(trees.parts_of(question, trees.NounPhrase), None)

    def renamed(part: Any) -> Any:
        is_own = isinstance(part, trees.Among) or getattr(part, "predicate", "") in CARRYING
        if first is None or is_own:
            return part
        named = part if part is first else _like_first(part, first)
        return trees.with_parts(part, renamed) if named is part else named

    return renamed(question)


def _like_first(second: Any, first: trees.NounPhrase) -> Any:
    """A nameless thing with the noun of the first; other parts as they are."""
    if not isinstance(second, trees.NounPhrase):
        return second
    is_other = second.other and second.noun == first.noun
    is_named = second.noun not in ("", "other") and not is_other
    if is_named or not second.definite or first.noun == "":
        return second
    other = (trees.Among(first, negated=True),) if second.other or second.noun else ()
    conditions = (*second.conditions, *other)
    return replace(second, noun=first.noun, other=False, conditions=conditions)


def called(phrase: trees.NounPhrase, kind: str) -> trees.NounPhrase:
    """A nameless phrase with a name; a shape is part of it, as in "the round table"."""
    shapes = [
        condition
        for condition in phrase.conditions
        if isinstance(condition, trees.HasAttribute)
        and condition.key == "shape"
        and not condition.negated
    ]
    kept = tuple(condition for condition in phrase.conditions if condition not in shapes)
    name = " ".join((*(shape.value for shape in shapes), kind))
    return replace(phrase, noun=name, conditions=kept)


def kind_of(noun: str) -> str:
    """A name without what such a thing is like: "table" of "round table"."""
    words = noun.split(" ")
    while len(words) > 1 and words[0] in lexicon.ADJECTIVES:
        del words[0]
    return " ".join(words)
