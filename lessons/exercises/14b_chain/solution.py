from hashlib import sha256


def block_hashes(token_ids, block_size, before):
    hashes = []
    for start in range(0, len(token_ids) - block_size + 1, block_size):
        tokens = token_ids[start : start + block_size]
        content = b"".join(token.to_bytes(8, "little") for token in tokens)
        before = sha256(before + content).digest()
        hashes.append(before)
    return hashes


def hit(prompt, known, block_size, before):
    tokens = 0
    for value in block_hashes(prompt[:-1], block_size, before):
        if value not in known:
            break
        tokens += block_size
    return tokens


def hand_out(free, has_content):
    without = [block for block in reversed(free) if block not in has_content]
    return without + [block for block in free if block in has_content]
