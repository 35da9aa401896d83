"""Smaller keys and values: fewer bits for each number, or one short row in place of all heads'."""
