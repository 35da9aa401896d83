"""What can be typed behind `walkthrough simulate --latency`, and what does not go together."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from walkthrough.commands.arguments import UsageError, whole
from walkthrough.commands.report.words import WORDS as REPORT
from walkthrough.serving.latency.words import WORDS

if TYPE_CHECKING:
    from walkthrough.commands.arguments import Parser
    from walkthrough.serving.latency.setting import LatencySetting

MEMORY_OPTIONS = ("slots", "block_size", "prefix")  # what goes with memory alone
SAME = ("machine", "machines", "prefill_machines", "budget", "link")  # as `Setting` calls them
LIMITS = ("ttft", "tpot")
OWN = (*SAME, *LIMITS, "rate", "rates", "geometry", "send_whole", "efficiency", "host", "html")


def add_arguments(parser: Parser, words: dict[str, str]) -> None:
    """--latency, and what goes with it."""
    from walkthrough.reference.speed.machines import LINKS
    from walkthrough.reference.speed.machines import MACHINES as SHEETS
    from walkthrough.reference.speed.shapes import SHAPES

    own = WORDS[parser.language]
    group = parser.add_argument_group("--latency")
    group.add_argument("--latency", action="store_true", help=own["latency"])
    add = group.add_argument
    add("--rate", metavar="R", type=real(0.001, 100_000, own), help=own["rate"])
    add("--rates", metavar="R,R", type=_rates(own), help=own["rates"])
    names: dict[str, list[str]] = {
        "geometry": [*SHAPES],
        "machine": [*SHEETS],
        "link": [*LINKS],
    }
    for name, known in names.items():
        text = own[name].format(names=", ".join(known))
        choices = None if name == "machine" else known
        add(f"--{name}", metavar="NAME", choices=choices, help=text)
    add("--machines", metavar="N", type=whole(1, 64, words), help=own["machines"])
    prefill = own["prefill-machines"]
    add("--prefill-machines", metavar="N", type=whole(1, 63, words), help=prefill)
    add("--budget", metavar="N", type=whole(1, 1_000_000, words), help=own["budget"])
    add("--send-whole", action="store_true", default=None, help=own["send-whole"])
    for name, low, high, usual in (
        ("efficiency", 1, 100, 70),
        ("host", 0, 1000, 2),
        ("ttft", 1, 1e6, 1000),
        ("tpot", 1, 1e6, 50),
    ):
        add(f"--{name}", metavar="X", type=real(low, high, own), help=own[name].format(n=usual))
    add("--html", metavar="FILE", type=Path, help=REPORT[parser.language]["html"])


def real(low: float, high: float, words: dict[str, str]) -> Callable[[str], float]:
    """An argument's type: a number from low to high."""

    def parse(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if text.isascii() and low <= value <= high:  # NaN is not
            return value
        short = text if len(text) <= 20 else text[:20] + "..."
        raise argparse.ArgumentTypeError(words["real"].format(low=low, high=high, value=short))

    return parse


def _rates(words: dict[str, str]) -> Callable[[str], list[float]]:
    def parse(text: str) -> list[float]:
        try:
            rates = [real(0.001, 100_000, words)(part.strip()) for part in text.split(",")]
        except argparse.ArgumentTypeError:
            rates = []
        if not 0 < len(rates) <= 50:
            short = text if len(text) <= 20 else text[:20] + "..."
            raise argparse.ArgumentTypeError(words["list"].format(value=short))
        return rates

    return parse


def asked(options: argparse.Namespace, language: str) -> bool:
    """Whether time is asked for. Raises UsageError where options do not go together."""
    words = WORDS[language]
    if not options.latency:
        for name in OWN:
            if getattr(options, name) is not None:
                raise UsageError(words["needs"].format(option=_option(name)))
        return False
    for name in MEMORY_OPTIONS:
        if getattr(options, name) is not None:
            raise UsageError(words["apart"].format(option=_option(name)))
    if options.rate is not None and options.rates is not None:
        raise UsageError(words["together"])
    return True


def _option(name: str) -> str:
    return "--" + name.replace("_", "-")


def setting_of(options: argparse.Namespace) -> LatencySetting:
    """The setting that the options ask for."""
    from walkthrough.serving.latency.figures import Limits
    from walkthrough.serving.latency.setting import USUAL_LIMITS, LatencySetting

    given = {name: getattr(options, name) for name in SAME if getattr(options, name) is not None}
    if options.geometry is not None:
        given["model"] = options.geometry
    if options.efficiency is not None:
        given["efficiency"] = options.efficiency / 100
    if options.host is not None:
        given["host"] = options.host / 1000
    limits = {"ttft": USUAL_LIMITS.ttft, "tpot": USUAL_LIMITS.tpot}
    for name in limits:
        if getattr(options, name) is not None:
            limits[name] = getattr(options, name) / 1000
    given["limits"] = Limits(**limits)
    return LatencySetting(**given, by_layer=not options.send_whole)
