"""Every prompt as a model gets it: the methods are asked about a simulated room, with a model that
records what it is sent and replies by rote.

Its replies are of the right form and of no use, and some are wrong on purpose, so that the turns
after a mistake are seen as well.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from string import Template
from tempfile import TemporaryDirectory
from typing import Any

import scenemind.scene as sm
from scenemind.config import SceneMindConfig
from scenemind.errors import UsageError
from scenemind.memory.tree.tree_json import estimate_tokens
from scenemind.models import (
    Allowance,
    ChatMessage,
    ChatReply,
    Models,
    OnText,
    Tool,
    ToolCall,
)
from scenemind.models.chat import NOTHING_USED
from scenemind.models.recordings import ReplayedModel
from scenemind.reasoning.prompts import fixed_parts, sent_part

_ROOM, _FRAMES = "sim:1", 5
_MISTAKES = "some after mistakes that the example model makes on purpose"
_FACING = "I am facing the table."
# What the model says where no form is asked for, in turn, by method.
_PROGRAMS: Mapping[str, Sequence[str]] = {
    "llm_tpc": (
        "There are some.",
        "Action: Program\nAction Input:\n```python\nprint(filter(scene(), 'unicorn'))\n```",
        "Action: Program\nAction Input:\n```python\nthings = relate_agent(scene(), 'front')\n"
        "print(len(things), look('What is in front?', about=things))\n```",
        "Action: Final Answer\nAction Input: two",
    ),
    "vadar": (
        "```python\ndef _nearest(image, things):\n    return sorted(things)[99]\n```",
        "```python\nfinal_result = nothing\n```",
        "```python\nfinal_result = vqa(image, 'What is this?')\n```",
    ),
    "synergai": ("I plan to look first.",),
}


@dataclass(frozen=True, slots=True)
class Sent:
    """A request to a model.

    Attributes:
        earlier: messages of the conversation before, which are sent again.
        messages: the new ones.
        schema: of the reply, where a form is asked for.
    """

    earlier: int
    messages: tuple[ChatMessage, ...]
    schema: Mapping[str, Any] | None
    tools: tuple[Tool, ...]

    @property
    def text(self) -> str:
        """All that is new in it, with roles, and pictures in words."""
        parts = [f"({self.earlier} messages as before)"] * bool(self.earlier)
        for message in self.messages:
            parts.append(f"[{message.role}]\n{message.text}".rstrip())
            parts += [f"(calls {c.name} {c.arguments})" for c in message.calls]
            parts += [f"(picture {n})" for n, _ in enumerate(message.jpegs, start=1)]
        if self.schema is not None:
            parts.append(f"(form of the reply) {json.dumps(self.schema)}")
        parts += [
            f"(tool) {t.name}: {t.description} {json.dumps(t.parameters)}" for t in self.tools
        ]
        return "\n\n".join(parts)


@dataclass(slots=True)
class Conversations:
    """A `ChatModel` that records all it is sent, and replies by rote."""

    name: str = "example"
    method: str = ""
    sent: dict[str, list[Sent]] = field(default_factory=dict)
    _said: int = 0
    _known_forms: set[str] = field(default_factory=set)
    _before: list[tuple[ChatMessage, ...]] = field(default_factory=list)

    def begin(self, method: str) -> None:
        """What follows is sent by a method."""
        self.method, self._said = method, 0
        self.sent.setdefault(method, [])

    def ask(
        self,
        messages: Sequence[ChatMessage],
        allowance: Allowance,
        schema: Mapping[str, Any] | None = None,
        on_text: OnText | None = None,
        tools: Sequence[Tool] = (),
    ) -> ChatReply:
        """See `ChatModel`."""
        del on_text
        allowance.check()
        now = tuple(messages)
        earlier = max((_shared(before, now) for before in self._before), default=0)
        self._before.append(now)
        self.sent[self.method].append(Sent(earlier, now[earlier:], schema, tuple(tools)))
        calls: tuple[ToolCall, ...] = ()
        if schema is not None:
            form = str(schema.get("title"))
            text = json.dumps(_value_of(schema, schema, is_wrong=form not in self._known_forms))
            self._known_forms.add(form)
        else:
            said = _PROGRAMS.get(self.method, ("It is so.",))
            text = said[min(self._said, len(said) - 1)]
            if tools and self._said:
                calls, text = _calls(tools, self._said), ""
            self._said += 1
        return ChatReply(text, self.name, NOTHING_USED, 0.0, calls)


def _shared(before: Sequence[ChatMessage], now: Sequence[ChatMessage]) -> int:
    """Number of messages at the beginning of both."""
    same = [a == b for a, b in zip(before, now, strict=False)]
    return same.index(False) if False in same else len(same)


def _calls(tools: Sequence[Tool], turn: int) -> tuple[ToolCall, ...]:
    """A look at an object first, at last the answer."""
    name = "look_at_object" if turn == 1 else "final_answer"
    tool = next(tool for tool in tools if tool.name == name)
    arguments = json.dumps(_value_of(tool.parameters, tool.parameters, is_wrong=False))
    return (ToolCall(f"call_{turn}", name, arguments),)


def _value_of(schema: Mapping[str, Any], whole: Mapping[str, Any], *, is_wrong: bool) -> Any:
    """A value of a JSON schema; numbers are beyond all that there is in a wrong one."""
    if "$ref" in schema:
        name = str(schema["$ref"]).rpartition("/")[2]
        return _value_of(whole["$defs"][name], whole, is_wrong=is_wrong)
    if "anyOf" in schema:
        kinds = [kind for kind in schema["anyOf"] if kind.get("type") != "null"]
        is_optional = len(kinds) < len(schema["anyOf"])
        return None if is_optional else _value_of(kinds[0], whole, is_wrong=is_wrong)
    if "const" in schema or "enum" in schema:
        return schema.get("const", schema.get("enum", [""])[0])
    kind = schema.get("type")
    if kind == "object":
        parts = schema.get("properties", {}).items()
        return {name: _value_of(part, whole, is_wrong=is_wrong) for name, part in parts}
    if kind == "array":
        return [_value_of(schema.get("items", {}), whole, is_wrong=is_wrong)]
    return {"integer": 999 if is_wrong else 1, "number": 0.5, "boolean": True}.get(
        str(kind), "table"
    )


def record() -> dict[str, list[Sent]]:
    """The requests of every method on the example room, by method; the room is mapped first."""
    recorder = Conversations()
    with ExitStack() as opened:
        folder = Path(opened.enter_context(TemporaryDirectory()))
        config = SceneMindConfig.model_validate(
            {
                "llm_tpc": {"coder_turns": 3},
                "vadar": {"program_retries": 2},
                "synergai": {"steps": 3},
                "learned_methods": {
                    "library": str(folder / "methods.sqlite"), "retries": 1, "calls": 2,
                },
            }
        )  # fmt: skip
        role = ReplayedModel(recorder, folder)
        models = opened.enter_context(Models(config.models, {"language": role}, ExitStack()))
        scene = opened.enter_context(sm.create(models=models, config=config))
        scene.map(_ROOM, frames=_FRAMES)
        for method, ask in _questions(scene):
            recorder.begin(method)
            ask()
    return recorder.sent


def _questions(scene: sm.Scene) -> Iterator[tuple[str, Callable[[], object]]]:
    chair, what = "How many chairs are there?", "What stands beside the table?"
    yield "symbolic", lambda: scene.ask("what would go well with it", method="symbolic")
    yield "memtree", lambda: scene.ask(what, method="memtree", policy="always_answer")
    yield "vlm_grounder", lambda: scene.ground("the chair by the table", method="vlm_grounder")
    yield "llm_tpc", lambda: scene.ask(chair, method="llm_tpc", situation=_FACING)
    yield "ensemble", lambda: scene.ask(chair, method="ensemble")
    yield "vadar", lambda: scene.ask(what, method="vadar")
    yield "synergai", lambda: scene.align("somebody has spilled tea over there")


@cache
def prompt_files() -> dict[str, str]:
    """All prompts of the methods: path within the library -> text, with the comment that is not
    sent."""
    root = files("scenemind.reasoning")
    found = {}
    for package in sorted(p.name for p in root.iterdir() if p.is_dir()):
        folder = root.joinpath(package, "prompts")
        for path in sorted(folder.iterdir(), key=lambda p: p.name) if folder.is_dir() else ():
            found[f"{package}/{path.name}"] = path.read_text(encoding="utf-8")
    return found


def comment_of(text: str) -> str:
    """The comment of a prompt file: the part of the paper that it follows."""
    lines = text.splitlines()
    return " ".join(line[2:].strip() for line in lines if line.startswith("#:"))


def with_names(text: str) -> str:
    """What a prompt file sends, with <name> for each value that is filled in."""
    return Template.pattern.sub(lambda m: f"<{m['named'] or m['braced']}>", sent_part(text))


def pages(
    sent: Mapping[str, Sequence[Sent]], count: Callable[[str], int], counted_by: str
) -> Iterator[str]:
    """All prompts as text to be read: the requests of each method, then what is sent in other
    cases.

    Args:
        count: tokens of a text.
        counted_by: says whose tokens these are.
    """
    for method, requests in sent.items():
        yield f"==== {method}: {len(requests)} requests, {_MISTAKES}"
        for number, one in enumerate(requests, start=1):
            pictures = sum(len(message.jpegs) for message in one.messages)
            also = f", {pictures} pictures" * bool(pictures)
            tokens = f"{count(one.text)} tokens ({counted_by}){also}"
            yield f"---- {method} {number}: {tokens}\n{one.text}"
    yield "==== sent in other cases; <name> stands for a value"
    for name in unsent(sent):
        text = with_names(prompt_files()[name])
        yield f"---- {name}: {count(text)} tokens ({counted_by})\n{text}"
    yield "==== files, and what they follow"
    yield "\n".join(f"{name}: {comment_of(text)}" for name, text in prompt_files().items())


def token_counter(tokenizer: Path | None) -> tuple[Callable[[str], int], str]:
    """Counts the tokens of a text, and says how.

    Args:
        tokenizer: a model's tokenizer.json, for the package `tokenizers`; None: an estimate.

    Raises:
        UsageError: the package is not there, or cannot read it.
    """
    if tokenizer is None:
        return estimate_tokens, "estimate"
    try:
        read = import_module("tokenizers").Tokenizer.from_file(str(tokenizer))
    except Exception as error:  # the package raises nothing narrower
        raise UsageError(f"{tokenizer} cannot count tokens: {error}") from error
    return lambda text: len(read.encode(text).ids), tokenizer.name


def unsent(sent: Mapping[str, Sequence[Sent]]) -> list[str]:
    """The prompts that are in none of the requests, such as those of other policies."""
    texts = [m.text for requests in sent.values() for one in requests for m in one.messages]
    whole = "\n".join(texts)
    return [
        name
        for name, text in prompt_files().items()
        if not all(part in whole for part in fixed_parts(text))
    ]
