"""LLM-TPC: a language model thinks, writes programs, corrects them, and sums up."""

from scenemind.reasoning.llm_tpc.llm_tpc import LlmTpc

__all__ = ["LlmTpc"]
