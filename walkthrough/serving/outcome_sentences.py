"""What `walkthrough simulate` says around its tables, in Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from walkthrough.serving.words import OUTCOMES, SIMULATE

if TYPE_CHECKING:
    from walkthrough.serving.simulation import MemorySizes, ServedQueue
    from walkthrough.serving.traces import Trace
    from walkthrough.serving.workloads import Lengths, Workload


def about_workload(
    workload: Workload, requests: Sequence[Lengths], language: str, prefix: int = 0
) -> str:
    """Which requests were drawn, from which means, and what of it is a guess."""
    said = SIMULATE[language]["drawn"].format(
        name=workload.name,
        count=f"{len(requests):,}",
        prompt=workload.mean_prompt,
        output=workload.mean_output,
        sd_prompt=workload.sd_prompt,
        sd_output=workload.sd_output,
        **_means(requests),
    )
    if prefix:
        said += " " + SIMULATE[language]["common"].format(prefix=f"{prefix:,}")
    return said


def about_trace(trace: Trace, name: str, requests: Sequence[Lengths], language: str) -> str:
    """Which requests of a trace are served."""
    count = f"{len(requests):,}"
    return SIMULATE[language]["read"].format(
        name=name, form=trace.form.capitalize(), count=count, **_means(requests)
    )


def _means(requests: Sequence[Lengths]) -> dict[str, str]:
    return {
        "mean_prompt": f"{sum(r.prompt for r in requests) / len(requests):,.1f}",
        "mean_output": f"{sum(r.output for r in requests) / len(requests):,.1f}",
    }


def about_memory(sizes: MemorySizes, seed: int, left_out: int, language: str) -> str:
    """The memory, how requests are served from it, and how many were too long for it."""
    words = SIMULATE[language]
    numbers = {"slots": f"{sizes.slots:,}", "longest": f"{sizes.longest:,}", "seed": seed}
    sentence = words["setting"].format(**numbers)
    return sentence + (" " + words["left-out"].format(count=f"{left_out:,}") if left_out else "")


def about_policies(served: ServedQueue, block_size: int, language: str) -> list[str]:
    """Who was refused, where the memory was never full, and what sharing prefixes brought."""
    words = SIMULATE[language]
    sentences = []
    if served.refused:
        counts = [
            f"{policy_name(name, block_size, language)} {count:,}"
            for name, count in served.refused.items()
        ]
        sentences.append(words["unfit"].format(counts=", ".join(counts)))
    if served.roomy:
        names = [policy_name(name, block_size, language) for name in served.roomy]
        sentences.append(words["roomy"].format(names=", ".join(names)))
    shared = served.outcomes.get("shared")
    if shared is not None and shared.steps:
        hits, saved = f"{100 * served.hits:.1f}", f"{100 * shared.blocks_saved:.1f}"
        sentences.append(words["shared"].format(hits=hits, saved=saved))
    return sentences


def policy_name(name: str, block_size: int, language: str) -> str:
    """What a policy is called."""
    return OUTCOMES[language][name].format(size=block_size)


def broken_lines(trace: Trace, path: Path, language: str) -> list[str]:
    """A sentence for each of the first broken lines, and how many more there are."""
    words = SIMULATE[language]
    sentences = []
    for broken in trace.broken:
        why = words[f"broken.{broken.kind}"].format(found=broken.found)
        sentences.append(words["broken"].format(path=path, line=broken.line, why=why))
    if (more := trace.num_broken - len(trace.broken)) > 0:
        sentences.append(words["broken.more"].format(path=path, count=more))
    return sentences
