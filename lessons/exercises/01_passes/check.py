"""Short generations counted by hand, then the example's, generated with and without a cache."""

from walkthrough import example
from walkthrough.exercises import same
from walkthrough.reference import ContiguousCache, NoCache, generate

MINUTES = 8
DIFFICULTY = 1


def check(mine):
    for prompt, new in ((1, 1), (1, 4), (4, 1), (3, 5), (10, 100)):
        whole = list(range(prompt, prompt + new))
        cached = [prompt, *([1] * (new - 1))]
        same(f"fed_without_cache({prompt}, {new})", mine.fed_without_cache(prompt, new), whole)
        same(f"fed_with_cache({prompt}, {new})", mine.fed_with_cache(prompt, new), cached)
        more = sum(whole) / sum(cached)
        same(f"times_more({prompt}, {new})", mine.times_more(prompt, new), more)
    for index in (0, 1, 2, 99):
        same(f"phase({index})", mine.phase(index), "decode" if index else "prefill")
    ex = example()
    prompt = ex.ids(ex.prompt)
    shape = {"h_kv": ex.heads, "layers": len(ex.model.layers)}
    for name, cache in (
        ("fed_without_cache", NoCache()),
        ("fed_with_cache", ContiguousCache(20, ex.d_k, **shape)),
    ):
        fed = [len(step.fed) for step in generate(ex.model, prompt, cache)]
        call = f"{name}({len(prompt)}, {len(fed)})"
        same(call, getattr(mine, name)(len(prompt), len(fed)), fed)
