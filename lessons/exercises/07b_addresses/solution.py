def strides(slots, h_kv, d_k, size):
    number = size
    head = d_k * number
    slot = h_kv * head
    layer = slots * slot
    return layer, slot, head, number


def address(layer, slot, head, slots, h_kv, d_k, size):
    if layer < 0 or not 0 <= slot < slots or not 0 <= head < h_kv:
        raise ValueError
    to_layer, to_slot, to_head, _ = strides(slots, h_kv, d_k, size)
    return layer * to_layer + slot * to_slot + head * to_head


def pieces(n, h_kv, d_k, size, heads_first):
    row = d_k * size
    if heads_first or h_kv == 1:
        return 1, n * row
    return n, row
