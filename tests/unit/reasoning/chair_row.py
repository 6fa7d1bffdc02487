"""A real memory of a row of chairs, and a model on the loopback that answers questions on it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any

from scenemind.composition import Reasoner
from scenemind.config import ModelsConfig, SceneMindConfig
from scenemind.memory import Memory
from scenemind.models import Models, open_models
from scenemind.reasoning import Router
from tests.chat_exchange import Request
from tests.chat_server import ChatServer, Step, say
from tests.unit.memory import walk

FRAMES = 60  # four locations, with a chair at each end and two between


def make_memory(folder: Path) -> Memory:
    """Four chairs, seen from four locations."""
    memory = Memory.create(folder, SceneMindConfig())
    walk.go(memory, range(FRAMES))
    return memory


def form_of(request: Request) -> str:
    """The requested form of the reply: LocationChoice or FrameAnswer."""
    return request.body["response_format"]["json_schema"]["name"]


def honest(request: Request) -> str:
    """The reply of a model that keeps to the form."""
    if form_of(request) == "LocationChoice":
        places = [{"location": i, "key_objects": [1], "cue_objects": []} for i in range(3)]
        return json.dumps({"think": "chairs are everywhere", "locations": places})
    return json.dumps(answer_form())


def answer_form(**other: Any) -> dict[str, Any]:
    form = {"think": "I see one.", "seen": True, "answer": "A red chair.", "confidence": 0.8}
    return {**form, "pictures": [1], "objects": [1], **other}


HONEST: Step = say(honest)


def settings(
    endpoint: str, language: Mapping[str, Any] = MappingProxyType({}), **limits: Any
) -> ModelsConfig:
    """One model that reads and sees, whose calls are given up and tried again soon."""
    model = {"model": "scripted", "endpoint": endpoint, "call_deadline_s": 0.25, **language}
    return ModelsConfig.model_validate(
        {"language": model, "retry_pause_s": 0.01, "rest_after": 1000, **limits}
    )


@contextmanager
def routed(memory: Memory, config: ModelsConfig, folder: Path) -> Iterator[tuple[Router, Models]]:
    """A router as the command line and the node build it, with the methods that write no
    programs."""
    with (
        open_models(config, folder / "ledger.sqlite") as models,
        Reasoner(SceneMindConfig(), models) as reasoner,
    ):
        names = ("memtree", "vlm_grounder", "synergai")
        methods = {name: reasoner.methods[name] for name in names if name in reasoner.methods}
        yield Router(memory, methods=methods), models


@contextmanager
def asked_of(
    memory: Memory, folder: Path, *steps: Step, **limits: Any
) -> Iterator[tuple[Router, Models, ChatServer]]:
    """The same, of a model that does these steps, one a request."""
    with ChatServer(*steps) as server:
        config = settings(server.endpoint, **limits)
        with routed(memory, config, folder) as (router, models):
            yield router, models, server
