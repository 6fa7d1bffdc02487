"""Perceived text as data: what labels, captions and signs may say to a language model.

Names that a person gives, or a sign held into the camera, would otherwise become parts of the
prompt. All perceived text reaches a prompt through `quoted`, or through `tame` inside JSON.
"""

from __future__ import annotations

import json
import re
import unicodedata
from functools import lru_cache

LONGEST = 80
_CUT = "..."
# Characters that are examined, in limits, since some are dropped.
_LOOKED_AT = 8
# Beside letters, accents, numbers and blanks. What marks parts of a prompt is not among them:
# angle, square and curly brackets, bars, backslashes, backticks.
_SIGNS = frozenset(".,:;!?'\"()/&%+-=*#@_°€$£\N{MULTIPLICATION SIGN}÷±≈≤≥¿¡。、")
# Typographic quotes and dashes: people and models write them for the plain ones.
_PLAIN = {
    **dict.fromkeys((0x2018, 0x2019, 0x201A, 0x201B, 0x2032), "'"),
    **dict.fromkeys((0x201C, 0x201D, 0x201E, 0x201F, 0x2033, 0xAB, 0xBB), '"'),
    **dict.fromkeys((*range(0x2010, 0x2016), 0x2212), "-"),
}
# Invisible letters and accents (Unicode's Default_Ignorable_Code_Point), which could hide text or
# make one label look like another.
_UNSEEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]"
)


def quoted(text: str, limit: int = LONGEST) -> str:
    """Perceived text as a JSON string in one line, see `tame`; quotes and escapes exceed the
    limit."""
    return json.dumps(tame(text, limit), ensure_ascii=False)


def tame(text: str, limit: int = LONGEST) -> str:
    """Perceived text in one line of at most `limit` characters, and of plain ones: letters, accents
    and numbers of any script, single blanks and common punctuation. Empty where nothing is left.

    In Unicode's form NFKC, so that one spelling stands for all that look alike by definition.
    Format characters (bidirectional and zero-width ones among them) are left out, everything else
    that is not plain is a blank. What has been tamed stays as it is when it is tamed again.
    """
    return _tame(text[: _LOOKED_AT * limit], limit)


@lru_cache(maxsize=8192)
def _tame(text: str, limit: int) -> str:
    signs = unicodedata.normalize("NFKC", text).translate(_PLAIN)
    plain = "".join(map(_plain, _UNSEEN.sub("", signs)))
    line = unicodedata.normalize("NFKC", " ".join(plain.split()))
    return line if len(line) <= limit else line[: max(0, limit - len(_CUT))].rstrip() + _CUT[:limit]


def _plain(sign: str) -> str:
    kind = unicodedata.category(sign)
    if sign in _SIGNS or kind[0] in "LN" or kind in ("Mn", "Mc"):
        return sign
    return "" if kind == "Cf" else " "
