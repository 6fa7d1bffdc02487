"""Helpers of the tests of the real client."""

from __future__ import annotations

from typing import Any

from scenemind.config import ChatModelConfig
from scenemind.models import ChatMessage
from scenemind.models.openai_chat import OpenAIChat
from tests.chat_server import ChatServer

KEY = "sk-test-0123456789"
KEY_VARIABLE = "SEER_API_KEY"
HELLO = [ChatMessage("user", "hello")]
LONG_S = 3600.0
# Far more than anything here takes: a test that waits so long has failed.
SOON_S = 20.0


def chat_with(server: ChatServer | str, **settings: Any) -> OpenAIChat:
    """A client of a server or an endpoint."""
    endpoint = server if isinstance(server, str) else server.endpoint
    return OpenAIChat(ChatModelConfig(model="seer", endpoint=endpoint, **settings))
