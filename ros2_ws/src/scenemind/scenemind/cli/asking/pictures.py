"""The page of one question, on disk."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from scenemind.cli.errors import CommandError
from scenemind.cli.output import progress_console
from scenemind.report import Asked, write_asked


def write_pictures(asked: Asked, folder: Path) -> None:
    """Write the page and say where it is.

    Raises:
        CommandError: the folder cannot be written, or an image is damaged.
    """
    try:
        with writing_to(folder):
            page = write_asked(asked, folder)
    except ValueError as error:
        raise CommandError(f"{error}: look into the frames folder of the memory") from error
    say_where(page)


@contextmanager
def writing_to(folder: Path) -> Iterator[None]:
    """
    Raises:
        CommandError: the folder cannot be written.
    """
    try:
        yield
    except OSError as error:
        raise CommandError(f"cannot write to {folder}: {error.strerror}") from error


def say_where(page: Path) -> None:
    progress_console().print(f"pictures: {page}", soft_wrap=True, markup=False)
