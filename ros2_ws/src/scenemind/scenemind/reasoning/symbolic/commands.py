"""Correcting sentences: from a sentence to what it wants changed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from scenemind.reasoning.errors import ReasoningError
from scenemind.reasoning.symbolic import (
    attribute_claims,
    claims,
    confirming,
    identity_commands,
    journal_commands,
    naming_commands,
    owning,
    parts_commands,
    placed_names,
    relation_claims,
    remarks,
    removing,
)
from scenemind.reasoning.symbolic.command_syntax import Command, OfOne
from scenemind.reasoning.symbolic.parser import Parser
from scenemind.reasoning.symbolic.reading import RuleBook
from scenemind.reasoning.symbolic.sentences import Clause, broken_up, read_sentence
from scenemind.reasoning.symbolic.speech_acts import is_doubtful, without_speech_acts
from scenemind.reasoning.symbolic.syntax import Marked, NounPhrase
from scenemind.reasoning.symbolic.tokens import Token
from scenemind.words.english import word_set

# Words of what people say around a correction, with which they say that something is not so.
_OBJECTING = word_set(
    "no nope nah wrong incorrect false not actually sorry mistaken mistake error correction close"
    " almost nearly confused untrue off mean meant"
)


def parse_commands(text: str) -> tuple[Command, ...]:
    """The trees of a correcting sentence: "the cup is a mug and it is blue" has two.

    Raises:
        ReasoningError: `not_understood`; its text is the part that could not be read.
    """
    tokens = broken_up(text)
    if is_doubtful(text, tokens):
        raise ReasoningError("not_understood", text.strip())
    commands = read_sentence(tokens, lambda clause: _find_clause(text, clause))
    if commands is None:
        _RULES.read(text, next(without_speech_acts(tokens)) or tokens)  # raises: what is unread
        raise ReasoningError("not_understood", text.strip())
    return commands


def parse_command(text: str) -> Command:
    """The tree of a sentence with a single correction; raises as `parse_commands`."""
    command, *more = parse_commands(text)
    if more:
        raise ReasoningError("not_understood", text.strip())
    return command


def is_of_last(command: Command) -> bool:
    """ "and it is blue": of what the sentence spoke of before."""
    return isinstance(command, OfOne) and command.subject == Marked()


def _find_clause(text: str, tokens: Sequence[Token]) -> Clause | None:
    """What a clause says, without what people say around it; None where it is not understood."""
    for words in without_speech_acts(list(tokens)):
        around = [token.word for token in tokens if token not in words]
        objects = not _OBJECTING.isdisjoint(around)
        if not words:
            return remarks.Aside(objects)
        try:
            clause = _RULES.read(text, words)
        except ReasoningError:
            continue
        return replace(clause, is_objection=objects) if isinstance(clause, remarks.Bare) else clause
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


_RULES = RuleBook[Clause](
    (
        journal_commands.undo,
        journal_commands.redo,
        journal_commands.agree,
        journal_commands.ask_similar,
        journal_commands.do_similar,
        identity_commands.merge,
        identity_commands.same_thing,
        identity_commands.counted_twice,
        identity_commands.only_one,
        identity_commands.one_fragment,
        _of_one(parts_commands.split),
        _of_one(parts_commands.are_several),
        parts_commands.there_are,
        parts_commands.merged_two,
        parts_commands.parts_fragment,
        _of_one(confirming.confirm),
        _of_one(confirming.forget_attribute),
        _of_one(removing.no_but),
        remarks.absent,
        removing.seen_where_nothing_is,
        _of_one(removing.delete),
        _of_one(removing.not_real),
        _of_one(naming_commands.change),
        _of_one(naming_commands.name_is),
        _of_one(naming_commands.rename),
        _of_one(naming_commands.call_this),
        _of_one(owning.owned),
        _of_one(attribute_claims.set_attribute),
        _of_one(attribute_claims.own_attribute),
        _of_one(attribute_claims.has_attribute),
        _of_one(attribute_claims.claim_attribute),
        _of_one(relation_claims.claim_relation),
        _of_one(relation_claims.has_on_it),
        placed_names.named_at,
        placed_names.at_is_named,
        placed_names.has_named_on_it,
        _of_one(claims.claim_label),
        _of_one(claims.pseudo_cleft),
        _of_one(attribute_claims.make),
        _of_one(naming_commands.make),
        _of_one(naming_commands.shown),
        _of_one(naming_commands.confused),
        attribute_claims.valued_fragment,
        claims.fragment,
        relation_claims.placed_fragment,
        remarks.counted,
        remarks.got_wrong,
        remarks.denied,
        remarks.reported,
        remarks.topic,
        remarks.bare,
    )
)
