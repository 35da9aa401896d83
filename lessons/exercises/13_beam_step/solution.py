def best_candidates(scores, log_p, width):
    candidates = [
        (parent, token, score + log_p[parent][token])
        for parent, score in enumerate(scores)
        for token in range(len(log_p[parent]))
    ]
    return sorted(candidates, key=lambda candidate: -candidate[2])[:width]
