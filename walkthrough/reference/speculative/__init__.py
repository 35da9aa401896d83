"""Guessing ahead: several tokens verified in one run of the model, and the law of each stays."""
