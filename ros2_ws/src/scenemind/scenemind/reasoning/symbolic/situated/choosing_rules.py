"""Questions that offer answers: nearer A or B, open or closed, left or right, the same or not."""

from __future__ import annotations

import re

from scenemind.reasoning.symbolic.situated.sentence import Sentence
from scenemind.reasoning.symbolic.situated.tree import (
    AskSame,
    AskState,
    AskWhich,
    Comparand,
    Comparison,
)

_SAME = re.compile(r"\b(?:the )?same (color|shape|material)? ?(?:as|of|like|to)?")
_COMPARANDS: dict[str | None, Comparand] = {
    "color": "color",
    "shape": "shape",
    "material": "material",
}
_COMPARISONS: tuple[tuple[str, Comparison], ...] = (
    (r"(?:much )?(?:closer|closest|nearer|nearest|near|close)(?: to ?me)?", "closest"),
    (r"(?:farther|farthest|further|furthest)(?: away)?(?: from me)?", "farthest"),
    (r"bigger|larger|biggest|largest|longer|wider", "largest"),
    (r"smaller|smallest|shorter", "smallest"),
    (r"taller|higher|tallest|highest", "tallest"),
)
_COMPARED = tuple((re.compile(rf"\b(?:{words})\b"), by) for words, by in _COMPARISONS)
_BETWEEN = re.compile(r"\bbetween\b(.*)")
_OR = re.compile(r"\bor\b|,")
_AND_OR = re.compile(r"\band\b|\bor\b|,")
_OFFERED = re.compile(
    r"(?P<first>@\d+|[\w-]+)(?: *, *(?P<more>[\w-]+) *,?)? *,?"
    r" or (?:(?:on|in|at|is it|a|an|the|my) )*(?P<last>@\d+|[\w-]+)"
)
_NO_OPTIONS = frozenset(("first", "another", "me", "it"))
_SHAPE_OF = re.compile(r"\bshape of\b")


def same(s: Sentence) -> AskSame | None:
    """ "is the chair the same color as the table"."""
    found = _SAME.search(s.marked)
    if found is None or not s.is_yes_no:
        return None
    first, second = s.thing(s.marked[: found.start()]), s.thing(s.marked[found.end() :])
    return AskSame(first, second, _COMPARANDS.get(found.group(1), "thing"))


def which(s: Sentence) -> AskWhich | None:
    """ "what is nearer to me, the box or the counter"; "... between the box and the counter"."""
    if s.is_yes_no:
        return None
    for pattern, by in _COMPARED:
        found = pattern.search(s.marked)
        if found is None:
            continue
        between = _BETWEEN.search(s.marked)
        options = _AND_OR.split(between.group(1)) if between else _OR.split(s.marked[found.end() :])
        named = [thing for option in options if (thing := s.thing(option)).noun]
        if len(named) >= 2:
            return AskWhich(tuple(named[-2:]), by)
    return None


def state(s: Sentence) -> AskState | None:
    """ "is the door open or closed", "is the table on my left or behind me"."""
    found = _OFFERED.search(s.marked)
    if found is None or s.main.startswith("where"):
        return None
    said = found.group("first", "more", "last")
    options = tuple(s.places.side_of(word) for word in said if word and word not in _NO_OPTIONS)
    if len(options) < 2:
        return None
    of = f"{s.marked[: found.start()]} {s.marked[found.end() :]}"
    return AskState(s.thing(_SHAPE_OF.sub(" ", of)), options)
