"""Names of spatial relations, their spellings and their inverses (`relations.yaml`)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from scenemind.language.english import number_word, read_table

RelationCategory = Literal["vertical", "horizontal", "allocentric"]
_SPELLING = str.maketrans({"\u2019": "'", "-": " ", "_": " "})


@dataclass(frozen=True, slots=True)
class RelationName:
    """One relation, read as "subject name object".

    Attributes:
        name: the canonical spelling.
        inverse: what is then true of object and subject; the same name for a symmetric relation,
            None where nothing is ("a is the closest to b" says nothing of b).
        stored: kept by the scene graph; else computed when asked for.
        one_way: a stored relation whose inverse is answered and not stored.
        forms: other spellings, of the papers and of people.
    """

    name: str
    category: RelationCategory
    inverse: str | None
    stored: bool = False
    one_way: bool = False
    forms: tuple[str, ...] = ()


def _relations() -> Iterator[RelationName]:
    for name, row in read_table("scenemind.language", "relations.yaml").items():
        category, kept, inverse, *forms = row
        yield RelationName(name, category, inverse, kept != "asked", kept == "carried", (*forms,))
    for hour in range(1, 13):
        word, opposite = number_word(hour), (hour + 5) % 12 + 1
        forms = [f"{word} o'clock", f"{hour} oclock", f"{word} oclock", f"{hour} o clock"]
        inverse = f"{opposite} o'clock"
        yield RelationName(f"{hour} o'clock", "allocentric", inverse, forms=(*forms,))


# Canonical name -> the relation.
RELATION_NAMES = {relation.name: relation for relation in _relations()}
# Those that the scene graph keeps, in the order in which they are stated.
STORED = tuple(relation.name for relation in RELATION_NAMES.values() if relation.stored)
# Those that say what carries, contains or embeds the subject: stored one way.
CARRYING = tuple(relation.name for relation in RELATION_NAMES.values() if relation.one_way)
# Of those that are stated both ways: what is true the other way round.
INVERSE = {
    name: relation.inverse
    for name, relation in RELATION_NAMES.items()
    if relation.inverse is not None
    and not relation.one_way
    and not RELATION_NAMES[relation.inverse].one_way
}
_BY_FORM = {form: r for r in RELATION_NAMES.values() for form in (r.name, *r.forms)}


def find_relation(text: str) -> RelationName | None:
    """The relation of this name or spelling; None where there is none."""
    return _BY_FORM.get(" ".join(text.lower().translate(_SPELLING).split()))
