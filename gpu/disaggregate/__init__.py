"""Prefill in one process, decode in another: K and V are sent between them, block by block."""
