"""Time expressions: "at 10:05", "five minutes ago", "since yesterday at 9 pm"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import time

from scenemind.language.english import find_number, singular

_UNITS_S = {
    "second": 1, "sec": 1, "s": 1, "minute": 60, "min": 60, "hour": 3600, "h": 3600,
    "day": 86_400, "week": 604_800,
}  # fmt: skip
_MANY = {"a": 1.0, "an": 1.0, "one": 1.0, "half": 0.5, "few": 3.0, "couple": 2.0}
_TENS = {"fifteen": 15, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60}
_DAYS = {"today": 0, "yesterday": 1}
_LAST_VISIT = (
    "the last visit", "last visit", "your last visit", "the previous visit", "last time",
    "the last time", "before", "you were last here", "you were here last", "my last visit",
)  # fmt: skip
_LONGEST = 9  # words


@dataclass(frozen=True, slots=True)
class Moment:
    """A moment relative to the newest frame.

    Attributes:
        ago_s: before the newest frame; None: a time of day.
        clock: time of day. days_ago: before the newest frame's day; None: the last such time.
    """

    ago_s: float | None = None
    clock: time | None = None
    days_ago: int | None = None


@dataclass(frozen=True, slots=True)
class TimeExpression:
    """Time expression at the end of a sentence; `moment` None: the previous visit.

    Attributes:
        start: number of its first word.
    """

    start: int
    moment: Moment | None


def find_moment(words: Sequence[str]) -> TimeExpression | None:
    """The longest time expression at the end of a sentence; None without one."""
    for start in range(max(0, len(words) - _LONGEST), len(words)):
        rest = list(words[start:])
        said = _without_preposition(rest)
        if said != rest and " ".join(said) in _LAST_VISIT:
            return TimeExpression(start, None)
        moment = _ago(rest) or _clock(said)
        if moment is not None:
            return TimeExpression(start, moment)
    return None


def _without_preposition(words: list[str]) -> list[str]:
    return words[1:] if words and words[0] in ("at", "since", "after", "by", "around") else words


def _ago(words: list[str]) -> Moment | None:
    """Read "5 minutes ago", "in the last half hour", "since an hour ago"."""
    words = _without_preposition(words)
    if words[:1] in (["in"], ["during"], ["within"], ["over"], ["for"]):
        words = words[1:]
    if words[:1] == ["the"]:
        words = words[1:]
    if words[:1] in (["last"], ["past"]):
        seconds = _span_s(words[1:])
    else:
        seconds = _span_s(words[:-1]) if words[-1:] == ["ago"] else None
    return None if seconds is None else Moment(ago_s=seconds)


def _span_s(words: list[str]) -> float | None:
    """Read "5 minutes", "half an hour", "minute"."""
    *many, unit = words or [""]
    seconds = _UNITS_S.get(singular(unit))
    if seconds is None:
        return None
    factor = _factor([word for word in many if word != "of"])
    return None if factor is None else factor * seconds


def _factor(words: list[str]) -> float | None:
    if not words:
        return 1.0
    if words in (["half", "an"], ["half", "a"]):
        return 0.5
    word = words[-1]
    if words[:-1] not in ([], ["a"]):
        return None
    if word in _MANY:
        return _MANY[word]
    return _number(word)


def _number(word: str) -> float | None:
    try:
        return float(word) if word[:1].isdigit() and word.isascii() else float(_named(word))
    except ValueError:
        return None


def _named(word: str) -> int | str:
    number = find_number(word)
    return _TENS.get(word, word) if number is None else number


def _clock(words: list[str]) -> Moment | None:
    """Read "10:05", "10:05:30", "9 pm", "yesterday at 10:05", "3 o'clock", "noon", "yesterday"."""
    days: int | None = None
    if words[:1] and words[0] in _DAYS:
        days, words = _DAYS[words[0]], _without_preposition(words[1:])
    elif words and words[-1] in _DAYS:
        days, words = _DAYS[words[-1]], words[:-1]
    if not words:
        return None if days is None else Moment(clock=time(0), days_ago=days)
    of_day = _time_of_day(words)
    return None if of_day is None else Moment(clock=of_day, days_ago=days)


def _time_of_day(words: list[str]) -> time | None:
    if words in (["noon"], ["midnight"]):
        return time(12 if words == ["noon"] else 0)
    text = " ".join(words).replace(" : ", ":").replace("o clock", "o'clock")
    for ending in ("o'clock", "oclock"):
        if text.endswith(ending):
            hour = find_number(text.removesuffix(ending).strip())
            return None if hour is None else _made_time([hour], "")
    half = next((h for h in ("am", "pm") if text.endswith(h)), "")
    parts = text.removesuffix(half).strip().split(":")
    if not all(part.isascii() and part.isdigit() for part in parts):
        return None
    return _made_time([int(part[:4]) for part in parts], half) if len(parts) > 1 or half else None


def _made_time(parts: list[int], half: str) -> time | None:
    hour, *rest = parts
    if half:
        hour = hour % 12 + 12 * (half == "pm") if 1 <= hour <= 12 else 99
    try:
        minute, second = (*rest, 0, 0)[:2]
        return time(hour, minute, second) if len(rest) <= 2 else None
    except ValueError:
        return None
