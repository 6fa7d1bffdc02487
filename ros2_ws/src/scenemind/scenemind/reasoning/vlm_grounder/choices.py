"""The forms in which a vision model names images and objects (VLM-Grounder, Table 6)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict

from scenemind.words.english import joined
from scenemind.words.quoting import tame

Id = int | str
"""As a model writes it: "00003", 3 or "image 3"."""


def _listed(written: Any) -> Any:
    """A single id where a list is asked for; what else a model writes there is for the form."""
    return [written] if isinstance(written, (int, str)) else written


Ids = Annotated[list[Id], BeforeValidator(_listed)]
"""A list; of one, models leave the brackets out now and then."""

_NUMBER = re.compile(r"\A\D{0,20}(\d{1,9})\D{0,20}\Z")
_NONE = frozenset(("", "-1", "none", "null", "n/a", "no", "unknown"))
_LONGEST_ID, _MOST_LISTED = 40, 12


class ImageChoice(BaseModel):
    """The paper's answer: one image."""

    model_config = ConfigDict(extra="forbid")

    reasoning: str
    target_image_id: Id
    reference_image_ids: Ids

    @property
    def targets(self) -> list[Id]:
        """Empty where the model says that none shows it."""
        return named([self.target_image_id])


class ImagesChoice(BaseModel):
    """The images of several objects."""

    model_config = ConfigDict(extra="forbid")

    reasoning: str
    target_image_ids: Ids
    reference_image_ids: Ids

    @property
    def targets(self) -> list[Id]:
        """Empty where the model says that none shows one."""
        return named(self.target_image_ids)


class ObjectChoice(BaseModel):
    """The paper's answer: one of the marked objects."""

    model_config = ConfigDict(extra="forbid")

    reasoning: str
    object_id: Id

    @property
    def chosen(self) -> list[Id]:
        """Empty where the model says that it is none of them."""
        return named([self.object_id])


class ObjectsChoice(BaseModel):
    """Several of the marked objects."""

    model_config = ConfigDict(extra="forbid")

    reasoning: str
    object_ids: Ids

    @property
    def chosen(self) -> list[Id]:
        """Empty where the model says that it is none of them."""
        return named(self.object_ids)


def named(ids: Sequence[Id]) -> list[Id]:
    """Each once, without what says "none"."""
    return [i for i in dict.fromkeys(ids) if str(i).strip().lower() not in _NONE]


def find_number(written: Id) -> int | None:
    """The number that an id holds; None where it holds none, or several."""
    found = _NUMBER.match(str(written).strip())
    return int(found[1]) if found and not str(written).lstrip().startswith("-") else None


def listed(ids: Sequence[Id]) -> str:
    """Ids in the model's words, for a sentence."""
    more = [f"{len(ids) - _MOST_LISTED} more"] if len(ids) > _MOST_LISTED else []
    words = [tame(str(i), _LONGEST_ID) for i in ids[:_MOST_LISTED]]
    return joined([*words, *more]) or "none"
