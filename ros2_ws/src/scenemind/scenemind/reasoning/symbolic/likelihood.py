"""How likely replies are right: `likelihood.yaml`, fitted on rows of benchmarks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from pydantic import BaseModel, ConfigDict

from scenemind.language.english import find_number, read_table
from scenemind.language.trees import Identify, SituatedQuestion, noun_phrases
from scenemind.reasoning.symbolic.refusals import unused_words
from scenemind.reasoning.symbolic.replies import Reply
from scenemind.reasoning.symbolic.resolver import Resolver
from scenemind.reasoning.symbolic.scene import Scores

# Least and most of the exponent.
_SHARPNESS = (0.5, 4.0)
# Number of words of a usual description.
_USUAL_WORDS = 10.0


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is known of the reading of a description.

    Attributes:
        words: their number.
        candidates: number of objects of the kind that it names.
        unread: number of content words that it left out.
    """

    words: int
    candidates: int
    unread: int

    @property
    def of_sharpness(self) -> Sequence[float]:
        """What the exponent of shares depends on."""
        return 1.0, np.log(max(self.words, 1) / _USUAL_WORDS)

    @property
    def of_trust(self) -> Sequence[float]:
        """What the chance depends on that one of the shares is right."""
        return 1.0, np.log(max(self.candidates, 1)), min(self.unread, 4)


def phrase_likelihoods(scores: Scores, evidence: Evidence) -> Scores:
    """How likely each of the objects (N,) is meant by a description that fits them with scores
    (N,) in [0, 1], one of them above 0, and that describes something that is there.

    Shares of powers of the scores, times the chance that it was read rightly.
    """
    table = _table()
    return shares(scores, evidence, table.sharpness, table.trust)


def shares(
    scores: Scores, evidence: Evidence, sharpness: Sequence[float], trust: Sequence[float]
) -> Scores:
    """See `phrase_likelihoods`; with weights of what a reading's sharpness and trust depend on."""
    exponent = np.clip(np.exp(np.dot(evidence.of_sharpness, sharpness)), *_SHARPNESS)
    powers = (scores / scores.max()) ** exponent
    chance = 1.0 / (1.0 + np.exp(-np.dot(evidence.of_trust, trust)))
    return np.asarray(chance * powers / powers.sum())


def kinds_of(question: SituatedQuestion, reply: Reply) -> tuple[str, ...]:
    """Names of a reply's kind in `likelihood.yaml`, the most special one first."""
    name = type(question).__name__
    evidence = "usual" if reply.is_usual else "found" if reply.objects else "unseen"
    if isinstance(question, Identify):
        said = [phrase.noun for phrase in noun_phrases(question)]
        evidence = "repeated" if any(reply.brief in noun for noun in said) else evidence
    number = (f"Count {reply.brief}",) * (find_number(reply.brief) is not None)
    return *number, f"{name} {evidence}", "any"


def reply_likelihood(question: SituatedQuestion, reply: Reply, at: Resolver) -> float:
    """How likely the reply to a loosely read question is right: that its objects exist, times how
    often such replies are."""
    table = _table()
    lines = table.nowhere if at.place == "unknown" else table.standing
    fixed, by_fit = next(lines[kind] for kind in kinds_of(question, reply) if kind in lines)
    exist = np.mean([thing.confidence for thing in reply.objects]) if reply.objects else 1.0
    sure = {"told": table.told, "of camera": table.of_camera}.get(at.place, 1.0)
    unknown, unread = unused_words(question, at)
    sure *= table.unknown if unknown else table.unread if unread else 1.0
    return float(sure * (fixed * exist + by_fit * reply.confidence))


class _Table(BaseModel):
    """Content of `likelihood.yaml`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    sharpness: tuple[float, float]
    trust: tuple[float, float, float]
    told: float
    of_camera: float
    unknown: float
    unread: float
    standing: dict[str, tuple[float, float]]
    nowhere: dict[str, tuple[float, float]]


@cache
def _table() -> _Table:
    return _Table.model_validate(read_table("scenemind.reasoning.symbolic", "likelihood.yaml"))
