"""Each control of the page in a real browser, on a room that was visited twice."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

pytest.importorskip("viser")

from benchmarks.visited_room import map_two_visits
from scenemind.config import SceneMindConfig
from scenemind.memory import Memory
from scenemind.reasoning import Asking, Router
from scenemind.reasoning.dialogue import Dialogues
from scenemind.surface import ColoredCloud
from scenemind.viewer.viewer import Viewer, ViewerSettings
from tests.waiting import wait_until

from .browser import canvas_of, new_page, open_tab, open_view, say, still_canvas_of

pytestmark = [pytest.mark.extras, pytest.mark.browser]

DESKTOP, PHONE = {"width": 1440, "height": 900}, {"width": 390, "height": 844}
TakePicture = Callable[[Any, str], None]
# Rectangles of the names that are shown, and whether two of them overlap.
OVERLAPS = """() => {
    const names = [...document.querySelectorAll("#names .name")];
    const boxes = names.map(name => name.getBoundingClientRect());
    return boxes.some((a, i) => boxes.slice(i + 1).some(b =>
        a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom));
}"""
# Of each name the contrast of its letters with its colour (WCAG 2, 1.4.3).
CONTRASTS = """() => [...document.querySelectorAll("#names .name")].map(name => {
    const style = getComputedStyle(name);
    const light = text => {
        const parts = text.match(/[0-9.]+/g).slice(0, 3).map(v => v / 255)
            .map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2] + 0.05;
    };
    const [a, b] = [light(style.color), light(style.backgroundColor)];
    return Math.max(a, b) / Math.min(a, b);
})"""


@pytest.fixture(scope="module")
def viewer() -> Iterator[Viewer]:
    with Memory.create(None, SceneMindConfig()) as memory:
        map_two_visits(memory)
        router = Router(memory, dialogues=Dialogues(1, 6))
        settings = ViewerSettings(port=0, title="SceneMind: twice")
        with Viewer(memory, router, Asking, settings, ColoredCloud(20_000)) as viewer:
            viewer.start()
            yield viewer


@pytest.fixture
def page(browser: Any, viewer: Viewer) -> Iterator[Any]:
    """A fresh page on a view in which nothing is marked or hidden."""
    viewer.mark([])
    page = new_page(browser, **DESKTOP)
    page.on("pageerror", lambda error: pytest.fail(f"the page failed: {error}"))
    open_view(page, f"http://127.0.0.1:{viewer.port}/")
    page.locator("#names .name").first.wait_for()
    yield page
    page.close()


def marked(page: Any) -> Any:
    return page.get_by_role("group", name="Marked objects")


def names(page: Any) -> list[str]:
    found: list[str] = page.locator("#names .name").all_inner_texts()
    return found


def test_a_name_in_the_picture_is_clicked(page: Any) -> None:
    name = page.locator("#names .name").first
    text = name.inner_text()
    name.click()
    marked(page).get_by_role("button", name=text, exact=True).wait_for()
    page.locator("#names .name.marked").wait_for()
    other = page.locator("#names .name:not(.marked)").first
    other.click(modifiers=["Shift"])
    marked(page).get_by_text("2 marked", exact=True).wait_for()
    marked(page).get_by_role("button", name=f"Unmark {text}", exact=True).click()
    marked(page).get_by_text("1 marked", exact=True).wait_for()
    marked(page).get_by_role("button", name="Clear").click()
    marked(page).get_by_text("Nothing is marked").wait_for()


def test_names_do_not_overlap_and_can_be_read(page: Any, take_picture: TakePicture) -> None:
    for size in (DESKTOP, PHONE):
        page.set_viewport_size(size)
        wait_until(lambda: len(names(page)) > 4 and not page.evaluate(OVERLAPS))
        assert min(page.evaluate(CONTRASTS)) >= 4.5
        take_picture(page, f"names_{size['width']}")


def test_the_legend_hides_classes(page: Any) -> None:
    legend = page.locator("#legend")
    legend.get_by_role("checkbox", name=re.compile("^chair")).uncheck()
    wait_until(lambda: not any(name.startswith("chair ") for name in names(page)))
    legend.get_by_title("Show chair alone").click()
    wait_until(lambda: {name.split()[0] for name in names(page)} == {"chair"})
    page.get_by_role("button", name="Show all").click()
    wait_until(lambda: len({name.split()[0] for name in names(page)}) > 3)


def test_the_slider_hides_doubtful_objects(page: Any, viewer: Viewer) -> None:
    scene = viewer._drawn
    assert scene is not None
    sure = sum(thing.confidence >= 0.9 for thing in scene.objects.values())
    assert 0 < sure < len(scene.objects)
    slider = page.locator("#least")
    slider.fill("90")
    page.get_by_text(f"{sure} of {len(scene.objects)} objects").first.wait_for()
    slider.fill("0")
    page.locator("#counts").get_by_text(f"{len(scene.objects)} objects", exact=True).wait_for()


def test_the_tree_leads_to_objects(page: Any) -> None:
    tree = page.locator("#tree")
    tree.get_by_text("floor", exact=True).wait_for()
    table = tree.get_by_role("button", name=re.compile("^dining table [0-9]+$"))
    text = table.inner_text()
    table.click()
    marked(page).get_by_role("button", name=text, exact=True).wait_for()
    tree.get_by_text("room", exact=True).click()
    table.wait_for(state="hidden")
    tree.get_by_text("room", exact=True).click()
    table.wait_for()


def test_the_time_line_tells_what_moved_and_compares_moments(
    page: Any, take_picture: TakePicture
) -> None:
    open_tab(page, "Time")
    page.get_by_text("Visit 2", exact=True).wait_for()
    event = page.locator("#visits li").filter(has_text=re.compile("moved [0-9.]+ m, was "))
    event.first.wait_for()
    take_picture(page, "time")
    event.locator(".thing").first.click()
    marked(page).get_by_text("1 marked", exact=True).wait_for()
    moment = page.get_by_label("Moment")
    moment.fill("1")
    moment.press("Enter")
    page.get_by_text(re.compile("^Changes since 1: .*moved")).wait_for()
    moment.fill("long ago")
    moment.press("Enter")
    page.get_by_text("is no moment").wait_for()
    moment.fill("")
    moment.press("Enter")
    page.get_by_text(re.compile("^Changes since the visit before: .*moved")).wait_for()


def test_a_refusal_offers_a_sentence_to_click(page: Any) -> None:
    say(page, "colourless green ideas sleep furiously")
    offer = page.get_by_role("group", name="Try").last.get_by_role("button").last
    text = offer.inner_text()
    offer.click()
    page.locator(".turn.person").get_by_text(text, exact=True).last.wait_for()
    page.locator(".turn.scene:last-child").wait_for()


def test_buttons_answer_the_newest_question_only(page: Any) -> None:
    def ask() -> Any:
        count = page.get_by_role("group", name="Answer").count()
        say(page, "there are no chairs here")
        wait_until(lambda: page.get_by_role("group", name="Answer").count() > count)
        return page.get_by_role("group", name="Answer").last

    first = ask()
    first.get_by_role("button", name="no", exact=True).click()
    page.get_by_text("Nothing was changed.").last.wait_for()
    assert all(button.is_disabled() for button in first.get_by_role("button").all())
    second = ask()
    assert all(button.is_enabled() for button in second.get_by_role("button").all())
    second.get_by_role("button", name="no", exact=True).click()
    wait_until(lambda: page.get_by_text("Nothing was changed.").count() == 2)


def test_the_talk_keeps_its_place(page: Any) -> None:
    line = page.get_by_label("Say", exact=True)
    before = line.bounding_box()
    for _ in range(3):
        say(page, "where is the couch?")
    wait_until(lambda: page.locator(".turn.person").count() >= 3)
    page.locator(".turn.scene:last-child .picture img").first.wait_for()
    assert line.bounding_box() == before


def test_from_any_zoom_a_button_and_a_key_lead_back(page: Any) -> None:
    wait_until(lambda: np.mean(np.ptp(canvas_of(page), axis=2) > 30.0) > 0.05)
    canvas = page.locator("canvas").first.bounding_box()

    def is_home() -> bool:
        return bool(np.mean(np.abs(canvas_of(page) - first) > 40.0) < 0.05)

    first = still_canvas_of(page)
    for go_back in (
        lambda: page.get_by_role("button", name="Whole place").click(),
        lambda: page.keyboard.press("h"),
    ):
        page.mouse.move(canvas["x"] + canvas["width"] / 2, canvas["y"] + canvas["height"] / 2)
        for _ in range(30):
            page.mouse.wheel(0, -600)
        wait_until(lambda: not is_home())
        go_back()
        wait_until(is_home)


def test_all_is_reached_by_keys(page: Any) -> None:
    page.keyboard.press("n")
    marked(page).get_by_text("1 marked", exact=True).wait_for()
    first = marked(page).locator(".thing").inner_text()
    page.keyboard.press("n")
    wait_until(lambda: marked(page).locator(".thing").inner_text() != first)
    page.keyboard.press("p")
    marked(page).get_by_role("button", name=first, exact=True).wait_for()
    page.keyboard.press("2")
    page.locator("#about h2").wait_for()
    page.keyboard.press("/")
    page.keyboard.type("what is this?")
    assert page.get_by_label("Say", exact=True).input_value() == "what is this?"
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    marked(page).get_by_text("Nothing is marked").wait_for()
    page.keyboard.press("?")
    page.get_by_role("dialog").get_by_role("button", name="Close").click()


def test_layers_are_switched(page: Any) -> None:
    page.get_by_role("checkbox", name="Names").uncheck()
    wait_until(lambda: names(page) == [])
    page.get_by_role("checkbox", name="Names").check()
    wait_until(lambda: len(names(page)) > 4)
    before = still_canvas_of(page)
    page.get_by_role("checkbox", name="Background").uncheck()
    wait_until(lambda: np.mean(np.abs(canvas_of(page) - before) > 40.0) > 0.05)
    page.get_by_role("checkbox", name="Background").check()
    wait_until(lambda: np.mean(np.abs(canvas_of(page) - before) > 40.0) < 0.05)


def test_a_phone_has_all_panels_below_the_picture(page: Any, take_picture: TakePicture) -> None:
    page.set_viewport_size(PHONE)
    for tab, waited in (
        ("Talk", "#line"),
        ("Object", "#about"),
        ("Time", "#visits"),
        ("Classes", "#legend"),
        ("Tree", "#tree"),
    ):
        open_tab(page, tab)
        page.locator(waited).wait_for()
        take_picture(page, f"phone_{tab.lower()}")
    picture = page.locator("canvas").first
    before = picture.bounding_box()["height"]
    page.get_by_title("Fold the panel").click()
    wait_until(lambda: picture.bounding_box()["height"] > before + 200)
    page.get_by_title("Unfold the panel").click()
    wait_until(lambda: picture.bounding_box()["height"] == before)
