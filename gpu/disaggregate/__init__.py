"""Prefill in one process, decode in another: K and V go between them in blocks, layer by layer."""
