"""Speculative decoding: which tokens come out, and by what law, does not depend on the guesses."""

from __future__ import annotations

from collections.abc import Sequence as SequenceOf
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pytest
from helpers.models import random_model
from hypothesis import given, settings
from hypothesis import strategies as st

from walkthrough.paging.block_pool import BlockPool, OutOfBlocksError
from walkthrough.paging.prefix_cache import PrefixCache
from walkthrough.paging.sequence import Sequence
from walkthrough.paging.speculative import SpeculativeSequence
from walkthrough.paging.window import WindowedSequence
from walkthrough.reference.cache import ContiguousCache, KVCache, NoCache
from walkthrough.reference.model import Model, greedy_tokens, next_logits
from walkthrough.reference.paged import GatheredCache, PagedCache, PagedStorage
from walkthrough.reference.sampling import probabilities
from walkthrough.reference.speculative.acceptance import (
    Draw,
    Law,
    acceptance_rate,
    certain,
    chance,
    expected_tokens,
    residual,
    speed_up,
    verify_guesses,
)
from walkthrough.reference.speculative.decoding import SpeculativeStep, speculate
from walkthrough.reference.speculative.drafts import (
    LawOf,
    ModelDraft,
    PromptLookup,
    certainly,
    fewer_layers,
)
from walkthrough.reference.speculative.outcomes import all_outcomes

A, B, C = range(3)


def fractions(*rows: SequenceOf[tuple[int, int]]) -> np.ndarray:
    """Rows of exact laws: (n, vocabulary), of Python's fractions."""
    return np.array([[Fraction(*number) for number in row] for row in rows], dtype=object)


# The toy: behind each of three tokens, the model's law p and the draft's law q.
P = fractions(
    [(1, 2), (1, 3), (1, 6)],
    [(1, 6), (1, 2), (1, 3)],
    [(1, 3), (1, 3), (1, 3)],
)
Q = fractions(
    [(1, 6), (1, 3), (1, 2)],
    [(1, 3), (1, 3), (1, 3)],
    [(1, 2), (1, 3), (1, 6)],
)


class Chain:
    """A model whose law depends on the last token alone: the laws themselves are its logits."""

    def __init__(self, laws: np.ndarray, eos: int = -1) -> None:
        self.laws, self.eos, self.vocabulary = laws, eos, len(laws)

    def hidden(
        self, token_ids: SequenceOf[int], positions: object, cache: object, work: object = None
    ) -> np.ndarray:
        return np.array(token_ids)

    def logits(self, hidden: np.ndarray, work: object = None) -> np.ndarray:
        return self.laws[hidden]


def as_it_is(logits: Any) -> Law:
    return logits


class GivenGuesses:
    """A draft that guesses what it was told to, right or wrong."""

    def __init__(self, guesses: SequenceOf[int], vocabulary: int) -> None:
        self.guesses, self.vocabulary = list(guesses), vocabulary

    def guess(
        self, token_ids: SequenceOf[int], n: int, law_of: LawOf, draw: Draw
    ) -> tuple[list[int], list[Law]]:
        now, self.guesses = self.guesses[:n], self.guesses[n:]
        return now, [certainly(token, self.vocabulary) for token in now]


# The rule


def test_the_toys_numbers() -> None:
    p, q = P[A], Q[A]
    assert acceptance_rate(p, q) == Fraction(2, 3)
    assert residual(p, q).tolist() == [1, 0, 0]
    ahead = {g: expected_tokens(Fraction(2, 3), g) for g in (1, 3, 5)}
    assert ahead[1] == Fraction(5, 3)
    assert ahead[3] == Fraction(65, 27)
    assert float(ahead[5]) == pytest.approx(2.737, abs=5e-4)
    for alpha, expected in ((0.8, (1.8, 2.952, 3.689)), (0.9, (1.9, 3.439, 4.686))):
        found = [expected_tokens(alpha, g) for g in (1, 3, 5)]
        assert found == pytest.approx(expected, abs=5e-4)
    assert expected_tokens(0.75, 7) == pytest.approx(3.60, abs=5e-3)
    assert speed_up(0.7, 4, 0.05) == pytest.approx(2.31, abs=5e-3)


def one_token(p: Law, q: Law) -> dict[int, Any]:
    """The law of the first token that comes of one guess."""

    def play(draw: Draw) -> int:
        guess = draw(q)
        return verify_guesses([guess], q[None], np.array([p, p]), draw)[0]

    return all_outcomes(play)


def test_the_law_of_one_token_stays() -> None:
    assert one_token(P[A], Q[A]) == dict(enumerate(P[A]))


LAWS = st.lists(st.integers(0, 5), min_size=4, max_size=4).filter(any)


@given(LAWS, LAWS)
def test_the_law_of_one_token_stays_whatever_the_draft_is(
    first: list[int], second: list[int]
) -> None:
    p, q = (
        np.array([Fraction(n, sum(numbers)) for n in numbers], dtype=object)
        for numbers in (first, second)
    )
    assert one_token(p, q) == {token: p[token] for token in range(4) if p[token]}


def tokens_and_runs(
    model: Chain, draft_laws: np.ndarray, ahead: int, new: int, draw: Draw
) -> tuple[tuple[int, ...], int]:
    draft = ModelDraft(Chain(draft_laws), ContiguousCache(20, 1))
    cache = ContiguousCache(20, 1)
    steps = list(speculate(model, [B], cache, draft, new, ahead=ahead, law_of=as_it_is, draw=draw))
    return sum((step.tokens for step in steps), ()), len(steps)


def law_alone(model: Chain, new: int) -> dict[tuple[int, ...], Any]:
    """The law of the tokens that are drawn one after the other."""
    law: dict[tuple[int, ...], Any] = {(): 1}
    for _ in range(new):
        longer: dict[tuple[int, ...], Any] = {}
        for tokens, weight in law.items():
            if tokens and tokens[-1] == model.eos:
                longer[tokens] = weight
                continue
            for token, share in enumerate(model.laws[tokens[-1] if tokens else B]):
                if share:
                    longer[(*tokens, token)] = weight * share
        law = longer
    return law


@pytest.mark.parametrize("eos", [-1, C])
@pytest.mark.parametrize(("ahead", "new"), [(0, 3), (1, 3), (2, 3), (3, 4), (9, 4)])
def test_the_law_of_all_tokens_stays(ahead: int, new: int, eos: int) -> None:
    model = Chain(P, eos)
    found: dict[tuple[int, ...], Any] = {}
    for (tokens, _), weight in all_outcomes(
        lambda draw: tokens_and_runs(model, Q, ahead, new, draw)
    ).items():
        found[tokens] = found.get(tokens, 0) + weight
    assert found == law_alone(model, new)
    assert sum(found.values()) == 1


def test_a_run_brings_two_and_a_half_tokens() -> None:
    def first_run(draw: Draw) -> int:
        draft = ModelDraft(Chain(Q), ContiguousCache(20, 1))
        steps = speculate(
            Chain(P), [B], ContiguousCache(20, 1), draft, 9, ahead=2, law_of=as_it_is, draw=draw
        )
        return len(next(steps).tokens)

    law = all_outcomes(first_run)
    assert sum(n * weight for n, weight in law.items()) == Fraction(5, 2)
    assert {n: law[n] for n in (1, 2, 3)} == {
        1: Fraction(1, 6),
        2: Fraction(1, 6),
        3: Fraction(2, 3),
    }


def test_a_guess_that_no_one_can_have_drawn_is_refused() -> None:
    with pytest.raises(ValueError, match="guess 1, token 2, cannot have been drawn: its q is 0"):
        verify_guesses([2], np.array([[1, 0, 0]]), np.ones((2, 3)) / 3, certain)


def test_laws_that_differ_by_rounding_alone() -> None:
    p = np.array([0.1, 0.2, 0.7])
    q = np.nextafter(p, 1)
    assert verify_guesses([2], q[None], np.array([p, p]), lambda law: 0)[0] == 0
    assert residual(p, q) is p


def test_greedy_decoding_leaves_nothing_to_chance() -> None:
    assert certain(np.array([0, 1, 0])) == 1
    with pytest.raises(ValueError, match="2 outcomes are possible"):
        certain(np.array([0.5, 0.5]))


# Greedy: the same tokens over every cache, whatever is guessed


def caches(block_size: int, room: int, layers: int = 2) -> dict[str, KVCache]:
    """Every kind of cache, with room for that many tokens."""
    blocks = -(-room // block_size) + 1
    found: dict[str, KVCache] = {
        "none": NoCache(),
        "contiguous": ContiguousCache(room, 2, layers=layers),
    }
    kinds = {
        "plain": Sequence,
        "speculative": SpeculativeSequence,
        "window": partial(WindowedSequence, window=room),
    }
    for name, kind in kinds.items():
        for cache_type in (PagedCache, GatheredCache):
            pool, storage = BlockPool(blocks), PagedStorage(blocks, block_size, 2, layers=layers)
            sequence = kind(pool, block_size, PrefixCache(pool, block_size))
            found[f"{name}, {cache_type.__name__}"] = cache_type(storage, sequence)
    return found


def model_of(seed: int, eos: int = 0) -> Model:
    rng = np.random.default_rng(seed)
    model = random_model(rng, layers=2, h=2, h_kv=1, d_k=2)
    return Model(model.embedding, model.layers, model.W_vocab, eos)


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 2**32 - 1),
    st.integers(1, 5),
    st.integers(0, 6),
    st.lists(st.integers(0, 6), max_size=40),
    st.booleans(),
)
def test_greedy_tokens_are_the_same_whatever_is_guessed(
    seed: int, block_size: int, ahead: int, guesses: list[int], mostly_right: bool
) -> None:
    model, prompt, new = model_of(seed), [1, 2, 3], 9
    expected = greedy_tokens(model, prompt, NoCache(), new)
    if mostly_right:  # right guesses, with a wrong one now and then
        guesses = [
            (t + (guesses[i] == 6 if i < len(guesses) else 0)) % 7 for i, t in enumerate(expected)
        ]
    for name, cache in caches(block_size, len(prompt) + new - 1).items():
        draft = GivenGuesses(guesses, model.vocabulary)
        steps = list(speculate(model, prompt, cache, draft, new, ahead=ahead))
        assert [t for step in steps for t in step.tokens] == expected, name
        if name != "none":
            assert cache.num_computed_tokens == len(prompt) + len(expected) - 1
        for step in steps:
            check_step(step, ahead)


def check_step(step: SpeculativeStep, ahead: int) -> None:
    assert 1 <= len(step.tokens) <= ahead + 1
    assert len(step.guesses) <= ahead
    assert step.guesses[: step.accepted] == step.tokens[: step.accepted]
    assert step.accepted in (len(step.tokens) - 1, len(step.tokens))  # the latter at an end


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 4), st.integers(1, 4), st.data())
def test_a_cut_of_the_model_and_the_text_itself_as_drafts(
    seed: int, block_size: int, ahead: int, data: st.DataObject
) -> None:
    model, prompt, new = model_of(seed, eos=-1), [1, 2, 3, 1, 2], 12
    expected = greedy_tokens(model, prompt, NoCache(), new)
    own = caches(block_size, len(prompt) + new, layers=1)
    small = fewer_layers(model, [0])
    cut = ModelDraft(small, own[data.draw(st.sampled_from(sorted(own)))])
    for draft in (cut, PromptLookup(model.vocabulary)):
        found = caches(block_size, len(prompt) + new - 1)
        cache = found[data.draw(st.sampled_from(sorted(found)))]
        steps = speculate(model, prompt, cache, draft, new, ahead=ahead)
        assert [t for step in steps for t in step.tokens] == expected


def test_the_model_itself_as_draft_is_always_right() -> None:
    model = model_of(3, eos=-1)
    draft = ModelDraft(model, ContiguousCache(40, 2, layers=2))
    steps = list(speculate(model, [1, 2], NoCache(), draft, 15, ahead=4))
    assert [len(step.tokens) for step in steps] == [5, 5, 5]
    assert [step.accepted for step in steps] == [4, 4, 4]


def test_an_end_of_sequence_in_the_middle_of_a_guess() -> None:
    model = model_of(3, eos=-1)
    free_run = greedy_tokens(model, [1, 2], NoCache(), 9)
    ending = model_of(3, eos=free_run[2])
    expected = free_run[: free_run.index(free_run[2]) + 1]
    for cache in caches(2, 10).values():
        draft = GivenGuesses(free_run, 7)
        (step,) = speculate(ending, [1, 2], cache, draft, 9, ahead=6)
        assert list(step.tokens) == expected
        assert step.accepted == len(expected)  # the end itself was guessed, and nothing behind it
        if not isinstance(cache, NoCache):
            assert cache.num_computed_tokens == 2 + len(expected) - 1


def test_where_the_pool_is_full_the_model_runs_without_guesses() -> None:
    model = model_of(5, eos=-1)
    expected = greedy_tokens(model, [1, 2, 3], NoCache(), 6)
    pool, storage = BlockPool(6), PagedStorage(6, 2, 2, layers=2)
    cache = PagedCache(storage, SpeculativeSequence(pool, 2))
    other = pool.get_new_blocks(2)  # three are left: room for six tokens
    draft = GivenGuesses([6] * 40, 7)
    steps = speculate(model, [1, 2, 3], cache, draft, 6, ahead=4)
    got: list[int] = []
    with pytest.raises(OutOfBlocksError):
        for step in steps:
            got += step.tokens
            assert step.guesses == () or len(cache.sequence) + 4 <= 6
    assert got == expected[: len(got)]
    assert len(got) == 4  # the fifth needs a seventh slot
    assert cache.num_computed_tokens == 6
    pool.free_blocks(other)


def test_a_draft_whose_cache_is_full_guesses_less() -> None:
    model = model_of(3, eos=-1)
    expected = greedy_tokens(model, [1, 2], NoCache(), 12)
    draft = ModelDraft(model, ContiguousCache(5, 2, layers=2))
    steps = list(speculate(model, [1, 2], NoCache(), draft, 12, ahead=3))
    assert [t for step in steps for t in step.tokens] == expected
    assert [len(step.guesses) for step in steps][:3] == [3, 0, 0]


def test_drafts_that_do_not_keep_to_what_was_asked() -> None:
    class Other(GivenGuesses):
        pass

    for guesses, laws, ahead in ((3, 2, 2), (3, 3, 2), (3, 2, 3), (1, 2, 3)):
        draft = Other([], 7)
        draft.guess = lambda *_, n=guesses, q=laws: ([1] * n, [certainly(1, 7)] * q)  # type: ignore[method-assign]
        gave = f"the draft gave {guesses} guesses and {laws} laws, asked for {ahead}"
        with pytest.raises(ValueError, match=gave):
            list(speculate(model_of(3), [1], NoCache(), draft, 9, ahead=ahead))
    with pytest.raises(ValueError, match="token"):
        list(speculate(model_of(3), [1], NoCache(), GivenGuesses([6, 7], 8), 9, ahead=2))
    with pytest.raises(ValueError, match="the prompt is empty"):
        list(speculate(model_of(3), [], NoCache(), PromptLookup(7)))


# Sampled


def test_sampling_the_toy_model_follows_its_law() -> None:
    """By the real law of logits: exact up to rounding, every path through the draws."""
    model = model_of(11, eos=-1)
    law_of = partial(probabilities, temperature=30, top_p=0.6)

    def with_guesses(draw: Draw) -> tuple[int, ...]:
        small = ModelDraft(fewer_layers(model, [1]), NoCache())
        steps = speculate(model, [1, 2], NoCache(), small, 3, ahead=2, law_of=law_of, draw=draw)
        return tuple(token for step in steps for token in step.tokens)

    def alone(draw: Draw) -> tuple[int, ...]:
        steps = speculate(
            model, [1, 2], NoCache(), PromptLookup(7), 3, ahead=0, law_of=law_of, draw=draw
        )
        return tuple(token for step in steps for token in step.tokens)

    expected, found = all_outcomes(alone), all_outcomes(with_guesses)
    assert len(expected) > 20
    assert {k: v for k, v in found.items() if v > 1e-12} == pytest.approx(expected, abs=1e-9)


def test_the_same_seed_gives_the_same_tokens() -> None:
    model = model_of(11, eos=-1)

    def tokens(seed: int) -> list[int]:
        draw = chance(np.random.default_rng(seed))
        steps = speculate(
            model, [1, 2], NoCache(), PromptLookup(7), 20, law_of=probabilities, draw=draw
        )
        return [token for step in steps for token in step.tokens]

    assert tokens(4) == tokens(4)
    assert tokens(4) != tokens(5)


# Drafts


def test_prompt_lookup_takes_the_longest_and_the_latest() -> None:
    lookup = PromptLookup(10)

    def guess(tokens: list[int], n: int = 3) -> list[int]:
        return lookup.guess(tokens, n, as_it_is, certain)[0]

    assert guess([1, 2, 3, 4, 1, 2]) == [3, 4, 1]
    assert guess([1, 2, 3, 9, 2, 5, 1, 2]) == [3, 9, 2]  # two tokens rather than the later one
    assert guess([1, 2, 7, 1, 2, 8, 1, 2]) == [8, 1, 2]  # the latest of equally long ones
    assert guess([1, 2, 3]) == []
    assert guess([5]) == []
    assert guess([4, 4, 4]) == [4]
    laws = lookup.guess([1, 2, 1], 1, as_it_is, certain)[1]
    assert laws[0].tolist() == certainly(2, 10).tolist()
    with pytest.raises(ValueError, match="longest must be at least 1"):
        PromptLookup(10, 0)


TURNS = st.lists(
    st.tuples(st.integers(0, 4), st.integers(0, 4), st.lists(st.integers(0, 6))), max_size=6
)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1), TURNS)
def test_a_model_guesses_what_it_would_say_itself(
    seed: int, turns: list[tuple[int, int, list[int]]]
) -> None:
    """Whatever it guessed before, however much of that was right, and whatever came instead."""
    model = model_of(seed, eos=-1)
    found = caches(2, 100)
    for name in ("none", "contiguous", "plain, PagedCache", "speculative, PagedCache"):
        draft, tokens = ModelDraft(model, found[name]), [1, 2]
        for n, right, instead in turns:
            guesses, rows = draft.guess(tokens, n, as_it_is, lambda row: int(row.argmax()))
            assert len(guesses) == n
            for i, row in enumerate(rows):
                expected = next_logits(model, [*tokens, *guesses[:i]], NoCache())
                np.testing.assert_allclose(row, expected, atol=1e-8)
            tokens += [*guesses[:right], *instead[:3]]  # at times nothing new


@pytest.mark.parametrize("name", ["contiguous", "plain, PagedCache"])
def test_a_draft_takes_back_from_the_first_token_that_differs(name: str) -> None:
    """What stays is what the old text and the new have in common at their beginning, and no more.

    The last token of the new text is fed in any case: its row gives the logits.
    """
    model, cache = model_of(3, eos=-1), caches(2, 100)[name]
    draft, taken = ModelDraft(model, cache), list[int]()
    roll_back = cache.roll_back
    cache.roll_back = lambda n: (taken.append(n), roll_back(n))[1]  # type: ignore[method-assign]

    def guess(tokens: list[int]) -> None:
        _, rows = draft.guess(tokens, 1, as_it_is, lambda row: int(row.argmax()))
        np.testing.assert_allclose(rows[0], next_logits(model, tokens, NoCache()), atol=1e-8)

    guess([1, 2, 3, 4, 5, 6])
    guess([1, 2, 4, 4, 5, 6])  # the third differs; those behind it, equal again, were computed anew
    guess([1, 2, 4, 4, 5, 6])  # nothing new: the last one alone is fed again
    guess([1, 2, 4, 4, 5, 6, 3])
    guess([3])
    assert taken == [0, 4, 1, 0, 7]


def test_layers_that_there_are_not() -> None:
    for wrong in (2, -1):
        with pytest.raises(ValueError, match=f"layer {wrong} is not one of 0 … 1"):
            fewer_layers(model_of(1), [0, wrong])
    with pytest.raises(ValueError, match="at least one layer"):
        fewer_layers(model_of(1), [])


def test_no_more_can_be_taken_back_than_is_stored() -> None:
    for cache in caches(2, 6).values():
        with pytest.raises(ValueError, match="cannot take back"):
            cache.roll_back(1)
        with pytest.raises(ValueError, match="cannot take back"):
            cache.roll_back(-1)
