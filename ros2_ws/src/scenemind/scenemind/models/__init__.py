"""Language and vision models behind one protocol."""

from scenemind.models.chat import ChatMessage, ChatModel, ChatReply
from scenemind.models.errors import FailureKind, ModelError
from scenemind.models.openai_chat import OpenAIChat
from scenemind.models.structured import ask_for

__all__ = [
    "ChatMessage",
    "ChatModel",
    "ChatReply",
    "FailureKind",
    "ModelError",
    "OpenAIChat",
    "ask_for",
]
