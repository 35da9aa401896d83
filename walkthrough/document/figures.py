"""Every figure that the document prints, beside what it is when it is computed.

`PRINTED` holds the document's matrices, digit by digit as text (a single number stands with
its figure below); nothing of it is ever used as a result. `figures()` computes each of them at
that moment from the example's inputs, by the same functions that the lessons use.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Literal

import numpy as np

from walkthrough.document.example import Example
from walkthrough.document.example_file import document
from walkthrough.reference import cost
from walkthrough.reference.attention import attend, causal_mask, project
from walkthrough.reference.cache import ContiguousCache, NoCache
from walkthrough.reference.model import generate
from walkthrough.reference.work import Array, Work

Matrix = tuple[tuple[str, ...], ...]
Verdict = Literal["holds", "rounds", "wrong"]

PRINTED: dict[str, Matrix] = {
    "Q": (("2", "0"), ("1", "1"), ("1", "2")),
    "K": (("0", "2"), ("1", "1"), ("2", "1")),
    "V": (("1", "2"), ("1", "1"), ("2", "2")),
    "prefill output": (("1.768", "1.813"), ("1.504", "1.752")),
    "scores": (("0", "2", "4"), ("2", "2", "3"), ("4", "3", "4")),
    "scaled": (("2.828", "2.121", "2.828"),),
    "exponentials": (("16.92", "8.34", "16.92"),),
    "weights": (("0.401", "0.198", "0.401"),),
    "output": (("1.401", "1.802"),),
    # the terms of q·k for each key, and of each number of the output
    "score terms": (("0", "4"), ("1", "2"), ("2", "2")),
    "output terms": (("0.401", "0.198", "0.802"), ("0.802", "0.198", "0.802")),
    # n, FLOPs without a cache, with one, percent saved
    "flops": (
        ("10", "12800", "1280", "90"),
        ("100", "1280000", "12800", "99"),
        ("1000", "128000000", "128000", "99.9"),
        ("4096", "2.1E9", "524288", "99.97"),
    ),
}


def printed(name: str) -> Array:
    """A matrix as the document prints it, as numbers to compare with."""
    return np.array([[float(text) for text in row] for row in PRINTED[name]])


@dataclass(frozen=True)
class Figure:
    """One printed number: where it stands, what it says, what it is.

    `wrong` says that it is known not to hold; `mistake` is the number (1 to 12) of what the
    document gets wrong or leaves loose there, if anything.
    """

    section: str
    name: str
    printed: str  # a decimal number, as precise as the document gives it
    computed: float
    mistake: int | None = None
    wrong: bool = False

    @property
    def verdict(self) -> Verdict:
        """holds: equal. rounds: equal at the digits printed. wrong: neither."""
        said = Decimal(self.printed)
        if math.isclose(float(said), self.computed, rel_tol=1e-12, abs_tol=1e-12):
            return "holds"
        return "rounds" if self.at_printed_digits() == said else "wrong"

    def at_printed_digits(self) -> Decimal:
        """The computed number, rounded to the digits that the document prints."""
        unit = Decimal(1).scaleb(int(Decimal(self.printed).as_tuple().exponent))
        return Decimal(self.computed).quantize(unit, rounding=ROUND_HALF_EVEN)

    @property
    def as_expected(self) -> bool:
        """Whether a figure that should hold does, and one known to be wrong is."""
        return (self.verdict == "wrong") == self.wrong


def _matrix(
    section: str,
    name: str,
    said: Matrix,
    computed: Array,
    rows: Sequence[str],
    cols: Sequence[str],
    mistake: int | None = None,
    wrong: bool = False,
) -> Iterator[Figure]:
    for i, row in enumerate(rows):
        for j, col in enumerate(cols):
            value = float(computed[i, j])
            yield Figure(section, f"{name}[{row}][{col}]", said[i][j], value, mistake, wrong)


def compute_figures(example: Example | None = None) -> list[Figure]:
    """All printed figures, computed now. `example`: other inputs, to see the audit fail."""
    ex = example or document()
    return [*_prefill(ex), *_decode_without_cache(ex), *_decode_with_cache(ex),
            *_work(ex), *_flops(), *_memory()]  # fmt: skip


DIMS = ("1", "2")


def _prefill(ex: Example) -> Iterator[Figure]:
    yield Figure("2", "d_k = d_model / heads", "2", ex.d_model / ex.heads)
    X = ex.embed(ex.prompt)
    projected = {name: project(X, W[0]) for name, W in _weights(ex)}
    for name, rows in projected.items():
        yield from _matrix("3", name, PRINTED[name], rows, ex.prompt, DIMS)
    n = len(X)  # each prompt token sees itself and those before it
    out = attend(projected["Q"], projected["K"], projected["V"], causal_mask(n, n)).output
    yield from _matrix(
        "3", "output", PRINTED["prefill output"], out, ex.prompt, DIMS, mistake=1, wrong=True
    )
    cache = ContiguousCache(len(X), ex.d_k)
    cache.prefill(projected["K"], projected["V"])
    for name, rows in zip("KV", cache.rows(), strict=True):
        yield from _matrix("3", f"{name} cache", PRINTED[name], rows, ex.prompt, DIMS)


def _decode_without_cache(ex: Example) -> Iterator[Figure]:
    tokens = ex.tokens[:3]
    projected = {name: project(ex.embed(tokens), W[0]) for name, W in _weights(ex)}
    for name, rows in projected.items():
        yield from _matrix("4-1", name, PRINTED[name], rows, tokens, DIMS)
    scores = projected["Q"] @ projected["K"].T
    yield from _matrix("4-1", "QKᵀ", PRINTED["scores"], scores, tokens, tokens, mistake=2)


def _decode_with_cache(ex: Example) -> Iterator[Figure]:
    tokens, new = ex.tokens[:3], ex.tokens[2]
    cache = ContiguousCache(3, ex.d_k)
    old = ex.embed(ex.prompt)
    cache.prefill(project(old, ex.W_K[0]), project(old, ex.W_V[0]))
    x = ex.embed([new])
    row = {name: project(x, W[0]) for name, W in _weights(ex)}
    for name, computed in row.items():
        said = (PRINTED[name][2],)
        yield from _matrix("4-2", name.lower(), said, computed, [new], DIMS, mistake=3)
    for name, loaded in zip("KV", cache.rows(), strict=True):
        yield from _matrix("4-2", f"{name} loaded", PRINTED[name], loaded, ex.prompt, DIMS)
    cache.append(row["K"][0], row["V"][0])
    K, V = cache.rows()
    for name, grown in (("K", K), ("V", V)):
        yield from _matrix("4-2", f"{name} cache", PRINTED[name], grown, tokens, DIMS)

    q = row["Q"]
    for i, token in enumerate(tokens):
        for term, text in enumerate(PRINTED["score terms"][i]):
            product = float(q[0, term] * K[i, term])
            yield Figure("4-2", f"q·k[{token}] term {term + 1}", text, product)
    a = attend(q, K, V)
    yield from _matrix("4-2", "score", (PRINTED["scores"][2],), a.scores, [new], tokens)
    yield Figure("4-2", "√2", "1.414", math.sqrt(ex.d_k))
    yield from _matrix("4-2", "score/√2", PRINTED["scaled"], a.scaled, [new], tokens)
    exponents = np.exp(a.scaled)
    yield from _matrix("4-2", "e^(score/√2)", PRINTED["exponentials"], exponents, [new], tokens)
    yield Figure("4-2", "e^2.828", "16.92", math.exp(2.828), mistake=9, wrong=True)
    yield Figure("4-2", "e^2.121", "8.34", math.exp(2.121))
    yield Figure("4-2", "sum of e^(score/√2)", "42.18", float(exponents.sum()))
    yield from _matrix("4-2", "weight", PRINTED["weights"], a.weights, [new], tokens)
    for j, terms in enumerate(PRINTED["output terms"]):
        for i, text in enumerate(terms):
            product = float(a.weights[0, i] * V[i, j])
            yield Figure("4-2", f"weight×V[{tokens[i]}][{j + 1}]", text, product)
    yield from _matrix("4-2", "output", PRINTED["output"], a.output, [new], DIMS)


def _work(ex: Example) -> Iterator[Figure]:
    """Section 5: counted while the model generates; score entries for each head."""
    without = list(generate(ex.model, ex.ids(ex.prompt), NoCache()))[1]
    cache = ContiguousCache(8, ex.d_k, h_kv=ex.heads)
    with_cache = list(generate(ex.model, ex.ids(ex.prompt), cache))[1]
    for step, label, rows in ((without, "no cache", "3"), (with_cache, "cache", "1")):
        yield Figure("5", f"K rows, {label}", rows, step.work.k_rows)
        yield Figure("5", f"V rows, {label}", rows, step.work.v_rows)
        per_head = step.work.score_entries / ex.heads
        yield Figure("5", f"score rows, {label}", rows, len(step.fed))
        yield Figure("5", f"score columns, {label}", "3", per_head / len(step.fed))


def _flops() -> Iterator[Figure]:
    """Section 7: d_k = 64, the products q·k of the last step alone."""
    for n_text, without, with_cache, saved in PRINTED["flops"]:
        n = int(n_text)
        all_rows, one_row = cost.score_flops(n, n, 64), cost.score_flops(1, n, 64)
        yield Figure("7", f"FLOPs n={n}, no cache", without, all_rows, mistake=7)
        yield Figure("7", f"FLOPs n={n}, cache", with_cache, one_row, mistake=7)
        percent = 100 * (1 - one_row / all_rows)
        if n == 4096:
            yield Figure("7", f"% saved n={n}", saved, percent, mistake=5, wrong=True)
        else:
            yield Figure("7", f"% saved n={n}", saved, percent)


def _memory() -> Iterator[Figure]:
    """Section 8: LLaMA-2 7B in FP16."""
    llama = cost.geometry("llama2-7b")
    yield Figure("8", "d_model = heads·d_k", "4096", llama.h * llama.d_k)
    yield Figure("8", "bytes a token", "524288", llama.bytes_per_token(), mistake=12)
    yield Figure("8", "MB a token", "0.5", llama.bytes_per_token() / 10**6, mistake=8)
    for_context = llama.cache_bytes(4096)
    yield Figure("8", "MB for 4,096 tokens", "2048", for_context / 10**6, mistake=8, wrong=True)
    yield Figure("8", "GB for 4,096 tokens", "2", for_context / 10**9, mistake=8)


def _weights(ex: Example) -> tuple[tuple[str, Array], ...]:
    return ("Q", ex.W_Q), ("K", ex.W_K), ("V", ex.W_V)


def evidence() -> dict[int, dict[str, float]]:
    """For each of the document's twelve mistakes, the numbers that show it, computed now."""
    ex = document()
    tokens = ex.tokens[:3]
    Q, K, V = (project(ex.embed(tokens), W[0]) for _, W in _weights(ex))
    three = attend(Q, K, V)
    two = attend(Q[:2], K[:2], V[:2])
    causal = attend(Q[:2], K[:2], V[:2], causal_mask(2, 2))
    work = Work()
    attend(Q, K, V, work=work)
    steps = list(generate(ex.model, ex.ids(ex.prompt), NoCache()))
    first_two = ex.embed(tokens)[:, :2]
    residuals = np.linalg.lstsq(first_two, printed("Q"), rcond=None)[1]
    llama2, llama3 = cost.geometry("llama2-7b"), cost.geometry("llama3-8b")
    return {
        1: {"three": three.output[0, 0], "two": two.output[0, 0], "causal": causal.output[0, 1]},
        2: {"upper": K.shape[0] * (K.shape[0] - 1) // 2},
        3: {"chosen": steps[0].next_token, "next": steps[1].next_token},
        4: {"first": residuals[0], "second": residuals[1]},
        5: {"percent": 100 * (1 - 1 / 4096)},
        6: {"ratio": cost.score_flops(2000, 2000, 64) / cost.score_flops(1, 2000, 64)},
        7: {"scores": cost.score_flops(3, 3, ex.d_k), "both": work.flops},
        8: {"mb": llama2.cache_bytes(4096) / 10**6, "mib": llama2.cache_bytes(4096) / 2**20},
        9: {"rounded": math.exp(2.828), "exact": math.exp(2 * math.sqrt(2))},
        10: {},
        11: {"own": sum(origin == "own" for origin in ex.token_origins)},
        12: {"all": llama2.bytes_per_token(), "grouped": llama3.bytes_per_token()},
    }
