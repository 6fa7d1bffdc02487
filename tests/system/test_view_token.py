"""`scenemind view --host 0.0.0.0` in a real browser: access with and without the token."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from .browser import open_view, say, try_websocket
from .served_view import served_view

pytestmark = [pytest.mark.extras, pytest.mark.browser]
pytest.importorskip("viser")

FORBIDDEN = 403


@pytest.fixture(scope="module")
def printed(memories: Path) -> Iterator[re.Match[str]]:
    """The address that was printed, in its parts: all network cards listen."""
    arguments = ("--memory", "room", "--memory-root", str(memories), "--host", "0.0.0.0")
    with served_view(*arguments) as address:
        found = re.fullmatch(
            r"http://[^/:]+:(?P<port>\d+)/\?token=(?P<token>[0-9a-f]{32})", address
        )
        assert found, address
        yield found


@pytest.fixture(scope="module")
def here(printed: re.Match[str]) -> str:
    """The same place by a name that every machine has, without the token."""
    return f"http://127.0.0.1:{printed['port']}/"


def test_without_the_token_a_page_says_what_is_missing(
    page: Any, here: str, take_picture: Callable[[Any, str], None]
) -> None:
    assert page.goto(here).status == FORBIDDEN
    page.get_by_text("This view needs its token: open the whole address").wait_for()
    take_picture(page, "no_token")
    assert try_websocket(page, here) == "refused"  # by a page that is of the same address


def test_wrong_token_is_refused(page: Any, here: str, printed: re.Match[str]) -> None:
    wrong = printed["token"][::-1]
    assert page.goto(f"{here}?token={wrong}").status == FORBIDDEN
    page.get_by_text("needs its token").wait_for()
    assert try_websocket(page, f"{here}?token={wrong}") == "refused"


def test_token_gives_access_to_view_and_chat(
    page: Any, here: str, printed: re.Match[str], take_picture: Callable[[Any, str], None]
) -> None:
    open_view(page, f"{here}?token={printed['token']}")
    assert page.url == here  # nobody reads the token over a shoulder
    say(page, "where is the lamp?")  # over the WebSocket
    page.get_by_text(re.compile("^The lamp .* is ")).wait_for()
    assert try_websocket(page, here) == "open"
    take_picture(page, "token")


def test_token_of_one_browser_gives_no_access_to_another(browser: Any, here: str) -> None:
    other = browser.new_page()  # with cookies of its own
    assert other.goto(here).status == FORBIDDEN
    other.close()
