"""A question with its places marked, as the rules of the grammar read it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from scenemind.reasoning.symbolic.situated.phrases import read_thing
from scenemind.reasoning.symbolic.situated.places import Places
from scenemind.reasoning.symbolic.situated.spelling import spelled
from scenemind.reasoning.symbolic.situated.tree import Thing

YES_NO = re.compile(r"^(?:is|are|was|were|do|does|did|can|could|will|would|am|should|has|have)\b")
_OPENING = re.compile(
    r"^(?:what|which|who|is|are|was|were|do|does|did|can|could|will|would|am|the|there|how many)\b"
)
# Words at the front of a question that do not belong to what it asks about.
_LEAD = re.compile(
    r"^(?:(?:what|which|who|is|are|was|were|am|do|does|did|can|could|would|will|should|there|their"
    r"|i|you|we|still|be|able|to|see|one|objects?|things?|if|when|where|any|amount|of|number|how"
    r"|many|total|have|has|the|a|an|same|not|type|kind|sitting|standing|located|placed|just|hanging"
    r"|lying|mounted|stored|get|use|used) )+"
)


@dataclass(frozen=True, slots=True)
class Sentence:
    """A question in lower case.

    Attributes:
        text: as it was said, spelled in one way.
        main: the clause that asks, with marks.
        places: the places of all of it; their `text` has marks for them.
    """

    text: str
    main: str
    places: Places

    @classmethod
    def read(cls, text: str) -> Sentence:
        plain = spelled(text)
        places = Places(plain)
        return cls(plain, _main_clause(places.text), places)

    @property
    def marked(self) -> str:
        return self.places.text

    @property
    def is_yes_no(self) -> bool:
        return YES_NO.match(self.main) is not None

    def thing(self, words: str) -> Thing:
        """What words with marks speak of, without the asking ones at their front."""
        return read_thing(_LEAD.sub("", f"{words.strip()} "), self.places)


def _main_clause(marked: str) -> str:
    """ "if I turn around, what is there" -> "what is there"."""
    clauses = [clause.strip() for clause in marked.split(",")]
    if _OPENING.match(clauses[0]):
        return marked
    return next((clause for clause in clauses[1:] if _OPENING.match(clause)), marked)
