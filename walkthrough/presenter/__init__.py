"""A lesson in front of a class: full-screen, a step at a time, term by term.

From a recording to the screen, all of it plain functions: `deck` makes slides and says in which
parts they come, `board` and `derivation` know which matrices came from which, `pools` what
happened to blocks, `blackboard` and `pieces` draw in a `view`, `settings` computes with other
numbers. Textual's part is `stage` (a full screen), `app` (the presenter) and `notes`.
"""
