def project(X, W):
    return X @ W  # (n, d_model) · (d_model, d_k) → (n, d_k)
