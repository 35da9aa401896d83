"""Where each value of a lesson came from, as a graph: told by the reference, looked up by identity.

An array is known by where its numbers lie in memory, cell by cell, so that a slice, a transposed
view, or rows read back from a cache lead to what was written there. What nobody told of is a node
without an operation: its numbers are shown, and nothing is claimed about them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

Cells = NDArray[Any]
Place = tuple["GraphNode", int, int]  # a node, and a row and a column of it

MOST_CELLS = 2_000  # of an array: what is larger is not for the eye
MOST_PLACES = 200_000  # of numbers whose place in memory is known
MOST_NODES = 3_000  # of a lesson: one that simulates hours is not kept operation by operation


@dataclass(eq=False)
class GraphNode:
    """A matrix, the operation that made it (None: unknown) and the matrices it was made from."""

    number: int
    op: str | None
    inputs: tuple[GraphNode, ...]
    value: Cells
    parameters: dict[str, Any] = field(default_factory=dict)
    edit: bool = False  # whether the lesson's example has these numbers


class Graph:
    """Hears what is computed (`reference.computed`) and finds the node of an array."""

    def __init__(self) -> None:
        self.nodes: list[GraphNode] = []
        self._same: dict[Any, GraphNode] = {}  # by operation, inputs and parameters
        self._cells: dict[int, Place] = {}  # by the address of a number
        self._storages: set[int] = set()  # the memory of caches, by identity
        self._kept: list[Cells] = []  # kept alive, so that no address is used again

    # ---- what is told ----

    def __call__(self, op: str, result: Any, inputs: tuple[Any, ...], **parameters: Any) -> None:
        """Take down one operation."""
        if result.size > MOST_CELLS:
            return
        if len(self.nodes) > MOST_NODES or len(self._cells) > MOST_PLACES:
            return
        if op == "store":
            self._store(result, inputs[0])
        elif result.ndim == 2:
            self._keep(result, self._made(op, result, inputs, parameters))

    def _made(
        self, op: str, result: Cells, inputs: tuple[Any, ...], parameters: dict[str, Any]
    ) -> GraphNode:
        sources = [self.node_of(array) for array in inputs]
        if op == "same":
            return sources[0]
        if op == "given":
            edit = parameters.pop("edit", False)
            key: Any = ("given", result.ctypes.data, result.shape)
            if parameters["name"] == "mask":  # made anew for each attention: one is like another
                key = ("mask", result.tobytes(), result.shape)
            node = self._node(op, (), _numbers(result), parameters, key)
            node.edit = edit
            return node
        if op == "divide" and (plain := self._without_shift(sources[0])):
            sources = [
                plain,
                self._node("rowsum", (plain,), plain.value.sum(axis=1, keepdims=True)),
            ]
        if op == "beside":
            op, parameters = "concat", {"axis": 1}
        return self._node(op, tuple(sources), result, parameters)

    def _without_shift(self, powers: GraphNode) -> GraphNode | None:
        """e^s in place of e^(s − m), m the row's largest s: both give the same shares.

        A textbook's formula has no m. Where e^s is too large or too small, it stays.
        """
        shifted = powers.inputs[0] if powers.op == "exp" else powers
        if shifted.op != "subtract" or shifted.inputs[1].op != "rowmax":
            return None
        scores, largest = shifted.inputs
        if largest.inputs[0] is not scores or not np.all(np.abs(largest.value) < 30):
            return None
        return self._node("exp", (scores,), np.exp(scores.value))

    def _store(self, memory: Cells, rows: Cells) -> None:
        found = [self._cells.get(address) for address in _addresses(rows)]
        if any(found):  # else nobody told of the rows, as with a real model's
            self._kept += [memory, rows]
            self._storages.add(id(_owner(memory)))
        for address, place in zip(_addresses(memory), found, strict=True):
            if place:
                self._cells[address] = place
            else:
                self._cells.pop(address, None)

    def _keep(self, array: Cells, node: GraphNode) -> None:
        self._kept.append(array)
        places = product(range(array.shape[0]), range(array.shape[1]))
        for address, (i, j) in zip(_addresses(array), places, strict=True):
            self._cells[address] = (node, i, j)

    def _node(
        self,
        op: str | None,
        inputs: tuple[GraphNode, ...],
        value: Cells,
        parameters: dict[str, Any] | None = None,
        key: Any = None,
    ) -> GraphNode:
        """The node of an operation on these inputs: the same operation twice is one node."""
        parameters = parameters or {}
        key = key or (op, tuple(node.number for node in inputs), repr(sorted(parameters.items())))
        if (node := self._same.get(key)) is None or node.value.shape != value.shape:
            node = GraphNode(len(self.nodes), op, inputs, np.array(value, float), parameters)
            self._same[key] = node
            self.nodes.append(node)
        return node

    # ---- what is asked ----

    def node_of(self, array: Any) -> GraphNode:
        """The node of an array as it stands now: known, a copy of known rows, or unknown."""
        array = np.asarray(array)
        array = array if array.ndim == 2 else array.reshape(1, -1)
        numbers = _numbers(array)
        in_cache = id(_owner(array)) in self._storages
        if (places := self._places(array, numbers, in_cache)) is not None:
            if node := self._copied(places, numbers, in_cache):
                return node
            turned = [list(column) for column in zip(*places, strict=True)]
            if node := self._copied(turned, numbers.T, in_cache):
                return self._node("transpose", (node,), node.value.T)
        self._kept.append(array)
        key = ("unknown", array.ctypes.data, array.shape, array.strides, numbers.tobytes())
        return self._node(None, (), numbers, key=key)

    def shown(self, values: Any) -> GraphNode | None:
        """The node of what is shown, if it is an array of at most two axes."""
        if not isinstance(values, np.ndarray) or values.ndim > 2 or values.size > MOST_CELLS:
            return None
        return self.node_of(values) if values.size and values.dtype.kind in "fib" else None

    def product(self, A: Any, B: Any) -> GraphNode:
        """The node that A · B is."""
        left, right = self.node_of(A), self.node_of(B)
        return self._node("matmul", (left, right), left.value @ right.value)

    def shares(self, exponentials: Any) -> tuple[GraphNode, GraphNode]:
        """The nodes of each row's sum, and of each entry divided by it."""
        powers = self.node_of(exponentials)
        sums = self._node("rowsum", (powers,), powers.value.sum(axis=1, keepdims=True))
        with np.errstate(invalid="ignore", divide="ignore"):
            return sums, self._node("divide", (powers, sums), powers.value / sums.value)

    def _places(self, array: Cells, numbers: Cells, in_cache: bool) -> Places | None:
        """Where each number of an array stands in a node; None: an empty slot of a cache."""
        if not array.size or array.size > MOST_CELLS:
            return None
        found: Places = [[] for _ in range(array.shape[0])]
        for address, (i, j) in zip(_addresses(array), np.ndindex(*array.shape), strict=True):
            if place := self._cells.get(address):
                known = place[0].value[place[1], place[2]]
                if not np.isclose(known, numbers[i, j], rtol=1e-12, atol=1e-12, equal_nan=True):
                    return None  # written over by someone who did not tell
            elif not in_cache or not np.isnan(numbers[i, j]):
                return None
            found[i].append(place)
        return found

    def _copied(self, places: Places, value: Cells, in_cache: bool) -> GraphNode | None:
        """A node whose rows are rows of others: a slice of one, or several below one another."""
        runs: list[tuple[GraphNode | None, list[int], list[int]]] = []
        for row in places:
            first = row[0][:2] if row[0] else (None, 0)
            if any((place[:2] if place else (None, 0)) != first for place in row):
                return None  # numbers of one row from several
            columns = [place[2] if place else 0 for place in row]
            last = runs[-1] if runs else None
            if last and last[0] is first[0] and last[2] == columns and last[1][-1] + 1 == first[1]:
                last[1].append(first[1])
            else:
                runs.append((first[0], [first[1]], columns))
        parts, at = [], 0
        for node, some, columns in runs:
            below = value[at : at + len(some)]
            at += len(some)
            if node is None:
                node = self._node("given", (), below, {"name": "empty"}, ("empty", below.shape))
            elif [some, columns] != [list(range(size)) for size in node.value.shape]:
                node = self._node("slice", (node,), below, {"rows": some, "cols": columns})
            parts.append(node)
        if len(parts) > 1 or in_cache:  # what was read back from a cache is another thing
            return self._node("concat", tuple(parts), value)
        return parts[0]


Places = list[list[Place | None]]


def _numbers(array: Cells) -> Cells:
    """The numbers of an array; a mask's are what is added: 0 where seen, −∞ where not."""
    return np.where(array, 0.0, -np.inf) if array.dtype == np.bool_ else array.astype(float)


def _addresses(array: Cells) -> list[int]:
    """Where each number lies in memory, in order."""
    grid = np.indices(array.shape)
    offsets = sum((grid[k] * stride for k, stride in enumerate(array.strides)), np.zeros((), int))
    return (array.ctypes.data + np.asarray(offsets)).ravel().tolist()


def _owner(array: Cells) -> object:
    """The array whose memory this is a part of."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array
