"""`scenemind view --host 0.0.0.0` in a real browser: access with and without its link."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from .browser import new_page, open_view, say, try_websocket
from .served_view import served_view

pytestmark = [pytest.mark.extras, pytest.mark.browser]
pytest.importorskip("viser")

FORBIDDEN = 403


@pytest.fixture(scope="module")
def printed(memories: Path) -> Iterator[re.Match[str]]:
    """The address that was printed, in its parts: all network cards listen."""
    arguments = ("--memory", "room", "--memory-root", str(memories), "--host", "0.0.0.0")
    with served_view(*arguments) as address:
        found = re.fullmatch(r"http://[^/:]+:(?P<port>\d+)/\?link=(?P<link>[0-9a-f]{32})", address)
        assert found, address
        yield found


@pytest.fixture(scope="module")
def here(printed: re.Match[str]) -> str:
    """The same place by a name that every machine has, without the link."""
    return f"http://127.0.0.1:{printed['port']}/"


def test_without_a_link_a_page_says_what_is_missing(
    page: Any, here: str, take_picture: Callable[[Any, str], None]
) -> None:
    assert page.goto(here).status == FORBIDDEN
    page.get_by_text("This view needs a link: open the whole address").wait_for()
    take_picture(page, "no_link")
    assert try_websocket(page, here) == "refused"  # by a page that is of the same address


def test_a_wrong_link_is_refused(page: Any, here: str, printed: re.Match[str]) -> None:
    wrong = printed["link"][::-1]
    assert page.goto(f"{here}?link={wrong}").status == FORBIDDEN
    page.get_by_text("needs a link").wait_for()
    assert try_websocket(page, f"{here}?link={wrong}") == "refused"


def test_a_link_gives_one_browser_access_to_view_and_chat(
    page: Any,
    browser: Any,
    here: str,
    printed: re.Match[str],
    take_picture: Callable[[Any, str], None],
) -> None:
    link = f"{here}?link={printed['link']}"
    open_view(page, link)
    assert page.url == here  # nobody reads the link over a shoulder
    say(page, "where is the lamp?")  # over the WebSocket
    page.get_by_text(re.compile("^The lamp .* is ")).wait_for()
    assert try_websocket(page, here) == "open"
    take_picture(page, "link")
    other = new_page(browser)
    assert other.goto(here).status == FORBIDDEN
    assert other.goto(link).status == FORBIDDEN  # it was used
    other.close()
