"""Checking a learner's file: in a process of its own, against doctests and what is expected."""
