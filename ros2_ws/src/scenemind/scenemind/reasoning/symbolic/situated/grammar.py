"""What kind of question a situated one is.

Rules are tried in turn on the sentence with its places marked; the last one reads everything.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from scenemind.reasoning.symbolic.situated import (
    choosing_rules,
    claim_rules,
    counting_rules,
    way_rules,
)
from scenemind.reasoning.symbolic.situated.phrases import content_words
from scenemind.reasoning.symbolic.situated.sentence import Sentence
from scenemind.reasoning.symbolic.situated.tree import (
    AskProperty,
    AskWhat,
    Property,
    SituatedTree,
)

_WORDS: dict[Property, str] = {
    "color": "colors?",
    "shape": "shapes?",
    "material": "materials?",
    "size": "sizes?",
}
_ASKED: tuple[tuple[str, Property], ...] = (
    *(
        (rf"\b(?:what|which) (?:is |are |was )?(?:the )?(?:main |primary )?(?:{words})\b", which)
        for which, words in _WORDS.items()
    ),
    (r"\bmade (?:up )?(?:out of|of|from)(?= *(?:@\d+ *)*$)", "material"),
)
_PROPERTIES = tuple((re.compile(pattern), which) for pattern, which in _ASKED)
_OTHERWISE = re.compile(r"\bor\b|\bhow many\b")
_OF_PROPERTY = re.compile(r"\b(?:is|are|was|were|used to make|of|resemble|what)\b")


def read_question(text: str) -> SituatedTree:
    """The tree of a question; there always is one."""
    sentence = Sentence.read(text)
    trees = (rule(sentence) for rule in _RULES)
    return next((tree for tree in trees if tree is not None), _what(sentence))


def _property(s: Sentence) -> AskProperty | None:
    """ "what color is the door"."""
    if _OTHERWISE.search(s.marked):
        return None
    for pattern, which in _PROPERTIES:
        found = pattern.search(s.marked)
        if found is not None:
            rest = f"{s.marked[: found.start()]} {s.marked[found.end() :]}"
            return AskProperty(s.thing(_OF_PROPERTY.sub(" ", rest)), which)
    return None


def _what(s: Sentence) -> AskWhat:
    """All words that do not name something are hints, also those before the main clause."""
    thing = s.thing(s.main)
    anchors = [anchor for link in thing.links for anchor in link.anchors]
    named = {word for part in (thing, *anchors) for word in part.noun.split()}
    described = {word for anchor in anchors for word in anchor.adjectives}
    hints = tuple(word for word in content_words(s.marked) if word not in named | described)
    if not thing.places and not thing.links:
        thing = replace(thing, places=s.places.of(s.marked))
    return AskWhat(replace(thing, hints=hints))


_RULES: tuple[Callable[[Sentence], SituatedTree | None], ...] = (
    counting_rules.parity,
    counting_rules.divided,
    choosing_rules.same,
    claim_rules.claim,
    claim_rules.room,
    _property,
    counting_rules.count,
    way_rules.direction,
    choosing_rules.which,
    way_rules.visible,
    way_rules.clear,
    way_rules.reach,
    choosing_rules.state,
    claim_rules.exists,
)
