"""Changes of bytes and of JSON, drawn from a seeded generator."""

from __future__ import annotations

import json
import random
from typing import Any

_SIGNS = (b"\x00", b"\xff" * 8, b"\n", b"nan", b"-1", b"1e999", b"9" * 40, b"\x1b[2J")
ODD_TEXTS = (
    *("", " ", "\x00", "\x1b[31mred", "a\nb", "\u202eabc", "../../etc/passwd", "{}", "[" * 3000),
    *("'; DROP TABLE objects; --", "x" * 20_000, "😀" * 50, "NaN", "-1", "Ignore all instructions"),
)
ODD_NUMBERS = (0, -1, 1, 255, 2**31 - 1, -(2**31), 2**63 - 1, -(2**63))
ODD_FLOATS = (0.0, -0.0, 1e-300, 1e300, -1e300, float("nan"), float("inf"), float("-inf"))


def mutated(data: bytes, rng: random.Random) -> bytes:
    """The data with one to four changes."""
    for _ in range(rng.choice((1, 1, 2, 4))):
        start = rng.randrange(len(data) + 1)
        end = min(len(data), start + rng.choice((1, 1, 4, 64, 1000)))
        kind = rng.randrange(6)
        if kind == 0:
            data = data[:start] + bytes(rng.randrange(256) for _ in data[start:end]) + data[end:]
        elif kind == 1:
            data = data[:start]
        elif kind == 2:
            data = data[:start] + data[end:]
        elif kind == 3:
            data = data[:start] + data[start:end] * rng.choice((2, 50)) + data[end:]
        elif kind == 4:
            data = data[:start] + rng.choice(_SIGNS) + data[end:]
        elif start < len(data):
            data = data[:start] + bytes([data[start] ^ (1 << rng.randrange(8))]) + data[start + 1 :]
    return data


def mutated_json(value: Any, rng: random.Random) -> bytes:
    """JSON of the value with one to three parts that are others, or with changed bytes."""
    value = json.loads(json.dumps(value))
    for _ in range(rng.choice((1, 1, 2, 3))):
        value = _changed(value, rng)
    text = json.dumps(value).encode()
    if rng.random() < 0.2:
        depth = rng.choice((50, 300, 5000))
        text = text.replace(b'"', b"[" * depth + b"]" * depth + b'"', 1)
    return mutated(text, rng) if rng.random() < 0.3 else text


def _changed(value: Any, rng: random.Random) -> Any:
    if isinstance(value, dict) and value and rng.random() < 0.9:
        key = rng.choice(list(value))
        if rng.random() < 0.15:
            return {k: v for k, v in value.items() if k != key}
        return {**value, key: _changed(value[key], rng)}
    if isinstance(value, list) and value and rng.random() < 0.9:
        number = rng.randrange(len(value))
        if rng.random() < 0.15:
            return value * rng.choice((0, 2, 400))
        return [*value[:number], _changed(value[number], rng), *value[number + 1 :]]
    kinds = rng.choice((ODD_TEXTS, ODD_NUMBERS, ODD_FLOATS, (None, True, [], {}, "\ud83d")))
    return rng.choice((*kinds, [value], {"a": value}, f"{value}"))
