"""Time expressions: "at 10:05", "five minutes ago", "since yesterday at 9 pm"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import time

from scenemind.language.english import find_number, singular

_UNITS_S = {
    "second": 1, "sec": 1, "s": 1, "minute": 60, "min": 60, "hour": 3600, "h": 3600,
    "day": 86_400, "week": 604_800,
}  # fmt: skip
_MANY = {
    "": 1.0, "a": 1.0, "an": 1.0, "one": 1.0, "half": 0.5, "half a": 0.5, "half an": 0.5,
    "few": 3.0, "a few": 3.0, "couple": 2.0, "a couple": 2.0,
}  # fmt: skip
_DAYS = {"today": 0, "yesterday": 1, "the day before yesterday": 2}
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_OF_TODAY = {
    "this morning": 6, "lunch": 12, "lunchtime": 12, "this afternoon": 12, "this evening": 18,
}  # fmt: skip
_OF_YESTERDAY = {
    "last night": 18, "yesterday morning": 6, "yesterday afternoon": 12, "yesterday evening": 18,
    "yesterday night": 18, "last evening": 18,
}  # fmt: skip
_AROUND = ("around", "round")
_LAST_VISIT = (
    "the last visit", "last visit", "your last visit", "the previous visit", "last time",
    "the last time", "before", "you were last here", "you were here last", "my last visit",
    "the last round", "the last run", "the last tour",
    *(f"you last {look}" for look in ("looked", "had a look")),
    *(f"you last {look} {way}" for look in ("looked", "had a look", "went") for way in _AROUND),
)  # fmt: skip
_RECENTLY = (
    "lately",
    "recently",
    *(f"{way} {time}" for way in ("in", "on") for time in _LAST_VISIT),
)
_LONGEST = 9  # words
_BEFORE = r"(?:(?:at|since|after|by|around)(?: |$))?"
# "5 minutes ago", "in the last half hour", "since an hour ago".
_AGO = re.compile(
    _BEFORE + r"(?:(?:in|during|within|over|for) )?(?:the )?(?P<past>(?:last|past) )?"
    r"(?:(?P<many>(?:a |half )?\S+) (?:of )?)?(?P<unit>[a-z]+)(?(past)| ago)"
)
# "Yesterday", "since last monday".
_DAY = rf"{'|'.join(_DAYS)}|(?:on )?(?:last |this )?(?:{'|'.join(WEEKDAYS)})"
_ON_DAY = re.compile(
    rf"{_BEFORE}(?:(?P<before>{_DAY}) ?{_BEFORE})?(?P<time>.*?) ?(?P<after>{_DAY})?"
)
# "At nine", "this evening at eight".
_AT_HOUR = re.compile(r"(?:this (?P<part>morning|afternoon|evening) )?at (?P<hour>[a-z]+)")
_TIME = re.compile(
    r"(?P<named>noon|midnight)|(?P<hour>\S+) o ?'?clock"
    r"|(?P<digits>\d+(?: ?: ?\d+){0,2}) ?(?P<half>am|pm)?"
)


@dataclass(frozen=True, slots=True)
class Moment:
    """A moment relative to the newest frame.

    Attributes:
        ago_s: before the newest frame; None: a time of day.
        clock: time of day. days_ago: before the newest frame's day; None: the last such time.
        weekday: the last such day before the newest frame's day, 0 for Monday; None: no such day.
    """

    ago_s: float | None = None
    clock: time | None = None
    days_ago: int | None = None
    weekday: int | None = None


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
        said = " ".join(words[start:])
        bare = re.sub(f"^{_BEFORE}", "", said)
        if (bare != said and bare in _LAST_VISIT) or said in _RECENTLY:
            return TimeExpression(start, None)
        moment = _ago(said) or _clock(said)
        if moment is not None:
            return TimeExpression(start, moment)
    return None


def _ago(said: str) -> Moment | None:
    found = _AGO.fullmatch(said)
    seconds = _UNITS_S.get(singular(found["unit"])) if found else None
    factor = _factor(found["many"] or "") if found else None
    return None if seconds is None or factor is None else Moment(ago_s=float(factor * seconds))


def _factor(many: str) -> float | None:
    if many in _MANY:
        return _MANY[many]
    one = many.removeprefix("a ")
    try:
        return float(one) if one[:1].isdigit() and one.isascii() else find_number(one)
    except ValueError:
        return None


def _clock(said: str) -> Moment | None:
    """Read "10:05", "10:05:30", "9 pm", "yesterday at 10:05", "3 o'clock", "noon", "yesterday",
    "last monday", "this morning"."""
    bare = re.sub(f"^{_BEFORE}", "", said)
    for days_ago, hours in enumerate((_OF_TODAY, _OF_YESTERDAY)):
        if bare in hours:
            return Moment(clock=time(hours[bare]), days_ago=days_ago)
    spoken = _AT_HOUR.fullmatch(said)
    if spoken and (hour := find_number(spoken["hour"])) is not None:
        return _at_hour(hour, spoken["part"])
    found = _ON_DAY.fullmatch(said)
    day = found and (found["before"] or found["after"])
    if not found or (found["before"] and found["after"]):
        return None
    of_day = time(0) if day and not found["time"] else _time_of_day(found["time"])
    if of_day is None:
        return None
    name = day if day in _DAYS else day.split(" ")[-1] if day else ""
    weekday = WEEKDAYS.index(name) if name in WEEKDAYS else None
    return Moment(clock=of_day, days_ago=_DAYS.get(name), weekday=weekday)


def _at_hour(hour: int, part: str | None) -> Moment | None:
    """An hour by its number alone, of this morning, afternoon or evening if that was said."""
    if not 1 <= hour <= 12:
        return None
    of_day = time(hour % 12 + 12 * (part in ("afternoon", "evening") or hour == 12))
    return Moment(clock=of_day, days_ago=None if part is None else 0)


def _time_of_day(said: str) -> time | None:
    found = _TIME.fullmatch(said)
    if found is None or not said.isascii():
        return None
    if found["named"]:
        return time(12 if found["named"] == "noon" else 0)
    hour, *rest = (found["digits"] or str(find_number(found["hour"]))).split(":")
    if not hour.strip().isdigit() or (found["digits"] and not rest and not found["half"]):
        return None
    return _made_time([int(part[:5]) for part in (hour, *rest)], found["half"])


def _made_time(parts: list[int], half: str | None) -> time | None:
    hour, minute, second = (*parts, 0, 0)[:3]
    if half:
        hour = hour % 12 + 12 * (half == "pm") if 1 <= hour <= 12 else 99
    try:
        return time(hour, minute, second)
    except ValueError:
        return None
