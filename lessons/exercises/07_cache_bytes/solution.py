def bytes_per_token(layers, h_kv, d_k, bytes_per_number=2):
    return 2 * layers * h_kv * d_k * bytes_per_number


def tokens_that_fit(memory, per_token):
    return memory // per_token
