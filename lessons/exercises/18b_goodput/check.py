"""Requests that keep both limits, one, or none, at the limits and beside them."""

from walkthrough.exercises import same

MINUTES = 15
DIFFICULTY = 2


def check(mine):
    for arrival, tokens in ((0, [7]), (3, [7, 9]), (50, [400, 550, 700, 850])):
        place = f"({arrival}, {tokens})"
        same(f"ttft{place}", mine.ttft(arrival, list(tokens)), tokens[0] - arrival)
        steps = [tokens[i + 1] - tokens[i] for i in range(len(tokens) - 1)]
        same(f"gaps({tokens})", mine.gaps(list(tokens)), steps)
        mean = sum(steps) / len(steps) if steps else 0
        same(f"tpot({tokens})", mine.tpot(list(tokens)), mean)
    requests = {
        "both kept": (0, [100, 120, 140]),
        "at both limits": (10, [110, 130, 150]),
        "late": (0, [101, 110, 120]),
        "slow": (0, [50, 80, 110]),
        "one token": (0, [90]),
        "one token, late": (0, [500]),
    }
    kept = {"both kept", "at both limits", "one token"}
    for name, request in requests.items():
        got = mine.goodput([request], 100, 20, 1)
        same(f"goodput([{request}], 100, 20, 1)", got, int(name in kept))
    got = mine.goodput(list(requests.values()), 100, 20, 4)
    same("goodput(the six of before, 100, 20, 4)", got, 0.75)
    same("goodput([], 100, 20, 4)", mine.goodput([], 100, 20, 4), 0)
