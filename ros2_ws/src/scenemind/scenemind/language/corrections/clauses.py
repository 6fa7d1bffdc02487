"""A correcting sentence as tokens, with a comma at each end of a clause."""

from __future__ import annotations

import re
from collections.abc import Sequence

from scenemind.language.corrections.slots import is_short_for_is
from scenemind.language.english import SENTENCE_END
from scenemind.language.plain_form import rewritten
from scenemind.language.speech_acts import words_in
from scenemind.language.tokens import Token, tokenize

# Ends of sentences, and signs between clauses; a semicolon is none in speech.
_BREAK = re.compile(
    rf"{SENTENCE_END}(?=\s+\S)|\u2026|\s[-\u2013\u2014]+\s|[\u2013\u2014]|:(?=\s)"
    r"|;(?=\s+(?:it|that|this|they|these|those|there|the|my|our|your|he|she|we|i|you)\b)"
)
_MATES = words_in("mates")
_DEFINITE = ("the", "that", "this", "my", "our", "your")
# Words that may join clauses.
JOINS = frozenset((",", "and", "but", "so", "because", "since", "although", "though"))


def broken_up(text: str) -> list[Token]:
    """Tokens of a sentence, with a comma at each clause end and "the lamp's grey" written out."""
    said = _BREAK.sub(lambda found: ",".ljust(len(found.group())), text)
    tokens = rewritten(tokenize(said), "scenemind.language.corrections")
    words, tokens = tokens, []
    for place, token in enumerate(words):
        is_aside = token.word in _MATES and [w.word for w in words[place + 1 : place + 2]] == [","]
        if is_aside and tokens and tokens[-1].word not in ("a", "an", "no", *_DEFINITE):
            continue  # "that is oak, mate, not pine", "it is a vase love, not a jug"
        is_call = token.word in _MATES and place and words[place + 1 : place + 2] != []
        if is_call and words[place + 1].word in ("it", "this", "that", "they"):
            token = Token(",", token.start)  # "that is no lamp dude it is a speaker"
        if token.word == "," and (not tokens or tokens[-1].word == ","):
            continue
        tokens.append(token)
        following = [other.word for other in words[place + 1 : place + 3]]
        if _is_written_is(said, token, following):
            tokens.append(Token("is", token.start))
    return tokens


def _is_written_is(text: str, token: Token, following: Sequence[str]) -> bool:
    """Whether "'s" stands for "is" ("the lamp's grey", but not "the lamp's colour")."""
    written = text[token.start :].lower().replace("\u2019", "'")
    if not following or not written.startswith(f"{token.word}'s"):
        return False
    return is_short_for_is(following)
