"""Exercises that check themselves: found, copied, watched, checked in a process of their own."""
