def ttft(arrival, tokens):
    return tokens[0] - arrival


def gaps(tokens):
    return [tokens[i + 1] - tokens[i] for i in range(len(tokens) - 1)]


def tpot(tokens):
    if len(tokens) == 1:
        return 0
    return (tokens[-1] - tokens[0]) / (len(tokens) - 1)


def goodput(requests, ttft_limit, tpot_limit, seconds):
    kept = 0
    for arrival, tokens in requests:
        if ttft(arrival, tokens) <= ttft_limit and tpot(tokens) <= tpot_limit:
            kept += 1
    return kept / seconds
