"""Correcting sentences: from a sentence to what it wants changed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from scenemind.reasoning.errors import ReasoningError
from scenemind.reasoning.symbolic import (
    claims,
    identity_commands,
    owning,
    relation_claims,
    removing,
)
from scenemind.reasoning.symbolic.command_syntax import Command, OfOne
from scenemind.reasoning.symbolic.fillers import without_fillers
from scenemind.reasoning.symbolic.parser import Parser
from scenemind.reasoning.symbolic.reading import RuleBook
from scenemind.reasoning.symbolic.syntax import Marked, NounPhrase
from scenemind.reasoning.symbolic.tokens import Token, tokenize

_JOINS = ("and", "but", ",")
_MOST_JOINS = 6  # that are looked at: a list of words is no sentence of many corrections


def parse_commands(text: str) -> tuple[Command, ...]:
    """The trees of a correcting sentence: "the cup is a mug and it is blue" has two.

    Raises:
        ReasoningError: `not_understood`; its text is the part that could not be read.
    """
    tokens = tokenize(text)
    try:
        return (_RULES.read(text, without_fillers(tokens)),)
    except ReasoningError:
        joined = _find_joined(text, tokens)
        if joined is None:
            raise
        return joined


def parse_command(text: str) -> Command:
    """The tree of a sentence with a single correction; raises as `parse_commands`."""
    command, *more = parse_commands(text)
    if more:
        raise ReasoningError("not_understood", text.strip())
    return command


def _find_joined(text: str, tokens: list[Token]) -> tuple[Command, ...] | None:
    """The corrections that a sentence falls into; None where it does not."""
    joins = [place for place, token in enumerate(tokens) if token.word in _JOINS and place]
    for place in joins[:_MOST_JOINS]:
        rest = tokens[place + 1 :]
        try:
            first = _RULES.read(text, without_fillers(tokens[:place]))
            return first, _RULES.read(text, without_fillers(rest))
        except ReasoningError:
            continue
    for place in joins[:_MOST_JOINS]:
        try:
            first = _RULES.read(text, without_fillers(tokens[:place]))
        except ReasoningError:
            continue
        others = _find_joined(text, tokens[place + 1 :])
        if others is not None:
            return first, *others
    return None


def _of_one(
    rule: Callable[[Parser], Command | None],
) -> Callable[[Parser], Command | None]:
    """A correction without "the" still speaks of one certain object."""

    def read(p: Parser) -> Command | None:
        command = rule(p)
        if isinstance(command, OfOne) and isinstance(command.subject, NounPhrase):
            return replace(command, subject=replace(command.subject, definite=True))
        return command

    return read


def is_of_last(command: Command) -> bool:
    """ "and it is blue": of what the sentence spoke of before."""
    return isinstance(command, OfOne) and command.subject == Marked()


_RULES = RuleBook[Command](
    (
        identity_commands.undo,
        identity_commands.redo,
        identity_commands.agree,
        identity_commands.ask_similar,
        identity_commands.do_similar,
        identity_commands.merge,
        _of_one(identity_commands.split),
        _of_one(identity_commands.confirm),
        _of_one(identity_commands.forget_attribute),
        _of_one(removing.no_but),
        _of_one(removing.delete),
        _of_one(removing.not_real),
        _of_one(removing.rename),
        _of_one(removing.call_this),
        _of_one(owning.owned),
        _of_one(claims.set_attribute),
        _of_one(claims.own_attribute),
        _of_one(claims.has_attribute),
        _of_one(claims.claim_attribute),
        _of_one(relation_claims.claim_relation),
        _of_one(claims.claim_label),
        _of_one(claims.make),
        _of_one(removing.shown),
        _of_one(removing.confused),
        claims.fragment,
    )
)
