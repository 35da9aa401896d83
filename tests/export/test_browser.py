"""Every page in a real browser: what gestures do, what fits, who can read it."""

from __future__ import annotations

import contextvars
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from conftest import PHONE, PROJECTOR, Tab, violations
from helpers.examples import TEACHERS, teachers_file
from helpers.lessons import own_lesson
from helpers.pages import ALL_PAGES, pages

from walkthrough.display.notebook import bundle
from walkthrough.display.table import Table
from walkthrough.document import current_example
from walkthrough.export.page import Course
from walkthrough.export.page import page as page_of
from walkthrough.lesson.block_size import other_sizes
from walkthrough.lesson.reading import find_lessons
from walkthrough.lesson.recording import record

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.slow
SMALL = {"width": 1280, "height": 720}
LESSONS = [(language, name) for language, name in ALL_PAGES if name != "index.html"]

# Zones that are cut or scroll, and whatever lies over something else, with all answers open.
CUT = """() => {
  const section = document.querySelector('.step:not([hidden])'), found = [];
  for (const details of section.querySelectorAll('.answer')) details.open = true;
  dispatchEvent(new Event('resize'));
  const root = document.documentElement;
  if (root.scrollHeight > innerHeight + 1 || root.scrollWidth > innerWidth) found.push('page');
  for (const zone of section.querySelectorAll('.said, .board, .after, .film')) {
    const over = zone.scrollHeight > zone.clientHeight + 2
      || zone.scrollWidth > zone.clientWidth + 2;
    if (zone.classList.contains('long') || over) found.push(zone.className);
  }
  const boxes = [...section.querySelectorAll('.m, .said > *')]
    .map((e) => e.getBoundingClientRect());
  boxes.forEach((a, i) => boxes.slice(i + 1).forEach((b) => {
    const inside = a.left <= b.left && a.right >= b.right && a.top <= b.top && a.bottom >= b.bottom;
    const x = Math.min(a.right, b.right) - Math.max(a.left, b.left);
    const y = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
    if (!inside && x > 2 && y > 2) found.push(`${Math.round(x)} x ${Math.round(y)} over another`);
  }));
  return found;
}"""


def step_shown(page: Page) -> int:
    """The number of the one step that can be seen."""
    (number,) = page.evaluate(
        "[...document.querySelectorAll('.step')]"
        ".flatMap((s, i) => s.checkVisibility() ? [i + 1] : [])"
    )
    return int(number)


def state(page: Page) -> Any:
    """All that the step shows: cells with their marks, what is said, where the player stands."""
    return page.evaluate(
        """() => [[...document.querySelectorAll('.step:not([hidden]) td[data-row]')]
        .map((td) => [td.textContent, td.classList.contains('todo'), td.classList.contains('on')]),
        document.querySelector('#sum').textContent, document.querySelector('#count').textContent,
        document.querySelector('.step:not([hidden]) .film')?.textContent ?? '']"""
    )


def wait(page: Page, condition: str) -> None:
    """Until it holds, ten seconds at most (Playwright's own waiting needs eval, which is off)."""
    for _ in range(200):
        if page.evaluate(condition):
            return
        page.wait_for_timeout(50)
    raise AssertionError(condition)


def cell(page: Page, name: str, row: int, col: int) -> Any:
    place = f'[data-name="{name}"] td[data-row="{row}"][data-col="{col}"]'
    return page.locator(f".step:not([hidden]) {place}").first


@pytest.mark.parametrize(("language", "name"), LESSONS)
def test_every_step_fits_a_projector_and_a_notebook_and_a_phone(
    tab: Tab, folder: Path, language: str, name: str
) -> None:
    path = folder / language / name
    for size in (PROJECTOR, SMALL):
        page = tab.open(path, size=size)
        count = page.locator(".step").count()
        assert count >= 3
        for i in range(count):
            page.evaluate("i => walkthrough.open(i, { end: true })", i)
            assert step_shown(page) == i + 1
            assert page.evaluate(CUT) == [], (size, i + 1)
    page = tab.open(path, size=PHONE)
    for i in range(count):
        page.evaluate("i => walkthrough.open(i, { end: true })", i)
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"], i + 1
    assert tab.said == []
    assert tab.asked == [path.as_uri()]


@pytest.mark.parametrize(("language", "name"), ALL_PAGES)
def test_no_barrier(tab: Tab, folder: Path, language: str, name: str) -> None:
    page = tab.open(folder / language / name, size=PROJECTOR)
    page.emulate_media(color_scheme="light")
    if name == "index.html":
        assert violations(page) == []
        return
    for i in range(page.locator(".step").count()):
        if language == "ko" and i % 3:  # a page's other language has the same elements
            continue
        page.evaluate("i => walkthrough.open(i, { end: true })", i)
        assert violations(page) == [], i + 1


@pytest.mark.parametrize("name", ["05_decode_with_cache", "12_sharing", "14_prefix_caching"])
def test_no_barrier_dark_on_a_phone_edited_and_playing(tab: Tab, folder: Path, name: str) -> None:
    page = tab.open(folder / "ko" / f"{name}.html", size=PROJECTOR)
    for number in range(page.locator(".step").count()):
        page.evaluate("i => walkthrough.open(i)", number)
        page.emulate_media(color_scheme="dark")
        assert violations(page) == [], number + 1
        page.keyboard.press("ArrowRight")
        page.evaluate("i => walkthrough.open(i)", number)
        page.keyboard.press("ArrowRight")
        given = page.locator(".step:not([hidden]) td[data-given]")
        if given.count():
            given.first.click()
            page.keyboard.type("7")
            page.keyboard.press("Enter")
            given.first.click()
            page.keyboard.type("x")
            page.keyboard.press("Enter")
            assert page.locator("input.edit[aria-invalid=true]").count() == 1
            assert violations(page) == [], number + 1
            page.keyboard.press("Escape")
        page.set_viewport_size(PHONE)  # type: ignore[arg-type]
        page.emulate_media(color_scheme="light")
        assert violations(page) == [], number + 1
        page.set_viewport_size(PROJECTOR)  # type: ignore[arg-type]
        if page.locator("#play").is_enabled():
            page.click("#play")
            assert violations(page) == [], number + 1
            page.click("#play")
    assert tab.said == []


@pytest.fixture
def lesson_5(tab: Tab, folder: Path) -> Page:
    tab.page.emulate_media(color_scheme="light", reduced_motion="reduce")
    return tab.open(folder / "en" / "05_decode_with_cache.html", "#step-3", PROJECTOR)


def test_forward_shows_what_back_shows(lesson_5: Page) -> None:
    page, press = lesson_5, lesson_5.keyboard.press
    on = []
    press("Home")
    length = page.evaluate("walkthrough.length()")
    assert length == 26  # q, k and v of four terms in each of two entries, and two rows
    for _ in range(length + 1):
        on.append(state(page))
        press("ArrowRight")
    assert step_shown(page) == 4
    press("p")
    press("End")
    for expected in reversed(on):
        assert state(page) == expected
        press("ArrowLeft")
    assert "Point at a number" in page.inner_text("#sum")  # before the first term: all of it
    press("Space")
    press("PageDown")
    press("PageUp")
    assert state(page) == on[1]


def test_pointing_tapping_and_focusing_say_where_a_number_comes_from(lesson_5: Page) -> None:
    page = lesson_5
    page.keyboard.press("n")
    assert step_shown(page) == 4
    for gesture in ("hover", "click"):
        getattr(cell(page, "S", 0, 0), gesture)()
        assert page.inner_text("#sum") == "S[간다][나는] = 1×0 + 2×2 = 4"
        assert "row 나는 of K" in page.inner_text("#why")
        framed = page.locator(".step:not([hidden]) td.src")
        names = framed.evaluate_all("all => all.map((td) => td.closest('figure').dataset.name)")
        assert names == ["q", "q", "K", "K"]
        assert page.get_attribute(".map [aria-current]", "data-part") == "S"
    page.mouse.move(2, 2)
    assert page.inner_text("#sum") == "S[간다][나는] = 1×0 + 2×2 = 4"  # held
    page.keyboard.press("Escape")
    assert "Point at" in page.inner_text("#sum")
    cell(page, "S", 0, 0).focus()
    page.keyboard.press("ArrowRight")
    assert page.inner_text("#sum") == "S[간다][학교에] = 1×1 + 2×1 = 3"
    cell(page, "(S / √d_k)", 0, 1).hover()
    assert page.inner_text("#sum").replace("\n", "") == "(S / √d_k)[간다][학교에] = 3 / 2 = 2.1213"
    page.keyboard.press("p")
    cell(page, "K", 0, 1).hover()  # written in the prefill: its sum is that of then
    assert page.inner_text("#sum").endswith(" = 2")
    assert "only read back" in page.inner_text("#why")


def test_a_given_number_changes_and_all_behind_it(lesson_5: Page) -> None:
    page, press = lesson_5, lesson_5.keyboard.press
    x = cell(page, "x", 0, 0)
    for refused, why in (("", "no number"), ("abc", "not a number: abc"), ("-1/3", "not a number"),
                         ("1e9999", "too large")):  # fmt: skip
        x.dblclick()
        page.locator("input.edit").fill(refused)
        press("Enter")
        assert why in page.inner_text("#sum")
        assert page.locator("input.edit").get_attribute("aria-invalid") == "true"
        press("Escape")
        assert x.inner_text() == "1"
    x.focus()
    press("2")
    page.keyboard.type(".5")
    press("Enter")
    texts = cell(page, "q", 0, 0).inner_text().replace(",", "").split()
    assert texts == ["was", "1", "now", "2.5000"]
    assert cell(page, "q", 0, 1).inner_text() == "2"
    assert "numbers changed" in page.inner_text("#sum")
    changed = page.evaluate(
        "() => new Set([...document.querySelectorAll('td.changed')].map((td) =>"
        " `${td.closest('figure').dataset.node} ${td.dataset.row} ${td.dataset.col}`)).size"
    )
    assert page.inner_text("#sum").split()[0] == str(changed)
    press("n")
    assert cell(page, "q", 0, 0).inner_text().split()[-1] == "2.5000"
    assert page.locator("#reset").is_visible()
    press("r")
    assert page.locator("td.changed").count() == 0
    assert not page.locator("#reset").is_visible()
    press("p")
    assert cell(page, "x", 0, 0).inner_text() == "1"


def test_what_nobody_recorded_is_greyed_after_a_change(lesson_5: Page) -> None:
    page = lesson_5
    cell(page, "x", 0, 0).click()
    page.keyboard.type("3")
    page.keyboard.press("Enter")
    page.evaluate("walkthrough.open(6)")  # Output: the difference is the lesson's own arithmetic
    stale = page.locator(".step:not([hidden]) .stale figcaption")
    assert stale.all_inner_texts() == ["difference"]


def test_letters_go_by_place_and_can_be_switched_off(lesson_5: Page) -> None:
    page, press = lesson_5, lesson_5.keyboard.press
    # With a Korean input method on, the key gives a jamo; its place is still that of n.
    page.evaluate(
        "document.body.dispatchEvent(new KeyboardEvent('keydown',"
        " {key: 'ㅜ', code: 'KeyN', bubbles: true}))"
    )
    assert step_shown(page) == 4
    press("c")
    assert page.locator(".step:not([hidden]) .code pre").is_visible()
    press("Escape")
    assert not page.locator(".step:not([hidden]) .code pre").is_visible()
    press("t")
    assert page.get_attribute("html", "data-theme") == "dark"
    press("t")
    press("?")
    assert page.locator("#keys").is_visible()
    page.click("#letters")
    press("Escape")
    press("n")
    assert step_shown(page) == 4
    before = page.evaluate("parseFloat(getComputedStyle(document.documentElement).fontSize)")
    page.click("#help")
    page.click("#letters")
    press("Escape")
    press("+")
    after = page.evaluate("parseFloat(getComputedStyle(document.documentElement).fontSize)")
    assert after == pytest.approx(1.1 * before, rel=1e-4)
    press("-")


def test_the_answer_opens_when_it_is_asked_for(lesson_5: Page) -> None:
    page = lesson_5
    page.evaluate("location.hash = '#step-10'")
    wait(page, "document.querySelector('#step-10').checkVisibility()")
    answer = page.locator("#step-10 .answer table").first
    assert not answer.is_visible()
    page.click("#step-10 .answer summary")
    assert answer.is_visible()


@pytest.fixture
def lesson_12(browser: Browser, tmp_path: Path, tab: Tab) -> Page:
    lesson = find_lessons("en")[11]
    steps = record(lesson)
    path = tmp_path / "12.html"
    course = Course((lesson,), "en", 4)
    path.write_text(page_of(lesson, steps, course, other_sizes(lesson, steps, 4)), "utf-8")
    return tab.open(path, "#step-5", PROJECTOR)


def blocks(page: Page) -> list[list[Any]]:
    """What the blocks in use hold: number, reference count, owners, tokens."""
    return page.evaluate(
        """() => [...document.querySelectorAll('.step:not([hidden]) .blk')]
        .filter((b) => b.matches('.used, .shared')).map((b) => [+b.dataset.block,
        +b.querySelector('.hd small b').textContent,
        [...b.querySelectorAll('.who')].map((w) => w.textContent).join(''),
        [...b.querySelectorAll('.slot:not(.empty)')].map((s) => s.textContent).join(' ')])"""
    )


def test_a_pool_is_a_film_of_its_sequences(lesson_12: Page) -> None:
    page, press = lesson_12, lesson_12.keyboard.press
    assert blocks(page) == [[1, 3, "ABC", "나는 학교에"]]
    assert page.inner_text("#sum") == "Before the first event."
    for _ in range(3):
        press("ArrowRight")
    assert page.inner_text("#sum") == "Block 1 is copied to block 2."
    assert "Copy-on-write" in page.inner_text("#why")
    assert blocks(page) == [[1, 2, "BC", "나는 학교에"], [2, 1, "A", "나는 학교에"]]
    assert page.locator(".seq.acts .who").inner_text() == "A"
    press("End")
    assert blocks(page) == [
        [1, 1, "C", "나는 학교에 나는"],
        [2, 1, "A", "나는 학교에 간다"],
        [3, 1, "B", "나는 학교에 간다"],
    ]
    end = state(page)
    press("ArrowRight")
    assert step_shown(page) == 6
    press("ArrowLeft")
    assert state(page) == end  # a film is entered from behind at its end
    page.locator("#size-5").fill("0")  # two slots a block: no copy is made
    assert page.inner_text(".step:not([hidden]) output") == "2"
    assert "copies made: 0" in page.inner_text("#sum")
    assert page.locator("#scrub").get_attribute("aria-valuetext")


def test_nothing_plays_by_itself_and_one_player_plays(lesson_12: Page) -> None:
    page = lesson_12
    page.wait_for_timeout(300)
    assert page.inner_text("#count") == "0 / 9"
    page.click("#play")
    assert page.inner_text("#play") == "Pause"
    assert page.get_attribute("#told", "aria-live") == "off"
    wait(page, "document.querySelector('#count').textContent === '2 / 9'")
    page.click("#next")  # another step: it stops
    assert page.inner_text("#play") == "Play"
    assert page.get_attribute("#told", "aria-live") == "polite"


def test_without_scripts_and_on_paper_every_step_is_there(browser: Browser, folder: Path) -> None:
    path = (folder / "ko" / "05_decode_with_cache.html").as_uri()
    context = browser.new_context(viewport=PHONE, java_script_enabled=False)  # type: ignore[arg-type]
    page = context.new_page()
    page.goto(path)
    sections = page.locator(".step")
    assert all(sections.nth(i).is_visible() for i in range(sections.count()))
    assert not page.locator(".bar").is_visible()
    assert page.locator(".words").first.is_visible()
    context.close()
    context = browser.new_context(viewport=PROJECTOR)  # type: ignore[arg-type]
    page = context.new_page()
    page.goto(path)
    page.emulate_media(media="print")
    count = page.locator(".step").count()
    visible = "[...document.querySelectorAll('.step')].filter((s) => s.checkVisibility()).length"
    assert page.evaluate(visible) == count
    assert not page.locator(".bar").is_visible()
    made = page.pdf(prefer_css_page_size=True)
    assert made.startswith(b"%PDF")
    assert made.count(b"/Type /Page\n") == count  # one page a step
    context.close()


def test_twice_as_large_nothing_is_lost(browser: Browser, folder: Path) -> None:
    # 200 % in a window of 1280 × 800 is a window of 640 × 400 at two pixels a point.
    size: Any = {"width": 640, "height": 400}
    context = browser.new_context(viewport=size, device_scale_factor=2)
    page = context.new_page()
    page.goto((folder / "ko" / "09_blocks_and_block_tables.html").as_uri())
    for button in ("#back", "#next", "#play"):
        box = page.locator(button).bounding_box()
        assert box is not None
        assert box["x"] >= 0 and box["x"] + box["width"] <= 640
    assert page.evaluate("document.documentElement.scrollWidth") <= 640
    context.close()


def test_a_lesson_and_an_example_of_ones_own(tab: Tab, tmp_path: Path) -> None:
    example = teachers_file(TEACHERS["three heads"], tmp_path / "mine.toml")
    context = contextvars.copy_context()
    context.run(current_example.choose_example, example)
    own, built_in = own_lesson(tmp_path), find_lessons("en")[2]
    course = Course((own, built_in), "en", 4, "An example of **ours**.")
    for lesson in course.lessons:
        path = tmp_path / f"{lesson.name}.html"
        path.write_text(page_of(lesson, context.run(record, lesson), course), encoding="utf-8")
        page = tab.open(path, size=PROJECTOR)
        assert page.locator(".note strong").text_content() == "ours"
        for i in range(page.locator(".step").count()):
            page.evaluate("i => walkthrough.open(i)", i)
            assert violations(page) == []
            assert page.evaluate("document.documentElement.scrollWidth") <= PROJECTOR["width"]
        assert tab.said == []  # no script of the lesson's text has run, nor was one stopped
        assert [url for url in tab.asked if not url.startswith("data:")] == [path.as_uri()]


def test_a_wide_table_of_a_notebook_scrolls(tab: Tab, tmp_path: Path) -> None:
    html = bundle(Table("wide", [[1 / 3] * 40], cols=[f"column {i}" for i in range(40)]), 4)
    path = tmp_path / "cell.html"
    path.write_text(f"<!doctype html>{html['text/html']}", encoding="utf-8")
    page = tab.open(path, size=PHONE)
    box = "document.querySelector('.wt')"
    assert page.evaluate(f"{box}.scrollWidth > 3 * {box}.clientWidth")
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    assert page.locator("td").last.text_content() == "0.3333"


def test_pages_are_light() -> None:
    for language in ("ko", "en"):
        for name, html in pages(language).items():
            assert len(html.encode()) < 400_000, name


def test_a_roof_curves_and_timelines_are_drawn(tab: Tab, folder: Path) -> None:
    path = folder / "en" / "17_bytes_and_arithmetic.html"
    page = tab.open(path, size=PROJECTOR)
    drawn = page.locator(".pic svg[role=img]")
    assert drawn.count() == 3
    number = page.evaluate("+document.querySelector('.pic').closest('.step').dataset.step")
    page.evaluate("i => walkthrough.open(i)", number - 1)
    shown = page.locator(".step:not([hidden]) .pic")
    box = shown.locator("svg").bounding_box()
    assert box is not None and box["width"] > 700 and box["y"] + box["height"] < 1000
    values = shown.locator("table")
    assert not values.is_visible()
    shown.locator("summary").focus()
    page.keyboard.press("Enter")
    assert values.is_visible() and "FLOP/byte" in values.inner_text()
    assert violations(page) == []
    page = tab.open(folder / "ko" / "18_latency.html", size=PHONE)
    strip = page.locator(".strip").first.text_content() or ""
    assert set(strip) <= set("#+-.") and len(strip) == 38
    assert page.locator(".strip .prefill").count() > 3
    assert tab.said == []


def test_the_pages_are_those_of_the_course() -> None:
    assert {name for language, name in ALL_PAGES if language == "en"} == set(pages("en"))
