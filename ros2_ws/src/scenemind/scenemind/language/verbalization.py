"""References and conditions in words, for answers and notes; the grammar reads them back."""

from __future__ import annotations

from dataclasses import replace

from scenemind.language import lexicon, trees
from scenemind.language.english import is_plural, joined, normal, ordinal, with_article
from scenemind.language.measures import CLOSER, compared_by

_TO = {"closest": "to", "farthest": "from"}


def is_many(reference: trees.Reference) -> bool:
    """Whether a reference is to several things by its form: "two cups", "chairs"."""
    if not isinstance(reference, trees.NounPhrase):
        return False
    if reference.count is not None:
        return reference.count != 1
    return is_plural(reference.noun)


def _a(reference: trees.Reference) -> str:
    """A reference with its article."""
    said = describe(reference)
    if said == "something":
        return said
    if isinstance(reference, trees.NounPhrase) and reference.of_speaker:
        return f"my {said.removeprefix('the ')}"
    if not isinstance(reference, trees.NounPhrase) or reference.definite or is_many(reference):
        return said
    if reference.count is not None or reference.bound:
        return said
    return with_article(said)


def describe(reference: trees.Reference) -> str:
    """A reference in words; the grammar reads them back as the same tree."""
    match reference:
        case trees.Viewer():
            return "me"
        case trees.Marked(noun=noun):
            return f"the marked {noun or 'object'}"
        case trees.ObjectNumber(object_id=number, noun=noun):
            return f"{noun or 'object'} {number}"
    if reference == trees.NounPhrase(""):
        return "something"
    return ("the " if reference.definite else "") + bare(reference)


def bare(phrase: trees.NounPhrase) -> str:
    """A noun phrase in words, without "the"."""
    is_only = phrase.definite and phrase.count == 1 and not phrase.bound
    words = [f"the {phrase.bound}" if phrase.count is None else phrase.bound] * bool(phrase.bound)
    words += [] if phrase.count is None else ["only" if is_only else str(phrase.count)]
    anchored = [rank for rank in phrase.ranks if rank.anchor is not None]
    alone = anchored[0] if len(anchored) == 1 else None
    for rank in phrase.ranks:
        if rank is alone or rank.anchor is None:
            words += _rank_words(rank)
    before = [c for c in phrase.conditions if _stands_before(c)]
    words += [c.value for c in before if isinstance(c, trees.HasAttribute)]
    are_many = phrase.bound in ("most", "fewest") or phrase.count not in (None, 1)
    words.append(phrase.noun or ("objects" if are_many else "object"))
    after = [condition_words(c) for c in phrase.conditions if c not in before]
    if alone is not None:
        words += _to_anchor(alone)
    else:
        after += [" ".join(_rank_words(r) + _to_anchor(r)) for r in anchored]
    return " ".join(words) + "".join(
        (" " if i == 0 and not phrase.ranks else ", ") + said for i, said in enumerate(after)
    )


def condition_words(condition: trees.Condition) -> str:
    """A condition in words: "that is not black", "left of the door"."""
    if isinstance(condition, trees.Described):
        kind = with_article(normal(condition.noun))
        return f"that is {'not ' * condition.negated}{kind}"
    if isinstance(condition, trees.Among):
        among = "that is one of " if is_many(condition.things) else "that is "
        return ("except " if condition.negated else among) + describe(condition.things)
    if isinstance(condition, trees.HasAttribute):
        if condition.key == "affordance" and not condition.negated:
            is_purpose = condition.value.startswith("for ")
            return condition.value if is_purpose else f"to {condition.value}"
        if (condition.key, condition.value) == ("owner", lexicon.SPEAKER):
            return f"that is {'not ' * condition.negated}yours"
        made = _before_value(condition)
        return f"that is {'not ' if condition.negated else ''}{made}{condition.value}"
    said = related_words(condition)
    if condition.negated and condition.predicate == "with":
        return said.replace("with", "without", 1)
    return f"that is not {said}" if condition.negated else said


def _before_value(condition: trees.HasAttribute) -> str:
    if condition.key == "owner":
        return "owned by "
    is_mass = condition.key == "material" and condition.value not in lexicon.ADJECTIVES
    return "made of " if is_mass else ""


def related_words(condition: trees.Related) -> str:
    """A relation in words: "between the table and the sofa"."""
    if condition.predicate.endswith("o'clock") and condition.anchors == (trees.Viewer(),):
        return f"at my {condition.predicate}"
    anchors, spoken = condition.anchors, lexicon.spoken(condition.predicate)
    if condition.predicate in (lexicon.TOWARD, lexicon.AWAY):
        return f"on the side of {f' {condition.predicate} '.join(map(describe, anchors))}"
    if condition.predicate == CLOSER:
        return f"{CLOSER} {' than to '.join(map(describe, anchors))}"
    if condition.predicate == "between" and len(anchors) == 1 and not is_many(anchors[0]):
        spoken = "in the middle of"
    joint = " and " if condition.predicate == "between" else " or "
    return f"{spoken} {joint.join(map(_a, anchors))}"


def beyond_noun(reference: trees.Reference) -> str:
    """Conditions of a reference as after "is": " on the table", " black and near the door"."""
    if not isinstance(reference, trees.NounPhrase) or not reference.conditions:
        return ""
    return " " + joined([claim(condition) for condition in reference.conditions])


def claim(condition: trees.Condition) -> str:
    """A condition as after "is": "on the table", "not black", "a stool"."""
    said = condition_words(replace(condition, negated=False)).removeprefix("that is ")
    if isinstance(condition, trees.HasAttribute) and condition.key == "affordance":
        said = f"good {said}"
    return f"not {said}" if condition.negated else said


def _stands_before(condition: trees.Condition) -> bool:
    """Whether a condition stands before the noun.

    A material there would be read as part of the noun ("paper towel").
    """
    return (
        isinstance(condition, trees.HasAttribute)
        and condition.key in ("color", "size")
        and not condition.negated
        and compared_by(condition.value) is None
    )


def _rank_words(rank: trees.Rank) -> list[str]:
    words: list[str] = [rank.superlative]
    if rank.order > 1:
        words.insert(0, ordinal(rank.order))
    return ["not", *words] if rank.negated else words


def _to_anchor(rank: trees.Rank) -> list[str]:
    if rank.anchor is None:
        return []
    return [_TO.get(rank.superlative, "from"), describe(rank.anchor)]
