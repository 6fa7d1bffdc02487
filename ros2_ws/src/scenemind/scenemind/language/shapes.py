"""Shapes of sentences as data: words, options and typed slots, matched with backtracking.

    shape := choice ("|" choice)*      choice := item*      item := ("&" | "!")? atom ("?" | "*")?
    atom := word | "<" name ">" | "{" slot "}" | "(" shape ")" | "$"

"<be>" is a shape of that name. "{subject}" is a slot: one or more words, as few as possible, whose
value is bound to its name; "{other=subject}" binds it to another. "&" looks ahead, "!" denies, "$"
is the end. The first shape that takes all words, and whose values make sense together, wins.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, product
from math import prod
from typing import Any

from scenemind.garbage import no_garbage_collection
from scenemind.language.slots import SlotWords
from scenemind.language.tokens import NotUnderstoodError, Token

Words = tuple[str, ...]
Bound = Mapping[str, Any]
Reader = Callable[[SlotWords], Any]
"""Value of the words of a slot, all of which it has to move over; None where they have none."""
_SIGN = re.compile(r"\{[^}]*\}|<[^>]*>|[()|?*&!$]|[^\s()|?*&!${}<>]+")
_MOST_WORDS = 60  # of a slot: real ones have fewer, and each length is read
_MOST_OPTIONS = 400  # of a choice of words; larger ones are matched part by part
_END = frozenset(("",))


@dataclass(slots=True)
class Sentence:
    """A sentence while shapes are tried on it.

    Attributes:
        end: number of the word before which the part that is tried ends.
        furthest: number of the word up to which some shape has read.
    """

    text: str
    tokens: Sequence[Token]
    words: Words = ()
    end: int = 0
    furthest: int = 0
    read: dict[tuple[str, int, int], Any] = field(default_factory=dict)
    slot: SlotWords = field(init=False)

    def __post_init__(self) -> None:
        self.slot = SlotWords(self.text, list(self.tokens))
        self.words = self.slot.words

    def written(self, start: int, end: int) -> str:
        """The text of the words from `start` to `end`, as it was written."""
        stop = self.tokens[end].start if end < len(self.tokens) else len(self.text)
        return self.text[self.tokens[start].start : stop]

    def error(self) -> NotUnderstoodError:
        """The error for the part that no shape has read, to be raised."""
        unread = self.tokens[self.furthest : self.furthest + 1]
        return NotUnderstoodError(self.text[unread[0].start if unread else 0 :].strip())


@dataclass(slots=True)
class _Node:
    """A part of a shape, with all that follows it.

    Attributes:
        run: what is made of the words from a number on; None where they do not fit.
        first: words that it begins with, empty for the end of the sentence; None: any.
    """

    run: Callable[[Sentence, int, Bound], Any]
    first: frozenset[str] | None

    def may_begin(self, said: Sentence, at: int) -> bool:
        return self.first is None or (said.words[at] if at < said.end else "") in self.first


_Make = Callable[[_Node], _Node]
"""The node of a part, from the node of what follows it."""


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """A part of a shape.

    Attributes:
        options: all words that fit it, the longest first, () where it may be left out; none where
            it is no choice of words.
    """

    make: _Make
    options: tuple[Words, ...] = ()


@dataclass(slots=True)
class _Shape:
    """A shape of a sentence, which is parsed when a sentence may have it.

    Attributes:
        first: words that it begins with; None: any.
        node: None until it is parsed.
    """

    text: str
    name: str
    values: Bound
    first: frozenset[str] | None
    node: _Node | None = None


class ShapeBook:
    """All shapes of one kind of sentence, in the order in which they are tried.

    Parsing all takes longer than most questions, so a shape is parsed when a sentence begins as it
    does; `parse_all` shows that all are right.
    """

    def __init__(
        self,
        table: Mapping[str, Any],
        readers: Mapping[str, Reader],
        meaning: Callable[[str, Bound], Any],
        made: Mapping[str, Callable[[Bound], Any]] | None = None,
    ) -> None:
        """
        Args:
            table: `words`: shapes by name, and tables, which are kinds of slots that take their
                keys; `parts`: kinds of slots that are shapes; `shapes`: a list of {name: [shape,
                ...], with: further values}.
            readers: by kind of slot.
            meaning: of a shape's name and its values; None where they make no sense.
            made: values of `parts`, from those of their own slots; else it is the one in them, or
                True where there is none.
        """
        self._named: Mapping[str, Any] = table["words"]
        self._nested: Mapping[str, Sequence[str]] = table.get("parts", {})
        self._readers, self._made, self._meaning = readers, made or {}, meaning
        self._known: dict[str, _Part] = {}
        self._first: dict[str, frozenset[str] | None] = {}
        self._shapes: list[_Shape] = [
            _Shape(text, name, row.get("with", {}), self._first_words(text))
            for row in table["shapes"]
            for name, texts in row.items()
            for text in (texts if name != "with" else ())
        ]

    def parse_all(self) -> None:
        """
        Raises:
            ValueError, KeyError: a shape is none, or names something unknown.
        """
        self._nodes(self._shapes)

    def _nodes(self, shapes: Sequence[_Shape]) -> list[tuple[_Node, Bound]]:
        """Shapes with their values; all that are to be parsed at once, as the collector would run
        between them."""
        with no_garbage_collection():
            found = []
            for shape in shapes:
                if shape.node is None:
                    shape.node = self.parsed(shape.text).make(_end(shape.name, self._meaning))
                found.append((shape.node, shape.values))
        return found

    def _first_words(self, shape: str) -> frozenset[str] | None:
        """Words that a shape begins with, told by its first signs alone; None: any."""
        signs = _SIGN.findall(shape)
        words: set[str] = set()
        is_first = True
        opened: list[bool] = []  # for each open bracket, whether it stands first
        for number, sign in enumerate(signs):
            may_lack = signs[number + 1 : number + 2] in (["?"], ["*"])
            if sign == "(":
                opened.append(is_first)
            elif sign in ("|", ")"):
                if is_first:
                    return None  # nothing is one of the choices
                is_first = all(opened[-1:]) and (sign == "|" or may_lack)
                del opened[len(opened) - (sign == ")") :]
            elif is_first and sign not in ("?", "*"):
                first = self._first_of(sign)
                if first is None:
                    return None
                words |= first
                is_first = may_lack
        return None if is_first else frozenset(words)

    def _first_of(self, sign: str) -> frozenset[str] | None:
        if sign[0] in "{&!$":
            return None
        if sign[0] != "<":
            return frozenset((sign,))
        name = sign[1:-1]
        if name not in self._first:
            said = self._named[name]
            self._first[name] = self._first_words(said if isinstance(said, str) else "|".join(said))
        return self._first[name]

    def _table(self, kind: str) -> Mapping[str, Any] | None:
        """The table of a kind of slot; None for a kind that a reader reads."""
        known = self._named.get(kind)
        return known if isinstance(known, Mapping) else None

    def find(self, said: Sentence, start: int = 0, end: int | None = None) -> Any:
        """What the words from `start` to `end` mean by the first shape that has a meaning; else
        None."""
        said.end = len(said.words) if end is None else end
        word = said.words[start] if start < said.end else ""
        likely = [s for s in self._shapes if s.first is None or word in s.first]
        for node, values in self._nodes(likely):
            if node.may_begin(said, start):
                found = node.run(said, start, values)
                if found is not None:
                    return found
        return None

    def _value(self, kind: str, said: Sentence, start: int, end: int) -> Any:
        """Value of a slot of a kind from one word up to another; None where they have none."""
        key = kind, start, end
        if key not in said.read:
            said.read[key] = self._read(kind, said, start, end)
        return said.read[key]

    def _read(self, kind: str, said: Sentence, start: int, end: int) -> Any:
        table = self._table(kind)
        if table is not None:
            return table.get(" ".join(said.words[start:end]))
        p = said.slot
        p.words, p.at, p.furthest = said.words[:end], start, start
        try:
            value = self._readers[kind](p)
        except NotUnderstoodError:
            value = None
        if p.at < end or value is not None:
            said.furthest = max(said.furthest, p.at, p.furthest)
        return value if p.at == end else None

    def parsed(self, shape: str) -> _Part:
        """The parts of a shape.

        Raises:
            ValueError, KeyError: it is no shape, or names something unknown.
        """
        signs = _SIGN.findall(shape)[::-1]
        part = self._choices(signs)
        if signs:
            raise ValueError(f"{' '.join(signs[::-1])!r} is left over in {shape!r}")
        return part

    def _choices(self, signs: list[str]) -> _Part:
        """The choice that the last signs are, which it takes away."""
        options: list[_Part] = []
        while True:
            items: list[_Part] = []
            while signs and signs[-1] not in ("|", ")"):
                items.append(self._item(signs))
            options.append(_sequence(items))
            if not signs or signs[-1] == ")":
                return _either(options)
            signs.pop()

    def _item(self, signs: list[str]) -> _Part:
        sign = signs.pop()
        if sign in ("&", "!"):
            ahead = self._item(signs)
            return _Part(lambda then: _ahead(ahead, sign == "&", then))
        part = _NOTHING
        if sign == "(":
            part = self._choices(signs)
            if not signs:
                raise ValueError("a bracket is not closed")
            signs.pop()
        elif sign == "$":
            part = _Part(lambda then: _Node(lambda *at: _at_end(then, *at), _END))
        elif sign[0] == "<":
            part = self._shape_named(sign[1:-1])
        elif sign[0] == "{":
            part = self._slot(sign)
        else:
            part = _choice([(sign,)])
        if signs and signs[-1] == "*":
            once = part
            part = _Part(lambda then: _repeated(once, then))
        elif signs and signs[-1] == "?":
            part = _either([part, _NOTHING])
        else:
            return part
        signs.pop()
        return part

    def _shape_named(self, name: str) -> _Part:
        if name not in self._known:
            said = self._named[name]
            self._known[name] = self.parsed(said if isinstance(said, str) else " | ".join(said))
        return self._known[name]

    def _slot(self, sign: str) -> _Part:
        name, _, kind = sign[1:-1].rpartition("=")
        name = name or kind
        if kind not in self._nested:
            if kind not in self._readers and self._table(kind) is None:
                raise KeyError(kind)
            return _Part(lambda then: self._slot_node(name, kind, then))
        if sign not in self._known:
            self._known[sign] = _either([self.parsed(shape) for shape in self._nested[kind]])
        inner, made = self._known[sign], self._made.get(kind, _only_value)
        return _Part(lambda then: _nested(inner, made, name, then))

    def _slot_node(self, name: str, kind: str, then: _Node) -> _Node:
        def run(said: Sentence, at: int, bound: Bound) -> Any:
            for end in range(at + 1, min(said.end, at + _MOST_WORDS) + 1):
                if not then.may_begin(said, end):
                    continue
                value = self._value(kind, said, at, end)
                found = None if value is None else then.run(said, end, {**bound, name: value})
                if found is not None:
                    return found
            return None

        return _Node(run, None)


def _end(name: str, meaning: Callable[[str, Bound], Any]) -> _Node:
    def run(said: Sentence, at: int, bound: Bound) -> Any:
        return meaning(name, bound) if at == said.end else None

    return _Node(run, _END)


def _at_end(then: _Node, said: Sentence, at: int, bound: Bound) -> Any:
    return then.run(said, at, bound) if at == said.end else None


def _choice(options: Sequence[Words]) -> _Part:
    longest_first = tuple(sorted(dict.fromkeys(options), key=len, reverse=True))

    def make(then: _Node) -> _Node:
        by_first: dict[str, list[Words]] = {}
        for option in longest_first:
            by_first.setdefault(option[0] if option else "", []).append(option)
        first = frozenset(filter(None, by_first))

        def run(said: Sentence, at: int, bound: Bound) -> Any:
            for option in by_first.get(said.words[at], ()) if at < said.end else ():
                end = at + len(option)
                if end <= said.end and said.words[at:end] == option:
                    found = then.run(said, end, bound)
                    if found is not None:
                        return found
            return then.run(said, at, bound) if "" in by_first else None

        return _Node(run, _united([first, then.first]) if "" in by_first else first)

    return _Part(make, options=longest_first)


_NOTHING = _choice([()])


def _sequence(items: Sequence[_Part]) -> _Part:
    """Parts one after another; a choice of words where all are."""
    if len(items) == 1:
        return items[0]
    if prod(len(item.options) for item in items) in range(1, _MOST_OPTIONS):
        ways = product(*(item.options for item in items))
        return _choice([tuple(chain(*words)) for words in ways])
    return _Part(lambda then: _made_of(items, then))


def _made_of(parts: Sequence[_Part], then: _Node) -> _Node:
    for part in reversed(parts):
        then = part.make(then)
    return then


def _either(options: Sequence[_Part]) -> _Part:
    if len(options) == 1:
        return options[0]
    words = [way for option in options for way in option.options]
    if all(option.options for option in options) and len(words) < _MOST_OPTIONS:
        return _choice(words)
    return _Part(lambda then: _first_of([option.make(then) for option in options]))


def _first_of(nodes: Sequence[_Node]) -> _Node:
    def run(said: Sentence, at: int, bound: Bound) -> Any:
        for node in nodes:
            if node.may_begin(said, at):
                found = node.run(said, at, bound)
                if found is not None:
                    return found
        return None

    return _Node(run, _united([node.first for node in nodes]))


def _united(firsts: Sequence[frozenset[str] | None]) -> frozenset[str] | None:
    known = [first for first in firsts if first is not None]
    return frozenset().union(*known) if len(known) == len(firsts) else None


def _repeated(part: _Part, then: _Node) -> _Node:
    loop = _Node(then.run, None)
    both = _first_of([part.make(loop), then])
    loop.run, loop.first = both.run, both.first
    return both


def _ahead(part: _Part, wanted: bool, then: _Node) -> _Node:
    ahead = part.make(_Node(lambda *_: True, None))

    def run(said: Sentence, at: int, bound: Bound) -> Any:
        is_there = ahead.may_begin(said, at) and ahead.run(said, at, bound) is not None
        return then.run(said, at, bound) if is_there is wanted else None

    return _Node(run, ahead.first if wanted else then.first)


def _only_value(bound: Bound) -> Any:
    return next((value for name, value in bound.items() if name != "^"), True)


def _nested(inner: _Part, made: Callable[[Bound], Any], name: str, then: _Node) -> _Node:
    """A slot that is a shape: its values are bound apart, while the outer ones wait in "^"."""

    def run(said: Sentence, at: int, bound: Bound) -> Any:
        value = made(bound)
        return None if value is None else then.run(said, at, {**bound["^"], name: value})

    node = inner.make(_Node(run, then.first))
    return _Node(lambda said, at, bound: node.run(said, at, {"^": bound}), node.first)
