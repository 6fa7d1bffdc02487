"""The page of one question, on disk."""

from __future__ import annotations

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
        page = write_asked(asked, folder)
    except OSError as error:
        raise CommandError(f"cannot write to {folder}: {error.strerror}") from error
    except ValueError as error:
        raise CommandError(f"{error}: look into the frames folder of the memory") from error
    progress_console().print(f"pictures: {page}", soft_wrap=True, markup=False)
