"""What may be said to a model at all."""

from __future__ import annotations

import pytest

from scenemind.models import ChatMessage, ModelError


def test_every_character_can_be_said() -> None:
    assert ChatMessage("user", "很好, 😀\x00").text == "很好, 😀\x00"


def test_half_a_character_is_refused_before_it_spoils_a_request_or_a_recording() -> None:
    with pytest.raises(ModelError, match=r"holds '\\udcff', which is no character") as raised:
        ChatMessage("user", b"caf\xff".decode(errors="surrogateescape"))
    assert raised.value.kind == "rejected"
