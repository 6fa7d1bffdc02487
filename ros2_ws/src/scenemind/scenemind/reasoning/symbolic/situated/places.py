"""Places about the one who asks: "on my left", "in my 7 o'clock direction", "behind me".

They are replaced by marks ("@3"), so that what is left of a sentence reads as noun phrases.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable

from scenemind.reasoning.symbolic.situated.tree import Place
from scenemind.words.english import find_number

_QUARTER = math.pi / 2.0
# To both sides of the middle; "directly" is said of what lies close to it.
_SIDE_WIDTH, _DIRECT_WIDTH = math.radians(50.0), math.radians(30.0)
_HOUR_WIDTH, _SEEN_WIDTH = math.radians(25.0), math.radians(75.0)
# Clockwise from ahead.
BEARINGS = {
    "front": 0.0, "forward": 0.0, "ahead": 0.0, "right": _QUARTER, "left": -_QUARTER,
    "back": math.pi, "behind": math.pi, "backward": math.pi, "rear": math.pi,
}  # fmt: skip

_HOUR = r"(?P<hour>\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)"
_CLOCK = rf"{_HOUR} ?(?:o'?)? ?clock(?: direction| position| side)?"
_TO = r"(?:(?:to|on|at|in|by|towards?|from|over|off) )?"
_HOW = (
    r"(?:(?:immediate|direct|directly|far|further|farther|exact|hard|near|own|very|slight|the"
    r"|upper|lower|immediately) )*"
)
_NAMED = r"left|right|front|back|rear|behind"
_AFTER = r"(?: hand)?(?: side)?(?: direction)?(?: of me| from me| to me| of the room)?"
# "To the left of the door" is about the door.
_NOT_OF = r"(?! (?:side )?(?:of|from) (?!me\b|the room))"
_EXACTLY = r"(?:(?:directly|immediately|right|straight|just|immediate|direct|far) )*"
_AHEAD = r"(?:in front|ahead|across|opposite|forward)"
_POSTURE = r"(?:sitting|standing|seated|lying|laying|leaning|working|resting|sat|kneeling)"
_WALK = r"(?:i )?(?:walk|walked|walking|move|moved|step|stepped|go|went|look|looking)"
_TURN = r"(?:turn|turned|turning|reverse|reversed)"
_ALONE = r"(?= *(?:$|,|@|is\b|are\b|that\b))"

_PATTERNS = (
    (rf"{_TO}(?:my|the)? ?{_CLOCK}(?: of me)?{_NOT_OF}", "hour"),
    (rf"{_TO}my {_HOW}(?P<side>{_NAMED})[ -]?(?P<more>{_NAMED})?{_AFTER}{_NOT_OF}", "side"),
    (
        rf"(?:(?:to|on|at|towards?) )(?:the )?{_HOW}(?P<side>left|right)[ -]?(?P<more>back|front)?"
        rf"{_AFTER}{_NOT_OF}",
        "side",
    ),
    (r"left of me", "left"),
    (r"right of me", "right"),
    (rf"{_EXACTLY}(?:behind|in back of|back of) (?:of )?me", "back"),
    (rf"{_EXACTLY}{_AHEAD} (?:of |from |to )*(?:front )?me", "front"),
    (r"(?:that |which )?i (?:am |can |could )?(?:directly )?(?:facing|looking at)", "front"),
    (r"(?:can |do |could |will )?i (?:can |could )?see(?! if| when)", "seen"),
    (r"facing me", "front"),
    (
        rf"(?:when |if |as |after )?(?:{_WALK}|(?:i )?{_TURN})(?: my head)?(?: straight| directly)?"
        r" (?:around|back|behind|backwards?)",
        "back",
    ),
    (rf"{_WALK}(?: straight)? (?:forwards?|ahead|straight)", "front"),
    (r"within (?:(?:my|arms?|arm's|easy) )*reach(?: of me)?", "here"),
    (
        r"(?:beneath|underneath|under|below|beside|besides|next to|near|nearby|close to|around"
        r"|surrounding|by|with) me",
        "here",
    ),
    (
        rf"(?:that |which |where )?i (?:am |was )?{_POSTURE} (?:on|at|in|by|near|behind|next to"
        r"|beside|in front of|against)(?: it\b)?",
        "here",
    ),
    (
        r"(?:that |which )?i am (?:using|holding|fixing|cleaning|washing|touching|at|on|in|near)",
        "here",
    ),
    (rf"{_EXACTLY}(?:in )?behind{_ALONE}", "back"),
    (rf"{_EXACTLY}in front{_ALONE}", "front"),
)
_COMPILED = tuple((re.compile(rf"(?<![\w@]){pattern}(?!\w)"), name) for pattern, name in _PATTERNS)
_MARK = re.compile(r"@(\d+)")
_DIRECTLY = re.compile(r"\b(?:direct|directly|immediate|immediately|straight)\b")
_HERE = Place(None)


class Places:
    """The places of one sentence; `text` has a mark for each of them."""

    def __init__(self, text: str) -> None:
        self._found: list[Place] = []
        for pattern, name in _COMPILED:
            text = pattern.sub(self._marking(name), text)
        self.text = " ".join(text.split())

    def of(self, words: str) -> tuple[Place, ...]:
        """The places whose marks stand among the words."""
        return tuple(self._found[int(number)] for number in _MARK.findall(words))

    def side_of(self, mark: str) -> str:
        """The name of the side that a mark ("@3") stands for; other words as they are."""
        found = _MARK.fullmatch(mark)
        bearing = self._found[int(found.group(1))].bearing_rad if found else None
        if bearing is None:
            return mark
        return min(
            ("front", "right", "back", "left"), key=lambda s: -math.cos(bearing - BEARINGS[s])
        )

    def _marking(self, name: str) -> Callable[[re.Match[str]], str]:
        def mark(found: re.Match[str]) -> str:
            self._found.append(_place(name, found))
            return f" @{len(self._found) - 1} "

        return mark


def without_marks(words: str) -> str:
    """The words between the marks."""
    return " ".join(_MARK.sub(" ", words).split())


def side(name: str, width_rad: float = _SIDE_WIDTH) -> Place:
    """One of left, right, front and back."""
    return Place(BEARINGS[name], width_rad)


def _place(name: str, found: re.Match[str]) -> Place:
    if name == "here":
        return _HERE
    if name == "hour":
        hour = find_number(found.group("hour")) or 0
        return Place(_wrapped(hour * math.pi / 6.0), _HOUR_WIDTH)
    if name == "seen":
        return side("front", _SEEN_WIDTH)
    width = _DIRECT_WIDTH if _DIRECTLY.search(found.group()) else _SIDE_WIDTH
    if name != "side":
        return side(name, width)
    first = BEARINGS[found.group("side")]
    second = BEARINGS[found.group("more") or found.group("side")]
    x, y = math.cos(first) + math.cos(second), math.sin(first) + math.sin(second)
    # "My left right" is none: the first one counts.
    return Place(math.atan2(y, x) if math.hypot(x, y) > 0.1 else first, width)


def _wrapped(angle_rad: float) -> float:
    return math.atan2(math.sin(angle_rad), math.cos(angle_rad))
