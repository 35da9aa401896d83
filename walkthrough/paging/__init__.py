"""Who owns which slots of memory: bookkeeping in plain Python, without NumPy."""
