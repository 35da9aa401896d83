"""Where a value came from: what the reference tells, and what is found again by identity."""

from __future__ import annotations

import contextvars
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from walkthrough.display.table import Table
from walkthrough.document.current_example import example
from walkthrough.lesson.graph import Graph, GraphNode
from walkthrough.lesson.reading import find_lessons
from walkthrough.lesson.recording import Spelled, Statement, record
from walkthrough.paging.block_pool import BlockPool
from walkthrough.paging.sequence import Sequence
from walkthrough.reference import ContiguousCache, PagedCache, PagedStorage
from walkthrough.reference import attention as A
from walkthrough.reference.computed import computed

# What each operation computes, said a second time.
MEANING: dict[str, Any] = {
    "matmul": lambda n, a, b: a @ b,
    "transpose": lambda n, a: a.T,
    "scale": lambda n, a: a / np.sqrt(n.parameters["root"]),
    "mask": lambda n, a, m: a + m,
    "exp": lambda n, a: np.exp(a),
    "rowmax": lambda n, a: a.max(axis=1, keepdims=True),
    "rowsum": lambda n, a: a.sum(axis=1, keepdims=True),
    "subtract": lambda n, a, b: a - b,
    "divide": lambda n, a, b: a / b,
    "rows": lambda n, a: a[n.parameters["rows"]],
    "slice": lambda n, a: a[np.ix_(n.parameters["rows"], n.parameters["cols"])],
    "concat": lambda n, *a: np.concatenate(a, axis=n.parameters.get("axis", 0)),
    "given": lambda n: n.value,
    None: lambda n: n.value,
}


def shown(number: int) -> list[tuple[str, GraphNode]]:
    """Titles and nodes of what a lesson shows or spells out."""
    pieces = [
        piece
        for step in record(find_lessons("en")[number - 1])
        for item in step.items
        if isinstance(item, Statement)
        for piece in item.shown
    ]
    tables = [(x.title, x.source) for x in pieces if isinstance(x, Table) and x.source]
    return tables + [("", node) for x in pieces if isinstance(x, Spelled) for node in x.nodes]


def test_every_node_of_the_lessons_is_what_its_operation_says() -> None:
    for number in (2, 3, 4, 5, 10):
        todo, seen = [node for _, node in shown(number)], set()
        while todo:
            node = todo.pop()
            if node in seen:
                continue
            seen.add(node)
            todo += node.inputs
            with np.errstate(over="ignore"):
                value = MEANING[node.op](node, *(each.value for each in node.inputs))
            np.testing.assert_allclose(node.value, value, rtol=1e-9, atol=1e-12)


def test_the_share_of_shown_tables_whose_operation_is_known() -> None:
    for number, least in ((2, 11), (3, 29), (4, 25), (5, 29), (10, 6)):
        assert sum(node.op is not None for title, node in shown(number) if title) >= least


def test_a_table_and_its_working_are_one_node() -> None:
    nodes = shown(5)
    (table,) = {node for title, node in nodes if title == "O = P·V" and node.value[0, 0] < 1.5}
    assert table in [node for title, node in nodes if not title]


def recorded_by(graph: Graph, what: Any) -> Any:
    """What a function returns, run while a graph listens."""

    def inside() -> Any:
        computed.set(graph)
        return what()

    return contextvars.copy_context().run(inside)


def test_views_and_caches_lead_back_to_what_was_computed() -> None:
    graph = Graph()

    def work() -> tuple[Any, ...]:
        ex = example()
        X = ex.embed(ex.tokens[:3])
        K, V = A.project(X, ex.W_K[0]), A.project(X, ex.W_V[0])
        cache = ContiguousCache(8, ex.d_k)
        cache.prefill(K[:2], V[:2])
        before = graph.node_of(cache.rows()[0])
        cache.append(K[2], V[2])
        return X, K, cache, before

    X, K, cache, before = recorded_by(graph, work)
    assert graph.node_of(X).op == "rows"
    assert graph.node_of(X).inputs[0].edit
    k = graph.node_of(K)
    assert (k.op, graph.node_of(K.T).op, graph.node_of(K[1:]).op) == (
        "matmul", "transpose", "slice",
    )  # fmt: skip
    rows = graph.node_of(cache.rows()[0])
    assert rows.op == before.op == graph.node_of(cache.rows()[1]).op == "concat"
    assert len(before.value) == 2 and len(rows.value) == 3
    assert graph.node_of(cache.rows()[0].T).inputs == (rows,)
    K[0, 0] += 1  # behind everyone's back
    assert graph.node_of(K).op is None
    assert graph.node_of(K.copy()).op is None


def test_rows_in_blocks_lead_back_too_and_empty_slots_are_told_apart() -> None:
    graph = Graph()

    def work() -> PagedStorage:
        ex = example()
        K = A.project(ex.embed(ex.tokens[:3]), ex.W_K[0])
        pool = BlockPool(4)
        storage = PagedStorage(4, 2, ex.d_k)
        cache = PagedCache(storage, Sequence(pool, 2))
        cache.extend([0, 1, 2])
        cache.write(0, K[:, None], K[:, None])
        return storage

    storage = recorded_by(graph, work)
    full, half = (graph.node_of(storage.K[0, block, :, 0]) for block in (1, 2))
    assert [node.op for node in full.inputs] == ["slice"]
    assert [node.parameters.get("name") for node in half.inputs] == [None, "empty"]


@given(st.lists(st.lists(st.floats(-40, 40), min_size=3, max_size=3), min_size=2, max_size=2))
def test_a_softmax_is_the_textbooks_wherever_that_can_be_computed(rows: list[list[float]]) -> None:
    graph, scores = Graph(), np.array(rows)
    weights = recorded_by(graph, lambda: A.softmax(scores))
    node = graph.node_of(weights)
    assert node.op == "divide"
    scored = node.inputs[0].inputs[0]
    plain = scored.op is None  # e^s, not e^(s - m)
    assert plain == (np.abs(scores.max(axis=1)) < 30).all() or not np.any(scores.max(axis=1))


def test_off_it_hears_nothing() -> None:
    assert computed.get(None) is None
