"""Every page in a real browser: the keys, the network, WCAG A and AA, a phone and a projector."""

from __future__ import annotations

import contextvars
import os
import shutil
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from helpers.examples import TEACHERS, teachers_file
from helpers.lessons import own_lesson
from helpers.pages import ALL_PAGES, pages

from walkthrough.display.notebook import bundle
from walkthrough.display.table import Table
from walkthrough.document import current_example
from walkthrough.export.page import Course
from walkthrough.export.page import page as page_of
from walkthrough.lesson.reading import find_lessons
from walkthrough.lesson.recording import record

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
PHONE, PROJECTOR = {"width": 390, "height": 844}, {"width": 1920, "height": 1080}

# Pages that have every colour between them; the others have no more.
DARK = [("en", f"{name}.html") for name in ("index", "05_decode_with_cache", "14_prefix_caching")]

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        CHROMIUM is None,
        reason="no browser: install Debian's chromium, or set CHROMIUM to its path",
    ),
]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        options = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
        yield (made := playwright.chromium.launch(executable_path=CHROMIUM, args=options))
        made.close()


class Tab:
    """A page that remembers what it said on its console and what it asked the network for."""

    def __init__(self, page: Page) -> None:
        self.page, self.said, self.asked = page, [], []  # type: ignore[var-annotated]
        page.on("console", lambda message: self.said.append(message.text))
        page.on("pageerror", lambda error: self.said.append(str(error)))
        page.on("request", lambda request: self.asked.append(request.url))

    def open(self, path: Path, fragment: str = "") -> Page:
        self.page.goto("about:blank")
        self.said.clear()
        self.asked.clear()
        self.page.goto(path.as_uri() + fragment)
        return self.page


@pytest.fixture(scope="module")
def tab(browser: Browser) -> Iterator[Tab]:
    context = browser.new_context(viewport=PHONE, reduced_motion="reduce")
    axe = files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")
    context.add_init_script(axe)
    yield Tab(context.new_page())
    context.close()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("pages")
    for language in ("ko", "en"):
        (root / language).mkdir()
        for name, html in pages(language).items():
            (root / language / name).write_text(html, encoding="utf-8")
    return root


def violations(
    page: Page, rules: list[str] = WCAG, kind: str = "tag", *, contrast: bool = True
) -> list[tuple[str, str]]:
    """What axe-core finds: rule and element."""
    only = {
        "runOnly": {"type": kind, "values": rules},
        "rules": {"color-contrast": {"enabled": contrast}},
        "resultTypes": ["violations"],
    }
    found: list[Any] = page.evaluate("only => axe.run(document, only)", only)["violations"]
    return [(rule["id"], node["html"]) for rule in found for node in rule["nodes"]]


def shown(page: Page) -> list[int]:
    """The numbers of the steps that can be seen."""
    return page.evaluate(
        "[...document.querySelectorAll('main > section')]"
        ".flatMap((s, i) => s.checkVisibility() ? [i + 1] : [])"
    )


def wait(page: Page, condition: str) -> None:
    """Until it holds, ten seconds at most (Playwright's own waiting needs eval, which is off)."""
    for _ in range(200):
        if page.evaluate(condition):
            return
        page.wait_for_timeout(50)
    raise AssertionError(condition)


@pytest.mark.parametrize(("language", "name"), ALL_PAGES)
def test_a_page_forward_back_and_without_a_barrier(
    tab: Tab, folder: Path, language: str, name: str
) -> None:
    path = folder / language / name
    tab.page.set_viewport_size(PHONE)
    tab.page.emulate_media(color_scheme="light")
    page = tab.open(path)
    assert page.get_attribute("html", "lang") == language
    if name != "index.html":
        count = page.locator("main > section").count()
        assert count >= 3
        assert shown(page) == [1]
        for number in range(2, count + 1):
            page.keyboard.press("ArrowRight")
            assert shown(page) == [number]
        assert page.evaluate("document.activeElement.id") == f"heading-{count}"
        assert page.is_disabled("#next")
        for number in range(count - 1, 0, -1):
            page.keyboard.press("k")
            assert shown(page) == [number]
        page.click("#all")
        assert shown(page) == list(range(1, count + 1))
    for size in (PHONE, PROJECTOR):  # nothing but a box of its own scrolls sideways
        page.set_viewport_size(size)
        assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]
    # A page's colours are those of its other language; comparing them is half of axe's time.
    assert violations(page, contrast=language == "en") == []
    if (language, name) in DARK:
        page.emulate_media(color_scheme="dark")
        assert violations(page, ["color-contrast"], "rule") == []
    assert tab.said == []
    assert tab.asked == [path.as_uri()]


@pytest.fixture
def lesson_12(tab: Tab, folder: Path) -> Page:
    tab.page.set_viewport_size(PROJECTOR)
    tab.page.emulate_media(color_scheme="light", reduced_motion="reduce")
    return tab.open(folder / "en" / "12_sharing.html")


def test_all_the_keys(lesson_12: Page) -> None:
    page, press = lesson_12, lesson_12.keyboard.press
    count = page.locator("main > section").count()
    for key in ("l", "j", "ArrowRight"):
        before = shown(page)[0]
        press(key)
        assert shown(page) == [before + 1]
    for key in ("h", "k", "ArrowLeft"):
        before = shown(page)[0]
        press(key)
        assert shown(page) == [before - 1]
    press("End")
    assert shown(page) == [count]
    press("Home")
    assert shown(page) == [1]
    page.click("#next")
    assert shown(page) == [2]
    page.click("#back")
    assert shown(page) == [1]
    press("a")
    assert len(shown(page)) == count
    press("a")
    assert page.locator(".code:visible").count() == 0  # the first step has no code
    press("l")
    assert page.locator(".code:visible").count() > 0
    press("c")
    assert page.locator(".code:visible").count() == 0
    # With a Korean input method on, the key gives a jamo; its place is still that of l.
    page.evaluate(
        "document.body.dispatchEvent(new KeyboardEvent('keydown',"
        " {key: 'ㅣ', code: 'KeyL', bubbles: true}))"
    )
    assert shown(page) == [3]


@pytest.mark.parametrize(("onward", "backward"), [("ArrowDown", "ArrowUp"), ("PageDown", "PageUp")])
def test_a_long_step_is_scrolled_before_it_is_left(
    lesson_12: Page, onward: str, backward: str
) -> None:
    page, press = lesson_12, lesson_12.keyboard.press
    page.set_viewport_size({"width": 600, "height": 500})
    page.evaluate("location.hash = '#step-4'")
    wait(page, "!document.getElementById('step-4').hidden")
    places = [0.0]
    while shown(page) == [4] and len(places) < 100:
        press(onward)
        places.append(page.evaluate("scrollY"))
    assert shown(page) == [5]
    assert len(places) > 3
    assert places[:-1] == sorted(places[:-1])
    press(backward)
    assert shown(page) == [4]
    assert page.evaluate("scrollY") > 0  # at its end, where it was left
    press("Home")
    press("End")
    press("Space")
    assert page.evaluate("scrollY") > 0


def test_letters_can_be_switched_off_as_keys(lesson_12: Page) -> None:
    page = lesson_12
    page.click(".keys summary")
    page.click("#letters")
    page.keyboard.press("Tab")
    page.keyboard.press("l")
    assert shown(page) == [1]
    page.keyboard.press("ArrowRight")
    assert shown(page) == [2]


def blocks(page: Page, figure: int = 0) -> list[list[str]]:
    """State, reference count and filled slots of the blocks in a figure of the step shown."""
    return page.evaluate(
        """n => [...[...document.querySelectorAll('section:not([hidden]) .pool')][n]
        .querySelectorAll('.block')].map(b => [b.dataset.state,
        b.querySelector('.ref').textContent, b.querySelector('.filled').textContent])""",
        figure,
    )


def test_the_pool_moves_with_the_events(lesson_12: Page) -> None:
    page = lesson_12
    for _ in range(3):
        page.keyboard.press("l")
    null = ["null", "×0", ""]
    end = [null, ["used", "×1", "●●●"], ["used", "×1", "●●●"], ["used", "×1", "●●●"]]
    assert blocks(page) == end  # no motion wanted: it stands at the end
    figure = page.locator("section:not([hidden]) .pool")
    figure.locator("[data-do=start]").click()
    free = ["free", "×0", ""]
    assert blocks(page) == [null, ["shared", "×3", "●●"], free, free]
    seen = []
    for _ in range(9):
        figure.locator("[data-do=following]").click()
        seen.append(blocks(page))
    assert seen[0] == [null, ["shared", "×3", "●●"], ["used", "×1", ""], free]
    assert seen[2] == [null, ["shared", "×2", "●●"], ["used", "×1", "●●"], free]
    assert seen[8] == end
    assert figure.locator(".now").text_content() == "Block 1 has 3 slots filled."
    assert figure.locator("[data-now]").count() == 1
    figure.locator("[data-do=previous]").click()
    assert blocks(page) == seen[7]


def test_the_pool_plays_by_itself_where_motion_is_wanted(browser: Browser, folder: Path) -> None:
    context = browser.new_context(viewport=PROJECTOR, reduced_motion="no-preference")
    page = context.new_page()
    page.goto((folder / "en" / "12_sharing.html").as_uri() + "#step-3")
    figure = page.locator("section:not([hidden]) .pool")
    figure.scroll_into_view_if_needed()
    wait(
        page,
        "document.querySelector('section:not([hidden]) [data-do=play]').textContent == 'Pause'",
    )
    wait(page, "document.querySelector('section:not([hidden]) .count').textContent == '2 / 2'")
    assert blocks(page)[1] == ["shared", "×3", "●●"]
    context.close()


def test_without_scripts_and_on_paper_every_step_is_there(browser: Browser, folder: Path) -> None:
    path = (folder / "ko" / "05_decode_with_cache.html").as_uri()
    context = browser.new_context(viewport=PHONE, java_script_enabled=False)
    page = context.new_page()
    page.goto(path)
    sections = page.locator("main > section")
    assert all(sections.nth(i).is_visible() for i in range(sections.count()))
    assert not page.locator(".bar").is_visible()
    context.close()
    context = browser.new_context()
    page = context.new_page()
    page.goto(path)
    page.emulate_media(media="print")
    assert shown(page) == list(range(1, page.locator("main > section").count() + 1))
    assert not page.locator(".bar").is_visible()
    assert page.pdf().startswith(b"%PDF")
    context.close()


def test_wide_tables_scroll_in_their_box_by_keyboard(tab: Tab, folder: Path) -> None:
    tab.page.set_viewport_size(PHONE)
    page = tab.open(folder / "en" / "15_scheduling.html", "#step-2")
    page.evaluate(
        "[...document.querySelectorAll('section:not([hidden]) .wt')]"
        ".find(box => box.scrollWidth > box.clientWidth).focus()"
    )
    page.keyboard.press("ArrowRight")
    wait(page, "document.activeElement.scrollLeft > 0")
    assert shown(page) == [2]


def test_twice_as_large_nothing_is_lost(browser: Browser, folder: Path) -> None:
    # 200 % in a window of 1280 × 800 is a window of 640 × 400 at two pixels a point.
    context = browser.new_context(viewport={"width": 640, "height": 400}, device_scale_factor=2)
    page = context.new_page()
    page.goto((folder / "ko" / "09_blocks_and_block_tables.html").as_uri())
    for button in ("#back", "#next", "#all", "#code"):
        box = page.locator(button).bounding_box()
        assert box is not None
        assert box["x"] >= 0 and box["x"] + box["width"] <= 640
    assert page.evaluate("document.querySelector('.bar').offsetHeight") < 120
    context.close()


def test_a_lesson_and_an_example_of_ones_own(tab: Tab, tmp_path: Path) -> None:
    example = teachers_file(TEACHERS["three heads"], tmp_path / "mine.toml")
    context = contextvars.copy_context()
    context.run(current_example.choose_example, example)
    own, built_in = own_lesson(tmp_path), find_lessons("en")[2]
    course = Course((own, built_in), "en", 4, "An example of **ours**.")
    tab.page.set_viewport_size(PHONE)
    tab.page.emulate_media(color_scheme="light")
    for lesson in course.lessons:
        path = tmp_path / f"{lesson.name}.html"
        path.write_text(page_of(lesson, context.run(record, lesson), course), encoding="utf-8")
        page = tab.open(path)
        assert page.locator(".note strong").text_content() == "ours"
        page.click("#all")
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
        assert violations(page) == []
        assert tab.said == []  # no script of the lesson's text has run, nor was one stopped
        assert [url for url in tab.asked if not url.startswith("data:")] == [path.as_uri()]


def test_a_wide_table_of_a_notebook_scrolls(tab: Tab, tmp_path: Path) -> None:
    html = bundle(Table("wide", [[1 / 3] * 40], cols=[f"column {i}" for i in range(40)]), 4)
    path = tmp_path / "cell.html"
    path.write_text(f"<!doctype html>{html['text/html']}", encoding="utf-8")
    tab.page.set_viewport_size(PHONE)
    page = tab.open(path)
    box = "document.querySelector('.wt')"
    assert page.evaluate(f"{box}.scrollWidth > 3 * {box}.clientWidth")
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    assert page.locator("td").last.text_content() == "0.3333"
