import math


def decode_time(batch, context, parameters, kv_bytes, machine):
    flops_per_second, bytes_per_second = machine
    flops = 2 * batch * parameters
    read = 2 * parameters + batch * context * kv_bytes
    return max(flops / flops_per_second, read / bytes_per_second)


def first_compute_bound_batch(machine):
    flops_per_second, bytes_per_second = machine
    return math.ceil(flops_per_second / bytes_per_second)
