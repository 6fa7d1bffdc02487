"""Predictions in the form in which each benchmark takes them."""

from scenemind.evaluation.submissions.submission import SUBMISSIONS, Submission, write_submission

__all__ = ["SUBMISSIONS", "Submission", "write_submission"]
