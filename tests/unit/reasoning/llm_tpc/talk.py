"""Replies of a scripted model in its turns."""

from __future__ import annotations


def program(code: str, thought: str = "I look it up") -> str:
    return f"Thought: {thought}\nAction: Program\nAction Input:\n```python\n{code}\n```"


def final(answer: str, objects: str = "", thought: str = "So it is") -> str:
    text = f"Thought: {thought}\nAction: Final Answer\nAction Input: {answer}"
    return f"{text}\nObjects: {objects}" if objects else text
