"""`scenemind bench grounding`: what grounding a phrase in images costs, besides the models."""

from __future__ import annotations

import json
import re
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from statistics import median
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from scenemind.cli.bench.machine import machine, versions
from scenemind.config import ChatModelConfig, SceneMindConfig
from scenemind.frames import RGBDFrame, read_sequence
from scenemind.mapping import Mapper
from scenemind.memory import KeyFrame, Memory
from scenemind.models import Allowance, ChatMessage, ChatReply, OnText, Usage
from scenemind.models.openai_request import request_of
from scenemind.perception.backends.instance_camera import InstanceCamera
from scenemind.perception.types import BoxMask
from scenemind.reasoning import Query
from scenemind.reasoning.method import Asking
from scenemind.reasoning.vlm_grounder import VlmGrounder
from scenemind.simulation import simulate

_ROOM, _ROUND = 3, 100  # seed, and frames of one round through the room
_SIZE = 640, 480
_QUERIES, _FRAMES = 24, 1000
_COUNT = re.compile(r"Here are the (\d+) images")
_STAGES = {"segment": "measure", "choose": "choose"}


def bench_grounding(frames: int = _FRAMES, queries: int = _QUERIES) -> dict[str, Any]:
    """Milliseconds, medians over queries for things of a simulated room, on a memory on disk with so
    many stored frames of 640x480, from several rounds through it.

    - `machinery_ms`: a whole query, with models that answer at once; making their requests counts,
      pictures in text included, the segmenter does not;
    - `machinery_ms_max`: the slowest query's;
    - `stages_ms`: from one report of progress to the next;
    - `images`: that a query shows the model; `views`: that boxes are measured from.
    """
    with _driven(frames) as memory:
        labels = Counter(thing.label for thing in memory.snapshot().objects.values())
        asked = [label for label, _ in labels.most_common()]
        runs = [_Run(memory, asked[number % len(asked)]) for number in range(queries + 1)][1:]
    stages = {name for run in runs for name in run.stages_ms}
    return {
        "machinery_ms": median(run.machinery_ms for run in runs),
        "machinery_ms_max": max(run.machinery_ms for run in runs),
        "stages_ms": {n: median(run.stages_ms.get(n, 0.0) for run in runs) for n in sorted(stages)},
        "images": median(run.images for run in runs),
        "views": median(run.views for run in runs),
        "frames": frames,
        "machine": machine(),
        "versions": versions(),
    }
