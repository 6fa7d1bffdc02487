"""One form for one meaning, by regular expressions over whole words (`plain_form.yaml`)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, lru_cache

from scenemind.language.english import read_table
from scenemind.language.tokens import Token

Words = tuple[str, ...]


@cache
def _rewrites(package: str) -> list[tuple[re.Pattern[str], str]]:
    """The table of a package, in which "<agents>" stands for a word of that list of the lexicon."""
    lists = read_table("scenemind.language", "lexicon.yaml")["words"]
    return [
        (re.compile(said if said[0] in "^ " or said[:3] == "(?<" else rf"(?<!\S){said}"), written)
        for pattern, written in read_table(package, "plain_form.yaml")
        for said in [re.sub(r"<(\w+)>", lambda name: f"(?:{'|'.join(lists[name[1]])})", pattern)]
    ]


def plain(tokens: Sequence[Token]) -> list[Token]:
    """Tokens with one form for one meaning, by the table of questions."""
    return rewritten(tokens, "scenemind.language")


def rewritten(tokens: Sequence[Token], package: str) -> list[Token]:
    """Tokens with one form for one meaning, by the table of a package."""
    words = [token.word for token in tokens]
    starts = [token.start for token in tokens]
    for start, end, new in _rewritten(tuple(words), package):
        words[start:end] = new
        starts[start:end] = [starts[min(start, len(starts) - 1)]] * len(new)
    return [Token(word, start) for word, start in zip(words, starts, strict=True)]


@lru_cache(maxsize=256)  # a question is tried whole and as its clauses, which often are the same
def _rewritten(words: Words, package: str) -> tuple[tuple[int, int, Words], ...]:
    """What the table makes of words: from which to which word, and what stands there then, one
    after the other."""
    said, made = " ".join(words), []
    for pattern, written in _rewrites(package):
        found = pattern.search(said)
        if found is not None:
            start = said[: found.start()].rstrip().count(" ") + bool(said[: found.start()].strip())
            now, new = said.split(), tuple(found.expand(written).split())
            end = start + len(found.group().split())
            made.append((start, end, new))
            said = " ".join((*now[:start], *new, *now[end:]))
    return tuple(made)
