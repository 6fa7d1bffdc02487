"""What learned methods are called, take and give."""

from __future__ import annotations

import keyword
import re
from collections.abc import Collection

from pydantic import BaseModel, ConfigDict, Field

from scenemind.reasoning.learned_methods.method_api import MethodApi
from scenemind.words.quoting import tame

_NAME = re.compile(r"_[a-z][a-z0-9_]{0,40}\Z")
_LONGEST_DESCRIPTION = 300
_MOST_PARAMETERS = 6


class Parameter(BaseModel):
    """One parameter, always given by its place."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    type: str = Field(description="one of the types of parameters")


class Signature(BaseModel):
    """Of one method; a model fills it in."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(description="begins with an underscore")
    parameters: tuple[Parameter, ...]
    returns: str = Field(description="one of the types of results")
    description: str = Field(description="what it returns, in one sentence")

    @property
    def headline(self) -> str:
        """Name, parameters and result."""
        parameters = ", ".join(f"{p.name}: {p.type}" for p in self.parameters)
        return f"{self.name}({parameters}) -> {self.returns}"

    @property
    def declaration(self) -> str:
        """In Python, with the description, and without a body."""
        text = tame(self.description, _LONGEST_DESCRIPTION).replace("\\", "/").replace('"', "'")
        return f'def {self.headline}:\n    """{text}"""'

    def find_fault(self, api: MethodApi, reserved: Collection[str]) -> str | None:
        """What is wrong with it, for a model, without a full stop; None: nothing.

        Args:
            reserved: names that are taken.
        """
        if not _NAME.match(self.name):
            return f"{tame(self.name)}: a name is an underscore and lower-case words"
        if self.name in reserved:
            return f"{self.name}: the name is taken"
        names = [p.name for p in self.parameters]
        if not 1 <= len(names) <= _MOST_PARAMETERS or len(set(names)) < len(names):
            return f"{self.name}: it needs 1 to {_MOST_PARAMETERS} parameters of different names"
        unusable = [n for n in names if not n.isidentifier() or keyword.iskeyword(n)]
        if unusable:
            return f"{self.name}: no names: {tame(', '.join(unusable))}"
        return self._find_strange_type(api)

    def _find_strange_type(self, api: MethodApi) -> str | None:
        for parameter in self.parameters:
            if parameter.type not in api.parameters:
                known = ", ".join(api.parameters)
                return f"{self.name}: {tame(parameter.type)} is no type of a parameter: {known}"
        if self.returns in api.returns:
            return None
        known = ", ".join(api.returns)
        return f"{self.name}: {tame(self.returns)} is no type of a result: {known}"
