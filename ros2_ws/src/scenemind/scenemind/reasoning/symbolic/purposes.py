"""Phrases that name a thing by what it does, or by what somebody does with it.

"The thing that keeps the milk cold" is what is for milk and cold: what things are for is general
knowledge (`usual.py`), whose words decide whether a clause tells a purpose at all.
"""

from __future__ import annotations

from scenemind.language import lexicon
from scenemind.language.referring.whole import read_phrase
from scenemind.language.tokens import tokenize
from scenemind.language.trees import NounPhrase
from scenemind.reasoning.symbolic.usual import is_of_purpose

# What begins a clause about a thing without a name.
_OPENING = frozenset(
    ("that", "which", "where", "for", "i", "we", "you", "one", "people", "someone")
)


def by_purpose(text: str) -> str:
    """A phrase for a nameless thing with its purpose in place of a clause: "the tall thing for milk
    cold by the door" of "the tall thing by the door that keeps the milk cold"; empty for others."""
    words = [part for token in tokenize(text) for part in token.word.split("-") if part]
    for at in range(1, len(words)):
        is_named_next = words[at] in lexicon.DEFINITE and words[at - 1] in lexicon.ANYTHING
        if words[at] not in _OPENING and not is_named_next:  # "the thing the cat sleeps on"
            continue
        phrase, _ = read_phrase(words[:at])
        said = [word for word in words[at:] if is_of_purpose(word)]
        is_nameless = isinstance(phrase, NounPhrase) and lexicon.ANYTHING.issuperset(
            phrase.noun.split(" ")[-1:] if phrase.noun else ()
        )
        named_at = [n for n, word in enumerate(words[:at]) if word in lexicon.ANYTHING]
        if is_nameless and said and named_at:
            head = named_at[0] + 1
            return " ".join((*words[:head], "for", *said, *words[head:at]))
    return ""
