def fed_without_cache(prompt, new):
    return [prompt + made for made in range(new)]


def fed_with_cache(prompt, new):
    return [prompt if made == 0 else 1 for made in range(new)]


def phase(index):
    return "prefill" if index == 0 else "decode"


def times_more(prompt, new):
    return sum(fed_without_cache(prompt, new)) / sum(fed_with_cache(prompt, new))
