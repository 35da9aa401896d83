"""A real browser, and every page of the course in a folder: made once."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from helpers.pages import pages

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

PHONE, PROJECTOR = {"width": 390, "height": 844}, {"width": 1920, "height": 1080}
QUIET = [  # a browser asks its maker about updates and the like: not here
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--disable-default-apps", "--no-first-run", "--disable-gpu",
]  # fmt: skip


@pytest.fixture(scope="module")  # its event loop goes before a notebook's kernel needs one
def browser() -> Iterator[Browser]:
    found = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    if found is None:
        pytest.skip("no browser: install Debian's chromium, or set CHROMIUM to its path")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        root = hasattr(os, "geteuid") and os.geteuid() == 0
        options = [*QUIET, *(["--no-sandbox"] if root else [])]
        yield (made := playwright.chromium.launch(executable_path=found, args=options))
        made.close()


class Tab:
    """A page that remembers what it said on its console and what it asked the network for."""

    def __init__(self, page: Page) -> None:
        self.page, self.said, self.asked = page, [], []  # type: ignore[var-annotated]
        page.on("console", lambda message: self.said.append(message.text))
        page.on("pageerror", lambda error: self.said.append(str(error)))
        page.on("request", lambda request: self.asked.append(request.url))

    def open(self, path: Path, fragment: str = "", size: dict[str, int] | None = None) -> Page:
        self.page.goto("about:blank")
        if size:
            self.page.set_viewport_size(size)  # type: ignore[arg-type]
        self.said.clear()
        self.asked.clear()
        self.page.goto(path.as_uri() + fragment)
        return self.page


@pytest.fixture(scope="module")
def tab(browser: Browser) -> Iterator[Tab]:
    context = browser.new_context(viewport=PROJECTOR, reduced_motion="reduce")
    axe = files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")
    context.add_init_script(axe)
    yield Tab(context.new_page())
    context.close()


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("pages")
    for language in ("ko", "en"):
        (root / language).mkdir()
        for name, html in pages(language).items():
            (root / language / name).write_text(html, encoding="utf-8")
    return root


AXE = {
    "runOnly": {
        "type": "tag",
        "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    },
    "resultTypes": ["violations"],
}


def violations(page: Page) -> list[tuple[str, str]]:
    """What axe-core finds: rule and element."""
    found: list[Any] = page.evaluate("only => axe.run(document, only)", AXE)["violations"]
    return [(rule["id"], node["html"]) for rule in found for node in rule["nodes"]]
