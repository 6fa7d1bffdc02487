"""A sentence as tokens with their places."""

from __future__ import annotations

import re
from dataclasses import dataclass

from scenemind.errors import SceneMindError

# A number below zero is that of a wall, a floor or a ceiling.
_BELOW_ZERO = r"(?<!\S)-\d+(?!\S*\w)"
_TOKEN = re.compile(_BELOW_ZERO + r"|#?\d+(?:\.\d+)?(?!\w)|\w+(?:-\w+)*(?:['\u2019]\w+)?|[^\w\s]")
# "Round the table" is around it.
_ARTICLE = re.compile(r"\s+(?:the|an?|my|our|your|this|that|these|those|it|them)\b", re.IGNORECASE)
_IGNORED = frozenset(".?!\"'`()\u2019\u2018\u201c\u201d#")
_SHORT_FORMS = {
    "where's": "where is", "what's": "what is", "who's": "who is", "which's": "which is",
    "that's": "that is", "there's": "there is", "it's": "it is", "how's": "how is",
    "whatever's": "whatever is", "whichever's": "whichever is",
    "isn't": "is not", "aren't": "are not", "doesn't": "does not", "don't": "do not",
    "they're": "they are", "i'm": "i am", "can't": "can not", "i'd": "i would",
    "you're": "you are", "we're": "we are", "wasn't": "was not", "weren't": "were not",
    "didn't": "did not", "i've": "i have", "we've": "we have", "you've": "you have",
    "one's": "one is", "these're": "these are",
    "that'd": "that would", "it'd": "it would", "you'd": "you would", "let's": "let us",
    "shouldn't": "should not", "wouldn't": "would not", "couldn't": "could not",
    "cannot": "can not", "hasn't": "has not", "haven't": "have not", "won't": "will not",
    "here's": "here is", "those're": "those are", "they've": "they have", "hadn't": "had not",
    "it'll": "it will", "you'll": "you will", "i'll": "i will", "we'll": "we will",
    "that'll": "that will", "there're": "there are",
    "mustn't": "must not", "u": "you", "ur": "your", "y'all": "you all", "could've": "could have",
    "he'd": "he would", "she'd": "she would", "they'd": "they would", "we'd": "we would",
    "where'd": "where did", "what'd": "what did", "who'd": "who did", "how'd": "how did",
    "wanna": "want to", "gonna": "going to", "gotta": "have to", "gimme": "give me",
    "lemme": "let me", "dunno": "do not know", "innit": "is not it",
    "r": "are", "n": "and", "pls": "please", "plz": "please", "thx": "thanks", "ppl": "people",
    "rn": "right now", "smth": "something", "sth": "something", "idk": "i do not know",
    "cos": "because", "cuz": "because", "d'you": "do you", "d'ya": "do you",
}  # fmt: skip
# Without the sign, but for those that are other words.
_NO_SHORT_FORMS = frozenset(
    ("its", "ill", "well", "id", "were", "lets", "wont", "ones", "shed", "wed")
)
_SHORT_FORMS |= {
    bare: written
    for form, written in _SHORT_FORMS.items()
    if (bare := form.replace("'", "")) not in _NO_SHORT_FORMS
}
_COLOUR_WORDS = "black white grey gray red green blue yellow orange brown purple pink beige"
# Before them 's is "is": "which cup's nearer the book", "the cup's on the table".
_AFTER_IS = re.compile(
    r"[^\w,;]*(?:the|an?|it|that|this|not|on|in|at|by|under|near(?:er)?|next|behind|between|above"
    r"|below|closer|closest|nearest|farthest|furthest|standing|lying|sitting|hanging)\b",
    re.IGNORECASE,
)
# After them "its" is "it is": "its on the table", "its dark brown", but "its red lid".
_ITS_IS = re.compile(
    r"\W*(?:the|an?|not|now|in|on|at|by|under|near|next|behind|between|above|below|mine|yours|ours)\b"
    rf"|\W*(?:(?:dark|light|bright|pale)\W+)?(?:{'|'.join(_COLOUR_WORDS.split())})\s*(?:$|[.,;!?])",
    re.IGNORECASE,
)
_AFTER_HAS = re.compile(r"\W*(?:been|got|gone)\b", re.IGNORECASE)
_ONE_WORD = {
    "left-most": "leftmost", "right-most": "rightmost", "&": "and",
    "left-hand": "left hand", "right-hand": "right hand",
}  # fmt: skip


class NotUnderstoodError(SceneMindError):
    """A sentence has no tree; the message is the part of it that could not be read."""


@dataclass(frozen=True, slots=True)
class Token:
    """One lower-case word or sign, and its start in the sentence."""

    word: str
    start: int


def tokenize(text: str) -> list[Token]:
    """Tokens of a text, without quotes, sentence ends and "still", short forms written out."""
    tokens: list[Token] = []
    for found in _TOKEN.finditer(text):
        word = found.group().lower().replace("\u2019", "'")
        if word in _IGNORED:
            continue
        word = word.lstrip("#")
        spelled = _SHORT_FORMS.get(word, _ONE_WORD.get(word, word))
        if spelled.endswith("'s"):
            is_verb = _AFTER_IS.match(text, found.end()) or _is_asked_how(tokens)
            verb = " has" if _AFTER_HAS.match(text, found.end()) else " is" * bool(is_verb)
            spelled = f"{spelled[:-2]}{verb}"
        if spelled == "its" and _ITS_IS.match(text, found.end()):
            spelled = "it is"
        if spelled == "round" and _ARTICLE.match(text, found.end()):
            spelled = "around"
        tokens.extend(Token(part, found.start()) for part in spelled.split())
    following = [*(token.word for token in tokens), ""][1:]
    # "Is the cup still there?", but "the still life".
    return [
        token
        for token, after in zip(tokens, following, strict=True)
        if token.word != "still" or after == "life"
    ]


def _is_asked_how(before: list[Token]) -> bool:
    """Whether a word follows "how": "how full's the bottle"."""
    return bool(before) and before[-1].word == "how"
