"""Trees turned back into words, for answers and notes; the grammar reads them as the same trees."""

from __future__ import annotations

from dataclasses import replace

from scenemind.reasoning.symbolic import lexicon
from scenemind.reasoning.symbolic.syntax import (
    Condition,
    Described,
    HasAttribute,
    Marked,
    NounPhrase,
    ObjectNumber,
    Rank,
    Reference,
    Related,
    Viewer,
)
from scenemind.words.english import joined, ordinal, with_article


def describe(reference: Reference) -> str:
    """A tree in words that the grammar reads back as the same tree."""
    match reference:
        case Viewer():
            return "me"
        case Marked(noun=noun):
            return f"the marked {noun or 'object'}"
        case ObjectNumber(object_id=number, noun=noun):
            return f"{noun or 'object'} {number}"
    return ("the " if reference.definite else "") + bare(reference)


def bare(phrase: NounPhrase) -> str:
    """The same without "the"."""
    words = [str(phrase.count)] if phrase.count is not None else []
    if phrase.rank is not None:
        words += _rank_words(phrase.rank)
    before = [c for c in phrase.conditions if _stands_before(c)]
    words += [c.value for c in before if isinstance(c, HasAttribute)]
    words.append(phrase.noun or ("objects" if phrase.count not in (None, 1) else "object"))
    if phrase.rank is not None and phrase.rank.anchor is not None:
        words.append("to" if phrase.rank.superlative == "closest" else "from")
        words.append(describe(phrase.rank.anchor))
    after = [condition_words(c) for c in phrase.conditions if c not in before]
    return " ".join(words) + "".join(
        (" " if i == 0 and phrase.rank is None else ", ") + said for i, said in enumerate(after)
    )


def condition_words(condition: Condition) -> str:
    """ "that is not black", "left of the door"."""
    if isinstance(condition, Described):
        return ("that is not " if condition.negated else "that is ") + with_article(condition.noun)
    if isinstance(condition, HasAttribute):
        if condition.key == "affordance" and not condition.negated:
            return f"to {condition.value}"
        made = _before_value(condition)
        return f"that is {'not ' if condition.negated else ''}{made}{condition.value}"
    said = related_words(condition)
    return f"that is not {said}" if condition.negated else said


def _before_value(condition: HasAttribute) -> str:
    if condition.key == "owner":
        return "owned by "
    is_mass = condition.key == "material" and condition.value not in lexicon.ADJECTIVES
    return "made of " if is_mass else ""


def related_words(condition: Related) -> str:
    """ "between the table and the sofa"."""
    if condition.predicate.endswith("o'clock") and condition.anchors == (Viewer(),):
        return f"at my {condition.predicate}"
    return f"{lexicon.spoken(condition.predicate)} " + " and ".join(
        describe(anchor) for anchor in condition.anchors
    )


def beyond_noun(reference: Reference) -> str:
    """What was said beyond the noun, as after "is": " on the table", " black and near the door"."""
    if not isinstance(reference, NounPhrase) or not reference.conditions:
        return ""
    return " " + joined([claim(condition) for condition in reference.conditions])


def claim(condition: Condition) -> str:
    """As after "is": "on the table", "not black", "a stool"."""
    said = condition_words(replace(condition, negated=False)).removeprefix("that is ")
    if isinstance(condition, HasAttribute) and condition.key == "affordance":
        said = f"good {said}"
    return f"not {said}" if condition.negated else said


def _stands_before(condition: Condition) -> bool:
    """Before the noun; a material there would be read as part of it ("paper towel")."""
    return (
        isinstance(condition, HasAttribute)
        and condition.key in ("color", "size")
        and not condition.negated
    )


def _rank_words(rank: Rank) -> list[str]:
    if rank.order == 1:
        return [rank.superlative]
    return [ordinal(rank.order), rank.superlative]
