"""Every prompt as a model gets it: the methods are asked about a simulated room, with a model that
records what it is sent and replies by rote (`models/example_model.py`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import cache
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from string import Template
from tempfile import TemporaryDirectory

import scenemind.scene as sm
from scenemind.config import SceneMindConfig
from scenemind.errors import UsageError
from scenemind.memory.tree.tree_json import estimate_tokens
from scenemind.models import Models
from scenemind.models.example_model import ExampleModel, Sent
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
        "say(len(things), look('What is in front?', about=things))\n```",
        "Action: Final Answer\nAction Input: two",
    ),
    "vadar": (
        "```python\ndef _nearest(image, things):\n    return sorted(things)[99]\n```",
        "```python\nfinal_result = nothing\n```",
        "```python\nfinal_result = vqa(image, 'What is this?')\n```",
    ),
    "synergai": ("I plan to look first.",),
}


def record() -> dict[str, list[Sent]]:
    """The requests of every method on the example room, by method; the room is mapped first."""
    recorder = ExampleModel(_PROGRAMS)
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
