"""A lesson in front of a class: full-screen, a step at a time, term by term.

From a recording to the screen, all of it plain functions: `slides` says in which parts a lesson
comes, `pools` what happened to blocks, `working_view` and `drawing` draw in a `view`, `settings`
computes with other numbers. Textual's part is `fullscreen`, `app` (the presenter) and `notes`.
"""
