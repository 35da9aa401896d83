"""The document's example, models of all shapes, refusals, forks, and at last a real model.

`present` runs the example, and the real model where its file is here.
"""

import copy
import random

import numpy as np

from walkthrough import language_model, show
from walkthrough.document import document
from walkthrough.exercises import raises, same
from walkthrough.llm import model_is_here
from walkthrough.reference import (
    ContiguousCache,
    Layer,
    Model,
    NoCache,
    forward,
    generate,
    greedy_tokens,
)

MINUTES = 60
DIFFICULTY = 3


def check(mine):
    single_rows(mine)
    documents_example(mine)
    models_of_all_shapes(mine)
    large_scores(mine)
    refusals(mine)
    forks(mine)
    forks_of_all_layers(mine)
    stored_as_asked(mine)
    random_life(mine)
    if model_is_here():
        real_model(mine)


def single_rows(mine):
    """Two tokens, one head, then one more: the smallest thing that can go wrong."""
    ex = document()
    tokens = ex.tokens[:3]
    Q, K, V = (ex.embed(tokens) @ W[0] for W in (ex.W_Q, ex.W_K, ex.W_V))
    cache, plain = mine.PagedCache(5, 2, 2), ContiguousCache(4, 2)
    same("num_computed_tokens", cache.num_computed_tokens, 0)
    same("num_free_blocks", cache.num_free_blocks, 4)
    for first, last, free in ((0, 2, 3), (2, 3, 2)):
        rows = slice(first, last)
        for one in (cache, plain):
            one.extend(range(first, last))
            one.write(0, K[rows, None], V[rows, None])
        same("num_computed_tokens", cache.num_computed_tokens, last)
        same("num_free_blocks", cache.num_free_blocks, free)
        expected = plain.attend(0, Q[rows, None])
        same("attend(0, Q)", cache.attend(0, Q[rows, None]), expected, tokens[rows])


def documents_example(mine):
    ex = document()
    prompt = ex.ids(ex.prompt)
    for block_size in (2, 1, 3, 16):
        cache = mine.PagedCache(8, block_size, ex.d_k, h_kv=ex.heads)
        for plain in generate(ex.model, prompt, NoCache()):
            fed = list(plain.fed[cache.num_computed_tokens :])
            logits = forward(ex.model, fed, cache)
            expected = plain.logits[-len(fed) :]
            place = f"logits (block_size={block_size})"
            same(place, logits, expected, ex.texts(fed), ex.tokens)


def random_model(rng, layers, h, h_kv, d_k, d_model=5, vocabulary=7):
    def layer():
        W_Q, W_K, W_V = (rng.normal(size=(heads, d_model, d_k)) for heads in (h, h_kv, h_kv))
        return Layer(W_Q, W_K, W_V, rng.normal(size=(h * d_k, d_model)))

    weights = tuple(layer() for _ in range(layers))
    output = rng.normal(size=(d_model, vocabulary))
    return Model(rng.normal(size=(vocabulary, d_model)), weights, output, eos=-1)


def models_of_all_shapes(mine):
    rng = np.random.default_rng(0)
    for layers, h, h_kv, d_k, block_size in ((2, 2, 2, 3, 2), (1, 4, 2, 2, 3), (3, 6, 1, 4, 4)):
        model = random_model(rng, layers, h, h_kv, d_k)
        tokens = rng.integers(0, 7, size=9).tolist()
        expected = forward(model, tokens, NoCache())
        cache = mine.PagedCache(20, block_size, d_k, layers=layers, h_kv=h_kv)
        fed = 0
        for n in (4, 1, 3, 1):
            logits = forward(model, tokens[fed : fed + n], cache)
            place = f"logits (layers={layers}, h={h}, h_kv={h_kv}, block_size={block_size}, seed 0)"
            same(place, logits, expected[fed : fed + n])
            fed += n


def large_scores(mine):
    """Scores that e^x alone would not hold: below, at and above 1,000, block by block."""
    for query, keys in ((2000, [0, 1, 2]), (2000, [2, 1, 0]), (-2000, [1, 2, 1])):
        cache, plain = mine.PagedCache(5, 2, 1), ContiguousCache(4, 1)
        for one in (cache, plain):
            one.extend([0, 1, 2])
            one.write(0, np.reshape(keys, (3, 1, 1)) * 1.0, np.array([[[1.0]], [[2.0]], [[4.0]]]))
        Q = np.full((3, 1, 1), 1.0 * query)
        place = f"attend(0, Q={query}, keys={keys}, values=[1, 2, 4])"
        same(place, cache.attend(0, Q), plain.attend(0, Q))


def rows_of(token):
    return np.array([[[np.sin(token), np.cos(3 * token)]]])  # (1, 1, 2)


def feed(cache, tokens):
    """Give a cache tokens whose rows only depend on the token."""
    rows = np.concatenate([rows_of(token) for token in tokens])
    cache.extend(tokens)
    cache.write(0, rows, rows[:, :, ::-1])


def same_history(place, cache, tokens, capacity=40):
    """The cache attends as one does that holds these tokens and shares nothing."""
    plain = ContiguousCache(capacity, 2)
    feed(plain, tokens)
    query = np.array([[[0.3, -0.7]]])
    same(f"{place}.num_computed_tokens", cache.num_computed_tokens, len(tokens))
    same(f"{place}.attend(0, Q)", cache.attend(0, query), plain.attend(0, query))


def refusals(mine):
    cache = mine.PagedCache(4, 2, 2)
    feed(cache, [1, 2, 3])
    for n in (4, 9):
        place = f"extend({n} tokens)"
        raises(mine.OutOfBlocks, place, cache.extend, list(range(n)), state=lambda: state_of(cache))
    feed(cache, [4, 5, 6])
    same_history("cache", cache, [1, 2, 3, 4, 5, 6])


def state_of(cache):
    names = "num_computed_tokens", "num_free_blocks"
    return {name: getattr(cache, name) for name in names}


def forks_of_all_layers(mine):
    """Copy-on-write has to take K and V of all layers and heads along."""
    rng = np.random.default_rng(0)
    caches = [make(6, 4, 2, layers=3, h_kv=2) for make in (mine.PagedCache, plain_cache)]
    rows = rng.normal(size=(2, 3, 2, 3, 2, 2))  # step, layer, K or V, token, head, d_k
    for cache in caches:
        write(cache, rows[0])
    twins = [caches[0].fork(), copy.deepcopy(caches[1])]
    for pair, number in ((twins, 0), (caches, 1)):
        for cache in pair:
            write(cache, rows[1, :, :, number : number + 1])
    for name, pair in (("parent", caches), ("child", twins)):
        for layer in range(3):
            Q = rng.normal(size=(1, 4, 2))
            got, expected = (cache.attend(layer, Q) for cache in pair)
            same(f"{name}.attend({layer}, Q) (layers=3, h_kv=2, seed 0)", got, expected)


def plain_cache(num_blocks, block_size, d_k, **shape):
    return ContiguousCache(num_blocks * block_size, d_k, **shape)


def write(cache, layers):
    """One extend, and then K and V of each layer."""
    cache.extend(list(range(layers.shape[2])))
    for layer, (K, V) in enumerate(layers):
        cache.write(layer, K, V)


def stored_as_asked(mine):
    """One token alone gives back its own V: rounded where it is stored in few bits."""
    cache = mine.PagedCache(2, 1, 1, dtype=np.float16)
    cache.extend([0])
    cache.write(0, np.array([[[1.0]]]), np.array([[[1 / 3]]]))
    got = cache.attend(0, np.array([[[1.0]]]))
    same("attend(0, Q) (dtype=float16, V=1/3)", got, [[[float(np.float16(1 / 3))]]])


def forks(mine):
    parent = mine.PagedCache(10, 4, 2)
    feed(parent, [1, 2, 3, 4, 5, 6])
    child = parent.fork()
    same("fork().num_free_blocks", child.num_free_blocks, 7)
    feed(child, [7])
    same("child.num_free_blocks", child.num_free_blocks, 6)  # one copy
    feed(parent, [8])
    same("parent.num_free_blocks", parent.num_free_blocks, 6)  # its tail is its own by now
    same_history("child", child, [1, 2, 3, 4, 5, 6, 7])
    same_history("parent", parent, [1, 2, 3, 4, 5, 6, 8])
    parent.free()
    same("child.num_free_blocks", child.num_free_blocks, 7)
    same_history("child", child, [1, 2, 3, 4, 5, 6, 7])
    same("parent.num_computed_tokens", parent.num_computed_tokens, 0)
    child.free()
    same("num_free_blocks", child.num_free_blocks, 9)
    for length, free in ((1, 7), (4, 7)):  # in the first block; on the edge, where none is copied
        parent = mine.PagedCache(10, 4, 2)
        tokens = list(range(length))
        feed(parent, tokens)
        child = parent.fork()
        feed(child, [8])
        same("child.num_free_blocks", child.num_free_blocks, free)
        feed(parent, [9])
        same_history("child", child, [*tokens, 8])
        same_history("parent", parent, [*tokens, 9])
    tight = mine.PagedCache(3, 2, 2)
    feed(tight, [1, 2, 3])
    child, place = tight.fork(), "fork().extend([4]) without a free block"
    raises(mine.OutOfBlocks, place, child.extend, [4], state=lambda: state_of(child))
    same_history("parent", tight, [1, 2, 3])


def random_life(mine):
    chance = random.Random(0)
    caches = [(mine.PagedCache(400, 3, 2), [])]
    for _ in range(150):
        cache, tokens = chance.choice(caches)
        what = chance.random()
        if what < 0.15:
            caches.append((cache.fork(), list(tokens)))
        elif what < 0.25 and len(caches) > 1:
            cache.free()
            caches = [(c, t) for c, t in caches if c is not cache]
        elif len(tokens) < 30:
            more = [chance.randrange(50) for _ in range(chance.randrange(1, 5))]
            feed(cache, more)
            tokens += more
    for cache, tokens in caches:
        if tokens:
            same_history("cache (seed 0)", cache, tokens)
    for cache, _ in caches:
        cache.free()
    same("num_free_blocks", caches[0][0].num_free_blocks, 399)


QUESTION = "The capital of France is"


def real_model(mine):
    """The tokens that SmolLM2 generates over the learner's cache are those over the course's."""
    smollm2 = language_model()
    shape, prompt = smollm2.model.cache_shape, smollm2.ids(QUESTION)
    expected = greedy_tokens(smollm2.model, prompt, ContiguousCache(12, **shape), 4)
    tokens = greedy_tokens(smollm2.model, prompt, mine.PagedCache(6, 3, **shape), 4)
    same(f"tokens behind {QUESTION!r}", tokens, expected)
    return smollm2.text([*prompt, *tokens])


def present(mine):
    """The document's example, and a real model's answer, generated by the learner's cache."""
    ex = document()
    cache = mine.PagedCache(10, 2, ex.d_k, h_kv=ex.heads)
    rows = []
    for step in generate(ex.model, ex.ids(ex.prompt), cache):
        fed, chosen = " ".join(ex.texts(step.fed)), ex.tokens[step.next_token]
        rows.append([fed, chosen, cache.num_computed_tokens, cache.num_free_blocks])
    show(rows, "PagedCache", cols=["fed", "chosen", "tokens", "free blocks"])
    if model_is_here():
        print(f"SmolLM2: {real_model(mine)}")
