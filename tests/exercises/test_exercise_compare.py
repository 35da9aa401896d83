"""What a failing check says: the place, both values, both shapes."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from walkthrough.exercises.checking.compare import MismatchError, brief, raises, same
from walkthrough.exercises.checking.doctests import literal
from walkthrough.exercises.words import FINDINGS

TOKENS = ("나는", "학교에")


def said(*arguments: object, language: str = "en") -> str:
    with pytest.raises(MismatchError) as caught:
        same(*arguments)  # type: ignore[arg-type]
    return FINDINGS[language][caught.value.kind].format(**caught.value.fields)


def test_the_place_is_named_by_its_labels() -> None:
    right = np.array([[0, math.sqrt(0.5)], [1, 1]])
    wrong = right.copy()
    wrong[0, 1] = 0.5
    place = "scores[나는][학교에]"
    assert said("scores", wrong, right, TOKENS, TOKENS) == f"{place}: expected 0.7071, got 0.5000"
    korean = said("scores", wrong, right, TOKENS, TOKENS, language="ko")
    assert korean == f"{place}: 기대한 값 0.7071, 나온 값 0.5000"
    assert said("scores", wrong.tolist(), right, TOKENS).startswith("scores[나는][1]: ")
    assert said("x", [1, 2, 4], [1, 2, 3]) == "x[2]: expected 3, got 4"


@pytest.mark.parametrize(
    ("got", "expected", "sentence"),
    [
        (np.zeros(2), np.zeros((2, 2)), "x: expected shape (2, 2), got (2,)"),
        (5, np.zeros(3), "x: expected shape (3,), got ()"),
        ([1, 2], [1, 2, 3], "x: expected [1, 2, 3], got [1, 2]"),
        (None, 0.5, "x: expected 0.5000, got None. Is a return missing?"),
        ("a", 0.5, "x: expected 0.5000, got 'a' (not numbers)"),
        ([None, 1], [0, 1], "x: expected [0, 1], got [None, 1] (not numbers)"),
        ([1, None], ["a", "b"], "x[0]: expected 'a', got 1"),
        (["a"], ["a", "b"], "x: expected ['a', 'b'], got ['a']"),
        ({"a": 1}, {"a": 2}, "x['a']: expected 2, got 1"),
        ({"b": 1}, {"a": 2}, "x: expected {'a': 2}, got {'b': 1}"),
        ((1, [0, 2]), (1, [0, 3]), "x[1][1]: expected 3, got 2"),
        (7, None, "x: expected None, got 7"),
        ([math.nan], [0.0], "x[0]: expected 0, got nan"),
        (1.00001, 1.0, "x: expected 1, got 1.00001"),
        ([True, True], [True, False], "x[1]: expected False, got True"),
    ],
)
def test_what_differs_is_said(got: object, expected: object, sentence: str) -> None:
    assert said("x", got, expected) == sentence


class Hostile:
    def __repr__(self) -> str:
        raise RuntimeError

    def __eq__(self, other: object) -> bool:
        raise RuntimeError

    __hash__ = None  # type: ignore[assignment]

    def __array__(self, dtype: object = None, copy: object = None) -> np.ndarray:
        raise RuntimeError


@pytest.mark.parametrize("expected", [1.0, [1, 2], ["a"], {"a": 1}, None, "a", np.zeros((2, 2))])
def test_a_hostile_value_is_only_different(expected: object) -> None:
    assert "Hostile" in said("x", Hostile(), expected)
    endless: list[object] = []
    endless.append(endless)
    assert len(said("x", endless, expected)) < 400


@settings(deadline=None)
@given(
    st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=6),
    st.integers(0, 5),
    st.sampled_from([1e-3, -2.0, math.inf, math.nan]),
)
def test_equal_numbers_pass_in_any_form_and_one_that_differs_does_not(
    values: list[float], place: int, change: float
) -> None:
    expected = np.array(values)
    for got in (
        values,
        tuple(values),
        expected,
        expected.astype(object),
        [*map(np.float64, values)],
    ):
        same("x", got, expected)
    same("x", expected * (1 + 1e-9), expected)
    changed = list(values)
    place %= len(values)
    changed[place] += change * max(1.0, abs(changed[place]))
    with pytest.raises(MismatchError) as caught:
        same("x", changed, expected)
    assert caught.value.fields["place"] == f"x[{place}]"
    assert caught.value.fields["expected"] != caught.value.fields["got"]


def test_infinities_and_nan_are_numbers() -> None:
    same("x", [math.inf, -math.inf, math.nan], np.array([math.inf, -math.inf, math.nan]))
    assert said("x", [math.inf], [-math.inf]) == "x[0]: expected -∞, got ∞"


def test_an_error_that_should_come() -> None:
    raises(ValueError, "f()", int, "a")
    with pytest.raises(MismatchError) as caught:
        raises(ValueError, "f(1)", int, "1")
    sentence = FINDINGS["en"]["raises"].format(**caught.value.fields)
    assert sentence == "f(1): should have raised ValueError, but gave 1"
    with pytest.raises(ZeroDivisionError):
        raises(ValueError, "f()", lambda: 1 / 0)


def test_brief_is_brief() -> None:
    assert brief(np.arange(3)) == "[0, 1, 2]"
    assert brief(np.zeros((9, 9))) == "'array of shape (9, 9)'"
    assert len(brief("long " * 1000)) <= 120
    assert len(brief(list(range(10**5)))) <= 120
    assert brief(np.float64(0.5)) == "0.5000"


def test_what_a_doctest_prints_is_read_as_a_value() -> None:
    assert literal("array([[0., 2.],\n       [1., 1.]])") == [[0.0, 2.0], [1.0, 1.0]]
    assert literal("(1, array([-inf, 0.5]))") == (1, [-math.inf, 0.5])
    assert literal("{(0, 1): 4}") == {(0, 1): 4}
