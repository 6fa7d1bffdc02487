"""Situated questions: where the asker stands, and what is asked."""
