"""The page of an evaluation: one HTML file, readable without a network or JavaScript."""

from scenemind.evaluation.page.page import PAGE, PublishedTable, published_of, write_report
from scenemind.evaluation.page.pictures import PictureSources

__all__ = ["PAGE", "PictureSources", "PublishedTable", "published_of", "write_report"]
