"""The KV cache and PagedAttention by numbers: see README.md, or run ``walkthrough``."""
