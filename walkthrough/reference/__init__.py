"""The mathematics in NumPy: attention, K/V caches, the document's example, its costs."""
