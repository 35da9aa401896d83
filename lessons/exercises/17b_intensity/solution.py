def attention_flops(context, h, d_k):
    scores = 2 * context * d_k
    mixed = 2 * context * d_k
    return h * (scores + mixed)


def kv_bytes(context, h_kv, d_k, size=2):
    return 2 * context * h_kv * d_k * size


def intensity(h, h_kv, size=2):
    return 2 * h / (h_kv * size)
