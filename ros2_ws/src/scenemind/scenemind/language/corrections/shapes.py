"""Shapes of sentences as data: words, options and typed slots, matched with backtracking.

    shape := choice ("|" choice)*      choice := item*      item := ("&" | "!")? atom ("?" | "*")?
    atom := word | "<" name ">" | "{" slot "}" | "(" shape ")" | "$"

"<be>" is a shape of that name, "{subject}" a slot that is bound to its value, "{other=reference}"
the same under another name. "{subject^}" may also end before each word that can follow it ("cup" of
"replace cup with mug"). "&" looks ahead, "!" denies, "$" is the end.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from scenemind.language.parser import Parser
from scenemind.language.tokens import NotUnderstoodError, Token

Bound = Mapping[str, Any]
Then = Callable[[int, Bound], Any]
Slot = Callable[[Parser], Any]
# Name under which all words of a sentence are bound.
ALL_WORDS = "*"
_SIGN = re.compile(r"\{[^}]*\}|<[^>]*>|[()|?*&!$]|[^\s()|?*&!${}<>]+")


class Reading:
    """A sentence that shapes are matched with.

    Attributes:
        end: index of the word before which shapes end.
    """

    def __init__(self, text: str, tokens: list[Token]) -> None:
        self.words = tuple(token.word for token in tokens)
        self.end = len(self.words)
        self._parser = Parser(text, tokens)
        self._parsed: dict[tuple[Slot, int, int], tuple[Any, int]] = {}

    def match(self, node: Node, start: int, end: int, value_of: Callable[[Bound], Any]) -> Any:
        """What is made of the words from `start` to `end`, if they have a shape; else None."""
        if start >= end or not node.may_begin(self.words[start]):
            return None
        self.end = end
        said = {ALL_WORDS: self.words[start:end]}
        return node.run(self, start, said, lambda at, b: value_of(b) if at == end else None)

    def parse(self, slot: Slot, at: int) -> tuple[Any, int]:
        """The value of a slot at a word, None where it does not fit, and the index after it."""
        key = (slot, at, self.end)
        if key not in self._parsed:
            p = self._parser
            p.words, p.at = self.words[: self.end], at
            try:
                value = slot(p)
            except NotUnderstoodError:
                value = None
            self.note(p.at)
            self._parsed[key] = value, p.at
        return self._parsed[key]

    def note(self, at: int) -> None:
        """Note how far the sentence was read."""
        self._parser.furthest = max(self._parser.furthest, at)

    def error(self) -> NotUnderstoodError:
        """The error for the part that no shape has read, to be raised."""
        return NotUnderstoodError(self._parser.quote() or self._parser.text.strip())


@dataclass(frozen=True, slots=True)
class Node:
    """A compiled part of a shape.

    Attributes:
        run: matches at a word and calls what follows; its first result that is not None.
        first: words that the part begins with; None: any.
        is_empty: whether it may match no words.
        may_be_cut: whether it may end before its end.
    """

    run: Callable[[Reading, int, Bound, Then], Any]
    first: frozenset[str] | None
    is_empty: bool = False
    may_be_cut: bool = False

    def may_begin(self, word: str) -> bool:
        """Whether the part may begin with a word."""
        return self.first is None or self.is_empty or word in self.first


class Shapes:
    """Compiler of shapes."""

    def __init__(
        self,
        words: Mapping[str, str | Sequence[str]],
        parts: Mapping[str, Sequence[str]],
        values: Mapping[str, Callable[[Bound], Any]],
        slots: Mapping[str, Slot],
    ) -> None:
        """
        Args:
            words: shapes by name, for "<name>".
            parts: slots that are shapes themselves, with the functions that make their values.
            slots: slots that a parser reads.
        """
        self._words, self._parts, self._values, self._slots = words, parts, values, slots
        self._known: dict[str, Node] = {}

    def compiled(self, shape: str) -> Node:
        """The node of a shape."""
        node, rest = self._choices(_SIGN.findall(shape))
        if rest:
            raise ValueError(f"{' '.join(rest)!r} is left over in {shape!r}")
        return node

    def _choices(self, signs: list[str]) -> tuple[Node, list[str]]:
        options: list[Node] = []
        phrases: list[tuple[str, ...]] = []
        while True:
            items: list[Node | str] = []
            while signs and signs[0] not in ("|", ")"):
                item, signs = self._item(signs)
                items.append(item)
            plain = tuple(item for item in items if isinstance(item, str))
            if plain and len(plain) == len(items):
                phrases.append(plain)
            else:
                options.append(_sequence([_node(item) for item in items]))
            if not signs or signs[0] == ")":
                break
            signs = signs[1:]
        return _either([_phrases(phrases)] * bool(phrases) + options), signs

    def _item(self, signs: list[str]) -> tuple[Node | str, list[str]]:
        sign, *rest = signs
        node: Node | str = sign
        if sign in ("&", "!"):
            ahead, rest = self._item(rest)
            return _ahead(_node(ahead), wanted=sign == "&"), rest
        if sign == "(":
            node, rest = self._choices(rest)
            rest = rest[1:]
        elif sign == "$":
            node = Node(
                lambda r, at, bound, then: then(at, bound) if at == r.end else None, None, True
            )
        elif sign[0] == "<":
            node = self._named(sign[1:-1])
        elif sign[0] == "{":
            node = self._slot(sign[1:-1])
        if rest and rest[0] in ("?", "*"):
            node = _repeated(_node(node)) if rest[0] == "*" else _optional(_node(node))
            rest = rest[1:]
        return node, rest

    def _named(self, name: str) -> Node:
        if name not in self._known:
            said = self._words[name]
            self._known[name] = self.compiled(said if isinstance(said, str) else " | ".join(said))
        return self._known[name]

    def _slot(self, sign: str) -> Node:
        role, _, name = sign.rstrip("^").rpartition("=")
        role = role or name
        node = self._part(name, role) if name in self._parts else _parsed(self._slots[name], role)
        return replace(node, may_be_cut=sign.endswith("^"))

    def _part(self, name: str, role: str) -> Node:
        known = f"{{{name}"
        if known not in self._known:
            self._known[known] = self.compiled(" | ".join(self._parts[name]))
        inner, value_of = self._known[known], self._values[name]

        def run(r: Reading, at: int, bound: Bound, then: Then) -> Any:
            def bind(end: int, said: Bound) -> Any:
                value = value_of(said)
                return None if value is None else then(end, {**bound, role: value})

            return inner.run(r, at, {}, bind)

        return Node(run, inner.first, inner.is_empty)


def _end(r: Reading, at: int, bound: Bound, then: Then) -> Any:
    return then(at, bound) if at == r.end else None


def _node(item: Node | str) -> Node:
    return _phrases([(item,)]) if isinstance(item, str) else item


def _phrases(phrases: list[tuple[str, ...]]) -> Node:
    """One of several phrases, the longest first."""
    by_first: dict[str, list[tuple[str, ...]]] = {}
    for phrase in sorted(set(phrases), key=len, reverse=True):
        by_first.setdefault(phrase[0], []).append(phrase)

    def run(r: Reading, at: int, bound: Bound, then: Then) -> Any:
        for phrase in by_first.get(r.words[at], ()) if at < r.end else ():
            end = at + len(phrase)
            if end <= r.end and r.words[at:end] == phrase:
                r.note(end)
                if (found := then(end, bound)) is not None:
                    return found
        return None

    return Node(run, frozenset(by_first))


def _parsed(slot: Slot, role: str) -> Node:
    def run(r: Reading, at: int, bound: Bound, then: Then) -> Any:
        if at >= r.end:
            return None
        value, end = r.parse(slot, at)
        return None if value is None else then(end, {**bound, role: value})

    return Node(run, None)


def _either(options: Sequence[Node]) -> Node:
    if len(options) == 1:
        return options[0]
    firsts = [node.first for node in options]
    first = None if None in firsts else frozenset().union(*firsts)  # type: ignore[arg-type]

    def run(r: Reading, at: int, bound: Bound, then: Then) -> Any:
        for node in options:
            if (found := node.run(r, at, bound, then)) is not None:
                return found
        return None

    return Node(run, first, any(node.is_empty for node in options))


def _sequence(items: Sequence[Node]) -> Node:
    if not items:
        return Node(lambda _, at, bound, then: then(at, bound), frozenset(), True)
    *before, node = items
    for item in reversed(before):
        node = _pair(_cut(item, node) if item.may_be_cut else item, node)
    return node


def _pair(one: Node, other: Node) -> Node:
    def run(r: Reading, at: int, bound: Bound, then: Then) -> Any:
        return one.run(r, at, bound, lambda end, said: other.run(r, end, said, then))

    first = one.first
    if one.is_empty:
        first = None if first is None or other.first is None else first | other.first
    return Node(run, first, one.is_empty and other.is_empty)


def _cut(node: Node, following: Node) -> Node:
    """The node, which may also end before a word that what follows begins with."""
    ends = following.first
    if ends is None:
        raise ValueError("a slot can only be cut before words")

    def run(r: Reading, at: int, bound: Bound, then: Then) -> Any:
        found = node.run(r, at, bound, then)
        whole = r.end

        def then_beyond(end: int, said: Bound) -> Any:
            if end != r.end:
                return None
            cut, r.end = r.end, whole
            try:
                return then(end, said)
            finally:
                r.end = cut

        for place in range(at + 1, whole if found is None else 0):
            if r.words[place] in ends:
                r.end = place
                found = node.run(r, at, bound, then_beyond)
                r.end = whole
                if found is not None:
                    break
        return found

    return replace(node, run=run)


def _optional(node: Node) -> Node:
    def run(r: Reading, at: int, bound: Bound, then: Then) -> Any:
        found = node.run(r, at, bound, then)
        return then(at, bound) if found is None else found

    return Node(run, node.first, True)


def _repeated(node: Node) -> Node:
    """The node up to four times."""
    repeated = _optional(node)
    for _ in range(3):
        repeated = _optional(_pair(node, repeated))
    return repeated


def _ahead(node: Node, *, wanted: bool) -> Node:
    def run(r: Reading, at: int, bound: Bound, then: Then) -> Any:
        is_there = node.run(r, at, bound, lambda *_: True) is not None
        return then(at, bound) if is_there is wanted else None

    return Node(run, node.first, False) if wanted else Node(run, frozenset(), True)
