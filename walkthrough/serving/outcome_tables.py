"""What `walkthrough simulate` prints: where the memory went, as tables and as bars."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from walkthrough.display.pictures import FILLS, bar_width, share_bars
from walkthrough.display.table import Table
from walkthrough.serving.simulation import CACHE_BLOCKS
from walkthrough.serving.words import OUTCOMES

if TYPE_CHECKING:
    from walkthrough.display.screen import Screen
    from walkthrough.serving.queue import Outcome
    from walkthrough.serving.simulation import MemorySizes

# Kwon et al. (SOSP 2023), figures 2 and 13a: tokens, reserved, internal, other (% of all slots),
# and the mean batch; "-" where the figure has none.
PAPER: dict[str, tuple[float | str, ...]] = {
    "longest": (20.4, 13.3, 57.3, 8.9, 7.00),
    "power of two": (26.8, 17.9, 13.6, 41.6, 9.81),
    "oracle": (38.2, 25.2, "-", 36.6, 13.62),
    "paged": (96.3, "-", "-", "-", 30.42),
}
# Figure 15, blocks saved (%), by workload, way and number of outputs.
PAPER_SAVED: dict[tuple[str, str], dict[int, float | str]] = {
    ("alpaca", "parallel"): {2: 6.09, 4: 8.53, 6: 9.79},
    ("alpaca", "beam"): {2: 37.56, 4: 53.13, 6: 55.16},
    ("sharegpt", "parallel"): {2: "16.2 … 30.5", 4: "16.2 … 30.5", 6: "16.2 … 30.5"},
    ("sharegpt", "beam"): {2: "44.3 … 66.3", 4: "44.3 … 66.3", 6: "44.3 … 66.3"},
}


def slot_table(
    outcomes: Mapping[str, Outcome], language: str, block_size: int, *, paper: bool
) -> Table:
    """A row for each policy, the paper's figures under it where they are for this workload."""
    words = OUTCOMES[language]
    labels: list[str] = []
    cells: list[tuple[float | str, ...]] = []
    for name, outcome in outcomes.items():
        labels.append(words[name].format(size=block_size))
        cells.append((*(100 * share for share in outcome.shares.values()), outcome.batch))
        if paper and name in PAPER:
            labels.append(f"  {words['paper']}")
            cells.append(PAPER[name])
    heads = [words[kind] for kind in (*FILLS, "batch")]
    return Table(words["slots"], cells, labels, heads, digits=[1, 1, 1, 1, 2], kind="slots")


def saved_table(rows: Sequence[tuple[str, int, float]], workload: str, language: str) -> Table:
    """Blocks saved for each way and number of outputs (share, 0 to 1), the paper's beside."""
    words = OUTCOMES[language]
    labels = [words[way].format(n=n) for way, n, _ in rows]
    cells = [[100 * share, PAPER_SAVED[workload, way][n]] for way, n, share in rows]
    heads = [words["simulated"], words["paper"]]
    return Table(words["saved"], cells, labels, heads, digits=[2, 2], kind="saved")


def replay_table(shares: Sequence[float], language: str) -> Table:
    """Blocks that were there already: without an end to the cache, and with one."""
    words = OUTCOMES[language]
    labels = [words["replay.all"], words["replay.lru"].format(count=f"{CACHE_BLOCKS:,}")]
    return Table(words["replay"], [[100 * share] for share in shares], labels, digits=[1])


def ends_table(filled: Mapping[str, float], sizes: MemorySizes, language: str) -> Table:
    """How full the requests' memories are when they end."""
    words = OUTCOMES[language]
    numbers = {"size": sizes.block_size, "longest": f"{sizes.longest:,}"}
    labels = [words[f"ends.{name}"].format(**numbers) for name in filled]
    return Table(words["ends"], [[100 * share] for share in filled.values()], labels, digits=[2])


def show_outcomes(
    outcomes: Mapping[str, Outcome],
    screen: Screen,
    language: str,
    block_size: int,
    *,
    paper: bool = False,
) -> None:
    """The table, the bars and what their characters mean, where the memory was ever full."""
    outcomes = {name: outcome for name, outcome in outcomes.items() if outcome.steps}
    if not outcomes:
        return
    words = OUTCOMES[language]
    screen.table(slot_table(outcomes, language, block_size, paper=paper))
    screen.text()
    shares = {
        words[name].format(size=block_size): outcome.shares for name, outcome in outcomes.items()
    }
    screen.table(share_bars(shares, bar_width(shares, screen)))
    screen.text()
    screen.prose(words["legend"].format(**{kind: f"`{fill}`" for kind, fill in FILLS.items()}))
