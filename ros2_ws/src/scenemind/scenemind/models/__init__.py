"""Language and vision models behind one protocol."""

from scenemind.models.allowance import Allowance
from scenemind.models.chat import ChatMessage, ChatModel, ChatReply, OnText, Tool, ToolCall
from scenemind.models.errors import FailureKind, ModelError
from scenemind.models.openai_chat import OpenAIChat
from scenemind.models.roles import Models, open_models
from scenemind.models.status import ModelStatus
from scenemind.models.structured import BadFormError, ask_for
from scenemind.models.usage import Usage

__all__ = [
    "Allowance",
    "BadFormError",
    "ChatMessage",
    "ChatModel",
    "ChatReply",
    "FailureKind",
    "ModelError",
    "ModelStatus",
    "Models",
    "OnText",
    "OpenAIChat",
    "Tool",
    "ToolCall",
    "Usage",
    "ask_for",
    "open_models",
]
