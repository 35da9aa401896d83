def generate(logits_of, prompt, eos, max_new_tokens=16):
    tokens = list(prompt)
    new = []
    while len(new) < max_new_tokens:
        logits = logits_of(tokens)  # (n, vocabulary)
        token = int(logits[-1].argmax())
        new.append(token)
        if token == eos:
            break
        tokens.append(token)
    return new


def rows_of_k(prompt, new):
    computed = sum(prompt + step for step in range(new))
    first_time = prompt + new - 1
    return computed, first_time, computed - first_time
