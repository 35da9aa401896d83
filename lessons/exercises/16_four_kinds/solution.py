def reserved_size(policy, prompt, output, longest):
    if policy == "longest":
        return longest
    if policy == "power of two":
        return prompt + 2 ** (output - 1).bit_length()
    return prompt + output - 1


def reserved_kinds(written, stored, size):
    return written, stored - written, size - stored


def paged_kinds(written, block_size):
    blocks = -(-written // block_size)  # rounded up
    return written, 0, blocks * block_size - written
