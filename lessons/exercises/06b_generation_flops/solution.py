def generation_flops(prompt, new, d_model, d, cached):
    total = 0
    for step in range(new):
        m = prompt + step  # tokens so far
        n = 1 if cached and step else m  # tokens that are fed
        projections = 3 * 2 * n * d_model * d  # to Q, K and V
        scores = 2 * n * m * d
        output = 2 * n * m * d
        total += projections + scores + output
    return total
