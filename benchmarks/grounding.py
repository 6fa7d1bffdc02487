"""Cost of grounding a phrase in images, without the models."""

from __future__ import annotations

import json
import re
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from scenemind.bench.machine import machine, versions
from scenemind.config import ChatModelConfig, SceneMindConfig
from scenemind.frames import RGBDFrame, read_sequence
from scenemind.mapping import Mapper
from scenemind.memory import KeyFrame, Memory
from scenemind.models import Allowance, ChatMessage, ChatReply, OnText, Tool, Usage
from scenemind.models.openai_protocol import chat_request
from scenemind.perception.backends.instance_camera import InstanceCamera
from scenemind.perception.types import BoxMask
from scenemind.reasoning import Query
from scenemind.reasoning.method import Asking, Progress
from scenemind.reasoning.shared_models import SharedSegmenter
from scenemind.reasoning.vlm_grounder import VlmGrounder
from scenemind.simulation import Sensors, simulate

_SEED, _ROUND_FRAMES, _SIZE_PX = 3, 120, (640, 480)
_FRAMES, _QUERIES = 1000, 24
_FLUSH_EVERY = 8  # frames as fast as the disk: drop none
_IMAGES = re.compile(r"Here are the (\d+) images")


def bench_grounding(frames: int = _FRAMES, queries: int = _QUERIES) -> dict[str, Any]:
    """Milliseconds, medians over queries for the objects of a simulated room, on a memory on disk
    with this number of stored frames of 640x480, from rounds through it.

    - `machinery_ms`: a whole query, with models that answer at once. It includes their requests,
      with the images as text, and excludes the segmenter;
    - `machinery_ms_max`: that of the slowest query;
    - `stages_ms`: the same by stage;
    - `images`: number of images for the model; `views`: number of views behind a box.
    """
    with TemporaryDirectory() as folder, _driven(Path(folder) / "memory", frames) as memory:
        labels = Counter(thing.label for thing in memory.snapshot().objects.values())
        names = [label for label, _ in labels.most_common()]
        runs = [_Run(memory, names[number % len(names)]) for number in range(queries + 1)]
        stored = len(memory.stored_frames())
    runs = runs[1:]  # the first query loads code and tables
    stages = sorted({stage for run in runs for stage in run.stages_ms})
    return {
        "machinery_ms": median(run.machinery_ms for run in runs),
        "machinery_ms_max": max(run.machinery_ms for run in runs),
        "stages_ms": {name: median(run.stages_ms[name] for run in runs) for name in stages},
        "images": median(run.images for run in runs),
        "views": median(run.views for run in runs),
        "frames": stored,
        "machine": machine(),
        "versions": versions(),
    }


class _Run:
    """One timed query."""

    def __init__(self, memory: Memory, label: str) -> None:
        model, segmenter, clock = _PointingModel(label), _OvalSegmenter(), _StageClock()
        method = VlmGrounder(model, model, SharedSegmenter(lambda: segmenter))
        start = time.perf_counter()
        found = method.ground(
            Query(f"the {label}"), memory, Asking(Allowance(600.0), Progress(clock))
        )
        clock("end")
        self.machinery_ms = 1e3 * (time.perf_counter() - start - segmenter.seconds)
        self.stages_ms = clock.ms
        self.stages_ms["measure"] -= 1e3 * segmenter.seconds
        self.images = model.images
        self.views = len(found.key_frames or ())


class _StageClock:
    """A `ProgressListener` that times stages.

    Attributes:
        ms: by stage.
    """

    def __init__(self) -> None:
        self.ms: defaultdict[str, float] = defaultdict(float)
        self._stage, self._since = "", time.perf_counter()

    def __call__(self, stage: str, text: str = "", key_frames: Sequence[KeyFrame] = ()) -> None:
        """See `ProgressListener`."""
        del text, key_frames
        now = time.perf_counter()
        if self._stage:
            self.ms[self._stage] += 1e3 * (now - self._since)
        self._stage, self._since = stage, now


class _PointingModel:
    """A `ChatModel` for queries of one class: it points at the middle image and at its first
    candidate, or at its middle, at once.

    Attributes:
        images: number of images in its requests.
    """

    name = "prompt"

    def __init__(self, label: str) -> None:
        self._label = label
        self._config = ChatModelConfig(model=self.name)
        self.images = 0

    def ask(
        self,
        messages: Sequence[ChatMessage],
        allowance: Allowance,
        schema: Mapping[str, Any] | None = None,
        on_text: OnText | None = None,
        tools: Sequence[Tool] = (),  # noqa: ARG002
    ) -> ChatReply:
        """See `ChatModel`."""
        del on_text
        json.dumps(chat_request(self._config, messages, schema, False, allowance))
        return ChatReply(json.dumps(self._said(messages)), self.name, Usage(), 0.0)

    def _said(self, messages: Sequence[ChatMessage]) -> dict[str, Any]:
        shown = next((m for m in messages if m.jpegs), None)
        if shown is None:
            said = {"target_class": self._label, "attributes": [], "conditions": []}
            return {**said, "wants_all": False, "labels": []}
        if messages[-1] is not shown:
            if "nothing is marked" in messages[-1].text:
                return {"reasoning": "the middle", "object_id": -1, "box": [300, 300, 700, 700]}
            return {"reasoning": "the first", "object_id": 0, "box": []}
        found = _IMAGES.search(shown.text)
        self.images = int(found[1]) if found else 0
        target = {"target_image_id": f"{self.images // 2:05d}", "reference_image_ids": []}
        return {"reasoning": "in the middle", "target_place": [], **target}


class _OvalSegmenter:
    """A `Segmenter` that returns the ellipse in each box.

    Attributes:
        seconds: total time.
    """

    name = "ovals"

    def __init__(self) -> None:
        self.seconds = 0.0

    def segment(
        self, frame: RGBDFrame, boxes_px: NDArray[np.floating]
    ) -> tuple[BoxMask | None, ...]:
        """See `Segmenter`."""
        del frame
        start = time.perf_counter()
        masks = tuple(_oval(*(round(edge) for edge in box)) for box in boxes_px.tolist())
        self.seconds += time.perf_counter() - start
        return masks


def _oval(x0: int, y0: int, x1: int, y1: int) -> BoxMask:
    width, height = max(1, x1 - x0), max(1, y1 - y0)
    bits = np.zeros((height, width), np.uint8)
    cv2.ellipse(bits, (width // 2, height // 2), (width // 2, height // 2), 0, 0, 360, 1, -1)
    return BoxMask(x0, y0, bits.astype(bool))


@contextmanager
def _driven(path: Path, frames: int) -> Iterator[Memory]:
    """A memory on disk with at least that many stored frames."""
    sequence = simulate(_SEED, _ROUND_FRAMES, Sensors(*_SIZE_PX))
    filmed = list(read_sequence(sequence))
    tree = SceneMindConfig().model_dump()
    tree["store"].update(retention="all", key_frame_translation_m=0.05, key_frame_rotation_deg=3.0)
    config = SceneMindConfig.from_nested(tree)
    period_ns = filmed[1].stamp_ns - filmed[0].stamp_ns
    with Memory.create(path, config) as memory:
        mapper = Mapper(InstanceCamera(sequence.class_names), memory, config)
        number = 0
        while len(memory.stored_frames()) < frames:
            frame = filmed[number % len(filmed)]
            mapper.process(replace(frame, number=number, stamp_ns=number * period_ns))
            number += 1
            if number % _FLUSH_EVERY == 0:
                memory.flush()
        memory.flush()
        yield memory
