"""Pictures as SVG: that places in them are the values, and that strangers' text stays text."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from walkthrough import RooflinePoint, attainable
from walkthrough.display.drawing.axes import Axis, round_ticks
from walkthrough.display.drawing.bars_svg import BarPicture, PercentilePicture
from walkthrough.display.drawing.document import DocumentScreen
from walkthrough.display.drawing.picture import Picture, Strip, picture_html, strip_html
from walkthrough.display.drawing.spans_svg import SpanPicture
from walkthrough.display.plots import CurvePicture
from walkthrough.display.roofline_picture import RooflinePicture
from walkthrough.display.table import Table
from walkthrough.reference.speed.machines import MACHINES

EVIL = "<script>alert('&')</script>"


def parsed(picture: Picture) -> ET.Element:
    return ET.fromstring(picture.svg())


def numbers(text: str) -> list[float]:
    return [float(x) for x in re.findall(r"-?\d+\.?\d*", text)]


def told(picture: Picture, name: str) -> list[list[float]]:
    """Where the marks named `name…` stand."""
    return [
        numbers(path.get("d", ""))[:2]
        for path in parsed(picture).iter("path")
        if (title := path.find("title")) is not None and (title.text or "").startswith(name)
    ]


def test_points_stand_on_the_roof_and_the_ridge_is_where_it_bends() -> None:
    machine = MACHINES["a100"]
    points = [
        RooflinePoint(letter, x, attainable(machine, x), "step")
        for letter, x in (("a", 1.0), ("b", machine.ridge / 4), ("c", machine.ridge * 4))
    ]
    picture = RooflinePicture(machine, points, "roof")
    (roof,) = (each for each in parsed(picture).iter("polyline"))
    x0, y0, x1, y1, x2, y2 = numbers(roof.get("points", ""))
    assert y1 == y2 < y0 and x0 < x1 < x2
    (ridge,) = (each for each in parsed(picture).iter("line") if each.get("class") == "ridge")
    assert float(ridge.get("x1", 0)) == x1
    for letter in "abc":
        ((x, y),) = told(picture, f"{letter}  step")
        x += 7.5  # a circle's path begins at its left
        on = y0 + (y1 - y0) * (x - x0) / (x1 - x0) if x < x1 else y1
        assert y == pytest.approx(on, abs=0.2), letter
    labels = {each.text for each in parsed(picture).iter("text")}
    assert {"312T", "^ 153", "a", "b", "c"} <= labels
    assert picture.values().rows == ["a  step", "b  step", "c  step"]


def test_a_measured_point_is_a_star_and_one_without_a_label_has_its_mark() -> None:
    points = [RooflinePoint("*", 4, 3e12, "8"), RooflinePoint("p", 4, 2e12)]
    picture = RooflinePicture(MACHINES["a100"], points)
    stars = [p for p in parsed(picture).iter("path") if p.get("class") == "measured"]
    assert len(stars) == 1
    assert picture.values().rows == ["*  8", "p"]


def test_marks_that_are_near_have_their_letters_apart() -> None:
    points = [RooflinePoint(c, 4.0 + i / 100, 1e12) for i, c in enumerate("abcd")]
    texts = [
        (float(t.get("x", 0)), float(t.get("y", 0)))
        for t in parsed(RooflinePicture(MACHINES["a100"], points)).iter("text")
        if t.get("class") == "name"
    ]
    for i, (x, y) in enumerate(texts):
        for other_x, other_y in texts[i + 1 :]:
            assert abs(x - other_x) >= 20 or abs(y - other_y) >= 20


@given(st.lists(st.floats(0, 1e9, allow_subnormal=False), min_size=2, max_size=8))
def test_a_curve_is_as_high_as_its_values(values: list[float]) -> None:
    picture = CurvePicture({"c": values}, list(range(1, len(values) + 1)), "curve")
    places = told(picture, "c: ")
    assert [x for x, _ in places] == sorted(x for x, _ in places)
    for (_, y), value in zip(places, values, strict=True):
        share = (346 - y) / (346 - 26) * 1.04  # the plane is from 26 to 346
        assert share == pytest.approx(value / picture.top, abs=2e-3)


@given(st.floats(1e-6, 1e12), st.integers(2, 10))
def test_ticks_are_round_few_and_begin_at_0(high: float, most: int) -> None:
    ticks = round_ticks(high, most)
    assert ticks[0] == 0 and ticks[-1] <= high * 1.002 and 2 <= len(ticks) <= most + 1
    step = f"{ticks[1]:.3e}"
    assert step[:5] in ("1.000", "2.000", "2.500", "5.000")


@given(st.floats(0.001, 1e6))
def test_an_axis_keeps_order_and_ends(value: float) -> None:
    for log in (False, True):
        axis = Axis(0.01, 1000, 100, 700, log)
        assert 100 <= axis(value) <= 700 and axis(value) <= axis(value * 2)
        assert axis(0.01) == 100 and axis(1000) == 700
    # each power of ten is as wide as the next
    assert [round(axis(10.0**power)) for power in range(-2, 4)] == [100, 220, 340, 460, 580, 700]


def test_bars_are_as_long_as_their_shares() -> None:
    picture = BarPicture("bars", ["short", "long"], {"one": [0.25, 0.5], "two": [1e-5, 0.0]})
    wide = {
        rect.findtext("title"): float(rect.get("width", 0)) for rect in parsed(picture).iter("rect")
    }
    assert wide["one, long: 50.00 %"] == pytest.approx(2 * wide["one, short: 25.00 %"], abs=0.2)
    assert wide["two, short: 0.001 %"] == 3  # rare, and yet seen
    assert wide["two, long: 0.00 %"] == 0
    assert picture.values().cells == [[25, 0.001], [50, 0]]
    assert len(picture.lines(80, str)) == 4


def test_percentiles_stand_in_order_and_the_limit_between_them() -> None:
    picture = PercentilePicture("ttft", ["P50", "P90", "P99"], {"a": [0.2, 0.5, 3.0]}, 1.0, "s")
    x = [told(picture, f"a, {head}")[0][0] for head in ("P50", "P90", "P99")]
    (limit,) = (float(e.get("x1", 0)) for e in parsed(picture).iter("line")
                if e.get("class") == "ridge")  # fmt: skip
    assert x[0] < x[1] < limit < x[2]
    assert picture.values().cells == [[0.2, 0.5, 3.0]] and len(picture.lines(80, str)) == 1
    zero = PercentilePicture("none", ["P50"], {"a": [0.0]})  # a request of one token has no TPOT
    assert told(zero, "a, P50")


def test_spans_are_cut_to_the_window_and_joined_where_they_touch() -> None:
    spans = [(0.0, 1.0, "decode"), (1.0, 2.0, "decode"), (2.0, 9.0, "prefill"), (9, 10, "waits")]
    picture = SpanPicture("m", [("one", spans)], 0.5, 4.5, {"prefill": "P", "decode": "D"})
    rects = [r for r in parsed(picture).iter("rect") if r.find("title") is not None]
    assert [r.get("class") for r in rects] == ["decode", "prefill"]
    lengths = [float(r.get("width", 0)) for r in rects]
    assert lengths[1] == pytest.approx(lengths[0] * 2.5 / 1.5, rel=1e-2)
    assert float(rects[1].get("height", 0)) > float(rects[0].get("height", 0))  # form tells, too
    assert picture.values().cells == [[2500, 1500]]
    assert picture.lines(80, str)[0][0][0] == "one"


@pytest.mark.parametrize("count", [1, 30])
def test_what_strangers_wrote_stays_text(count: int) -> None:
    pictures: list[Picture] = [
        RooflinePicture(MACHINES["t4"], [RooflinePoint("*", 1, 1e9, EVIL)], EVIL, EVIL),
        CurvePicture({EVIL: [1.0]}, [1.0], EVIL, EVIL),
        BarPicture(EVIL, [EVIL], {EVIL: [1.0]}),
        PercentilePicture(EVIL, [EVIL], {EVIL: [1.0]}, 0.5, EVIL),
        SpanPicture(EVIL, [(EVIL, [(0, 1, "decode")])] * count, 0, 1, {"decode": EVIL}),
    ]
    for picture in pictures:
        html = picture_html(picture, 4, EVIL)
        assert "<script" not in html and ET.fromstring(html) is not None
    assert "".join(ET.fromstring(strip_html(EVIL)).itertext()) == EVIL


def test_a_strip_keeps_its_characters() -> None:
    html = strip_html(Strip("##--.+"))
    assert re.sub("<.*?>", "", html) == "##--.+"
    kinds = re.findall('class="(prefill|decode|mixed|idle)"', html)
    assert kinds == ["prefill", "decode", "idle", "mixed"]
    assert strip_html("") == '<span class="strip"></span>'


def test_a_document_has_all_in_order_and_asks_for_nothing() -> None:
    page = DocumentScreen(4, "values")
    page.prose("**first** <b>")
    page.text()
    page.text("second & more")
    page.table(Table("third", [[1.5]], ["r"], ["c"]))
    page.draw(CurvePicture({"fourth": [1, 2]}, [1, 2]))
    page.block([[("fifth <", "")]])
    html = page.html("Title <", "en")
    words = (
        "Title &lt;",
        "<strong>first</strong>",
        "second &amp;",
        "third",
        "fourth",
        "fifth &lt;",
    )
    places = [html.rindex(word) for word in words]
    assert places == sorted(places)
    assert "<script" not in html and "http" not in html.replace("http-equiv", "")
    assert "<b>" not in html and '<details class="pop" open>' in html


def test_next_to_nothing_is_drawn_too() -> None:
    assert round_ticks(5e-324) == [0.0]
    assert len(told(CurvePicture({"c": [0.0, 5e-324]}, [1, 2]), "c: ")) == 2
