"""How often one query may ask its vision model, and what was tried in vain."""

from __future__ import annotations

from scenemind.config import VlmGrounderConfig
from scenemind.reasoning.errors import ReasoningError
from scenemind.reasoning.types import ErrorCode

MOST_IMAGES = 6
"""That are looked at in full for a query that wants all objects."""
_BEFORE = 2  # questions to the language model: the analysis, and which labels are meant
_EACH = 2  # a reply that has not the form is asked for again, once


def most_calls(config: VlmGrounderConfig, *, wants_all: bool) -> int:
    """How often models are asked for one query at most, whatever they say.

    The vision model gets a question for an image, one for the objects in each image that is looked
    at, and one for each of M retries. In the paper's code retries nest, and come to 18 calls for a
    single object, replies of a wrong form apart.
    """
    return _EACH * (_BEFORE + _most_questions(config, wants_all=wants_all))


class Tries:
    """Of one query.

    Attributes:
        retries: taken so far.
    """

    def __init__(self, config: VlmGrounderConfig, *, wants_all: bool) -> None:
        self._most_retries = config.retries
        self._questions_left = _most_questions(config, wants_all=wants_all)
        self._in_vain: list[str] = []
        self._is_misled = False

    @property
    def retries(self) -> int:
        return len(self._in_vain)

    def take_question(self) -> None:
        """Before each question to the vision model.

        Raises:
            ReasoningError: there is to be no other.
        """
        if not self._questions_left:
            raise self._failure()
        self._questions_left -= 1

    def take_retry(self, text: str, *, is_misled: bool) -> None:
        """
        Args:
            text: what was tried in vain.
            is_misled: the model named what there is not.

        Raises:
            ReasoningError: that was the last.
        """
        self._in_vain.append(text)
        self._is_misled |= is_misled
        if self.retries > self._most_retries:
            raise self._failure()

    def told(self) -> str:
        """What was tried in vain, in brackets; empty where nothing was."""
        return f" (tried: {'; '.join(self._in_vain)})" if self._in_vain else ""

    def _failure(self) -> ReasoningError:
        code: ErrorCode = "model_failed" if self._is_misled else "not_found"
        return ReasoningError(
            code, f"The vision model pointed at no object in {self.retries} tries{self.told()}."
        )


def _most_questions(config: VlmGrounderConfig, *, wants_all: bool) -> int:
    return 1 + (MOST_IMAGES if wants_all else 1) + config.retries
