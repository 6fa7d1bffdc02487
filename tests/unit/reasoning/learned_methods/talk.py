"""Replies of scripted models: programs and methods in fences, forms in JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from itertools import chain

from tests.chat_exchange import Request
from tests.chat_server import Step, choose, say


def fenced(text: str) -> str:
    return f"I look for it.\n```python\n{text}\n```"


def sees(answer: str) -> Step:
    return say(json.dumps({"answer": answer}))


def method(name: str, returns: str = "str", **parameters: str) -> dict[str, object]:
    """A signature in the model's form."""
    listed = [{"name": key, "type": value} for key, value in parameters.items()]
    return {"name": name, "parameters": listed, "returns": returns, "description": f"does {name}"}


def designs(*methods: Mapping[str, object]) -> str:
    return json.dumps({"think": "they share steps", "methods": list(methods)})


RED = sees("red")
NOTHING_NEW = designs()


class Author:
    """A model that designs methods, writes each method's versions in turn, and programs.

    Attributes:
        written: names of the methods that were asked for, in order.
        last_told: the last message of each request for code.
    """

    def __init__(
        self,
        design: str = NOTHING_NEW,
        methods: Mapping[str, str | Iterable[str]] | None = None,
        programs: Iterable[str] = (),
        looks: Step = RED,
        turns: Iterable[str] = (),
    ) -> None:
        """
        Args:
            turns: what it says beside, after the programs.
        """
        self._design = design
        self._methods = {
            name: iter([texts] if isinstance(texts, str) else texts)
            for name, texts in (methods or {}).items()
        }
        self._turns = chain(map(fenced, programs), turns)
        self._looks = looks
        self.written: list[str] = []
        self.last_told: list[str] = []

    @property
    def step(self) -> Step:
        return choose(self._answer)

    def _answer(self, request: Request) -> Step:
        if request.pictures:
            return self._looks
        task = request.body["messages"][0]["content"]
        if task.startswith("You design an API"):
            return say(self._design)
        self.last_told.append(request.body["messages"][-1]["content"])
        if task.startswith("You write methods"):
            asked = request.body["messages"][1]["content"].rpartition("The method to write:")[2]
            (name,) = re.findall(r"def (\w+)\(", asked)
            self.written.append(name)
            return say(fenced(next(self._methods[name])))
        return say(next(self._turns))
