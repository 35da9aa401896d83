"""Smaller K and V in torch: the twins of `walkthrough.reference.smaller`."""
