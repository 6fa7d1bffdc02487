"""Answers of a scripted agent to the questions of the table, from the results of its tools."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable
from typing import Any

from scenemind.evaluation.alignment.generator import read_wordings
from scenemind.language.english import number_word
from tests.unit.evaluation.alignment.agent_sight import (
    Sighting,
    called,
    ids_in,
    nearest,
    related_in,
)

Answering = Generator[tuple[str, dict[str, Any]], str, None]

_FIELD = re.compile(r"\\\{(a_)?(\w+)\\\}")


def answer_to(question: str) -> Answering:
    """Look up the objects of the question, and give the answer."""
    kind, words = _read(question)
    found: dict[str, list[Sighting]] = {}
    for part in ("noun", "nouns", "anchor", "other"):
        if part in words:
            observed = yield "query_for_objects", {"query": words[part]}
            found[part] = called(words[part], observed)
    things, others = [*found.get("noun", ()), *found.get("nouns", ())], found.get("other", [])
    value = words.get("value", "")
    match kind:
        case "color" | "material" | "shape":
            values = [thing.attributes.get(kind, "not known") for thing in things]
            yield from _said(f"The {kind} is {(values or ['not known'])[0]}.", things)
        case "is_shaped":
            yield from _yes_no(value in _all_of(things, "shape"), things)
        case "is_made_of":
            yield from _yes_no(value in _all_of(things, "material"), things)
        case "is_there_colored":
            yield from _yes_no(value in _all_of(things, "color"), things)
        case "same_color" | "two_same_color":
            yield from _yes_no(len(_all_of([*things, *others], "color")) == 1, things)
        case "same_material":
            yield from _yes_no(len(_all_of([*things, *others], "material")) == 1, things)
        case "count":
            yield from _said(f"There are {number_word(len(things))}.", things)
        case "on_what" | "on_beside":
            yield from _on(found.get("anchor", []), others)
        case "supporting":
            yield from _under(things)
        case "is_on":
            under = yield from _related(things, "on")
            on_it = {thing.object_id for thing in found.get("anchor", [])} & under.keys()
            yield from _yes_no(bool(on_it), things)
        case "is_left" | "is_right":
            yield from _beside(things, others, kind.removeprefix("is_"))


def _on(anchors: list[Sighting], beside: list[Sighting]) -> Answering:
    """Things on an object and, if another one is given, next to that one."""
    carried = yield from _related(anchors, "supporting")
    candidates = {
        i: label for i, label in carried.items() if i not in {b.object_id for b in beside}
    }
    if len(candidates) > 1 and beside:
        observed = ""
        for label in sorted(set(candidates.values())):
            observed += yield "query_for_objects", {"query": label}
        there = [
            thing
            for label in set(candidates.values())
            for thing in called(label, observed)
            if thing.object_id in candidates
        ]
        closest = nearest(there, beside[0])
        candidates = {closest.object_id: closest.label}
    yield from _names(candidates)


def _under(things: list[Sighting]) -> Answering:
    yield from _names((yield from _related(things, "on")))


def _beside(things: list[Sighting], others: list[Sighting], side: str) -> Answering:
    if not others:
        return
    arguments = {"object_ids": [others[0].object_id], "relation": side}
    on_that_side = ids_in((yield "query_for_relations", arguments))[1:]
    yield from _yes_no(any(thing.object_id in on_that_side for thing in things), things)


def _related(
    things: list[Sighting], predicate: str
) -> Generator[tuple[str, dict[str, Any]], str, dict[int, str]]:
    if not things:
        return {}
    ids = [thing.object_id for thing in things]
    return related_in((yield "query_for_relations", {"object_ids": ids}), predicate)


def _names(found: dict[int, str]) -> Answering:
    if found:
        yield "post_process", {"object_ids": [i for i in found if i >= 0]}
        yield "final_answer", {"answer": f"It is {' and '.join(found.values())}."}


def _yes_no(is_so: bool, things: list[Sighting]) -> Answering:
    if things:
        yield from _said("Yes." if is_so else "No.", things)


def _said(answer: str, things: Iterable[Sighting]) -> Answering:
    ids = [thing.object_id for thing in things]
    if ids:
        yield "post_process", {"object_ids": ids}
    yield "final_answer", {"answer": answer}


def _all_of(things: Iterable[Sighting], key: str) -> set[str]:
    return {thing.attributes.get(key, "") for thing in things}


def _read(question: str) -> tuple[str, dict[str, str]]:
    """The kind of the question in the table, and the words in it."""
    for kind, pattern in _PATTERNS:
        if found := pattern.fullmatch(question):
            return kind, found.groupdict()
    raise ValueError(f"no question of the table: {question}")


def _pattern(wording: str) -> re.Pattern[str]:
    article = {None: "", "a_": "an? "}
    parts = _FIELD.sub(lambda m: f"{article[m.group(1)]}(?P<{m.group(2)}>.+)", re.escape(wording))
    return re.compile(parts)


# The most words of a wording first: "Is the {noun} {value}?" fits nearly all.
_PATTERNS = [
    (kind, _pattern(wording))
    for kind, wording in sorted(
        (
            (kind, wording)
            for kind, ways in read_wordings()["questions"].items()
            for wording in ways
            if kind != "is_shaped_colored"  # a property before the noun is found anyway
        ),
        key=lambda pair: -len(re.sub(r"\{\w+\}", "", pair[1])),
    )
]
