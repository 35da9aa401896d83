"""A lesson in front of a class: full-screen, a step at a time, term by term.

`deck` makes slides of a recording, `board` knows which matrices came from which, `view` draws,
all of it plain functions; `app` is the Textual part.
"""
