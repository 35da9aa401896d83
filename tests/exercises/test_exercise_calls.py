"""A learner's functions are watched: parameters, arguments, results, refusals, the call itself."""

from __future__ import annotations

import re
import warnings
from pathlib import Path

import pytest

from walkthrough.exercises.checking.calls import spoken
from walkthrough.exercises.checking.worker import examine
from walkthrough.exercises.words import FINDINGS

STUB = '''"""Scale (lesson 3)"""


class Full(Exception):
    """Use it as it is."""


def scale(pair, by=2):
    """Both times `by`.

    >>> import numpy as np
    >>> first, second = scale((np.ones(2), np.zeros(1)), by=3)
    >>> first
    array([3., 3.])
    """
    raise NotImplementedError


def take(boxes, n):
    """Take n from the last box.

    >>> boxes = [5, 5]
    >>> take(boxes, 2)
    >>> boxes
    [5, 3]
    >>> take(boxes, 9)
    Traceback (most recent call last):
        ...
    Full
    """
    raise NotImplementedError


class Store:
    """A store of rows.

    >>> Store(3).rows
    3
    """

    def __init__(self, rows):
        raise NotImplementedError

    def put(self, K):
        """Put K there."""
        raise NotImplementedError
'''
CHECK = """
import numpy as np
from walkthrough.exercises import raises, same

CHANGES = {"take": ("boxes",)}


def check(mine):
    pair = np.ones((2, 3)), np.ones(3)
    pair[0].flags.writeable = False
    same("scale", mine.scale(pair), (2 * pair[0], 2 * pair[1]))
    raises(mine.Full, "take([3], 4)", mine.take, [3], 4)
    store = mine.Store(2)
    K = np.ones((2, 1))
    store.put(K)
    raises(ValueError, "put(3 rows)", store.put, np.ones((3, 1)), state=lambda: vars(store))
"""
MINE = """
class Full(Exception):
    pass

def scale(pair, by=2):
    return pair[0] * by, pair[1] * by

def take(boxes, n):
    if n > boxes[-1]:
        raise Full
    boxes[-1] -= n

class Store:
    def __init__(self, rows):
        self.rows, self.used = rows, 0

    def put(self, K):
        if self.used + len(K) > self.rows:
            raise ValueError("no room")
        self.used += len(K)
"""


def said(tmp_path: Path, *changes: str, language: str = "en") -> str:
    """What is said of MINE, changed."""
    source = MINE
    for old, new in zip(changes[::2], changes[1::2], strict=True):
        assert old in source
        source = source.replace(old, new)
    file, check = tmp_path / "mine.py", tmp_path / "check.py"
    file.write_text(source, encoding="utf-8")
    check.write_text(CHECK, encoding="utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        finding = examine(file, STUB, check)
    return FINDINGS[language][finding["kind"]].format(**finding)


SCALE = "    return pair[0] * by, pair[1] * by\n"
FIRST = "first, second = scale((np.ones(2), np.zeros(1)), by=3)"


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ((), "Passed."),
        # other parameters: whoever renames one that is given by name, adds or leaves out
        (
            ("pair, by=2", "pair, factor=2", "by\n", "factor\n", "* by,", "* factor,"),
            "The parameters differ. In the exercise: scale(pair, by=2), "
            "in the file: scale(pair, factor=2)",
        ),
        (
            ("def put(self, K)", "def put(self, K, V)"),
            "The parameters differ. In the exercise: Store.put(self, K), "
            "in the file: Store.put(self, K, V)",
        ),
        # a changed argument: inside of a tuple, in a method; an array that cannot be written
        (
            (SCALE, "    pair[0][:] = by\n    return pair\n"),
            "scale(pair=([1.0, 1.0], [0.0]), by=3): your function changed its argument pair. "
            "Leave what is given as it is, and make a new value.",
        ),
        (
            ("        self.used += len(K)", "        self.used += len(K)\n        K *= 2"),
            "Store.put(K: (2, 1)): your function changed its argument K. "
            "Leave what is given as it is, and make a new value.",
        ),
        # another number of results
        (
            (SCALE, "    return pair[0] * by\n"),
            f"{FIRST}: expected 2 results (first, second), got 1",
        ),
        (
            (SCALE, SCALE.replace("\n", ", by\n")),
            f"{FIRST}: expected 2 results (first, second), got 3",
        ),
        (
            (SCALE, "    pass\n"),
            f"{FIRST}: expected (first, second), got None. Is a return missing?",
        ),
        # what a call changed, seen after it
        (
            ("    boxes[-1] -= n", "    boxes[0] -= n"),
            "take(boxes, 2): boxes[0]: expected 5, got 3",
        ),
        # a refusal that has changed something, another error, none
        (
            ("    if n > boxes[-1]:\n        raise Full\n    boxes[-1] -= n",
             "    boxes[-1] -= n\n    if boxes[-1] < 0:\n        raise Full"),
            "take(boxes, 9): nothing may change where Full is raised. boxes: [5, 3] → [5, -6]",
        ),
        (
            ("        if self.used", "        self.used += 1\n        if self.used",
             "+ len(K) > self", "+ len(K) - 1 > self"),
            "put(3 rows): nothing may change where ValueError is raised. used: 3 → 4",
        ),
        (
            ("        raise Full", "        raise KeyError(n)"),
            "take(boxes, 9): should have raised Full, but raised KeyError: 9",
        ),
        (
            ("raise ValueError(\"no room\")", "return boxes"),
            "put(3 rows): should have raised ValueError, "
            "but raised NameError: name 'boxes' is not defined",
        ),
        (
            ("        raise Full", "        return"),
            "take(boxes, 9): should have raised Full, but gave None",
        ),
        # any other error says what the function was called with
        (
            (SCALE, "    return pair[0] @ pair[1], by\n"),
            "(the call: scale(pair=([1.0, 1.0], [0.0]), by=3))",
        ),
        ((SCALE, "    raise Full\n"), "Full (the call: scale(pair=([1.0, 1.0], [0.0]), by=3))"),
        # what is given back and cannot be used in an example
        (("self.rows", "self.limit"), "(the call: Store(3).rows)"),
    ],
)  # fmt: skip
def test_a_call_has_its_own_sentences(
    tmp_path: Path, changes: tuple[str, ...], sentence: str
) -> None:
    assert sentence in said(tmp_path, *changes)


def test_what_functions_of_a_learners_do_with_one_another_is_his_affair(tmp_path: Path) -> None:
    used, signature = "        self.used += len(K)", "def put(self, K):\n"
    helper = "        self.double(K.copy())\n\n    def double(self, K):\n        K *= 2\n"
    assert said(tmp_path, used, f"{used}\n{helper}") == "Passed."
    doubled = "            K *= 2\n            return\n        self.put(K.copy(), True)\n"
    itself = f"def put(self, K, again=False):\n        if again:\n{doubled}"
    assert said(tmp_path, signature, itself) == "Passed."


def test_a_call_in_one_line() -> None:
    assert spoken("f", {"self": 1, "n": 3, "logits_of": len}) == "f(n=3, logits_of)"
    assert len(spoken("f", dict.fromkeys("abcdefgh", "long " * 100))) == 160


def test_no_particle_is_glued_to_what_is_filled_in() -> None:
    particles = "이|가|을|를|은|는|와|과|로|으로|에|의"
    for text in FINDINGS["ko"].values():
        assert not re.search(rf"}}({particles})(?!\w)|}}\w*\(", text), text


def test_the_korean_of_a_call(tmp_path: Path) -> None:
    changed = said(tmp_path, SCALE, "    pair[0][:] = by\n    return pair\n", language="ko")
    assert changed == (
        "scale(pair=([1.0, 1.0], [0.0]), by=3): 함수가 받은 인자를 바꿨어요: pair. "
        "받은 것은 그대로 두고 새 값을 만드세요."
    )
    refused = said(tmp_path, "        raise Full", "        raise KeyError(n)", language="ko")
    assert refused == (
        "take(boxes, 9): 다른 오류가 났어요. 기대한 오류 Full, 나온 오류 KeyError: 9"
    )
