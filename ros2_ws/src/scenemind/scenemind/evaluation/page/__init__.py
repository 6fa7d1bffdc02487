"""The page of an evaluation: one HTML file, readable without a network or JavaScript."""

from scenemind.evaluation.page.page import PAGE, write_report
from scenemind.evaluation.page.published import PublishedTable, published_of

__all__ = ["PAGE", "PublishedTable", "published_of", "write_report"]
