"""A file a command: its arguments, and what it does with them.

Each module has `add_arguments(parser, words)`, `main(options, screen, language)`, which returns
the exit status, and `WORDS`: what it says in both languages, from the room of its subject. What a
command needs is imported when it runs, so that the small ones stay quick.
"""

# In the order in which the help shows them.
COMMANDS = (
    *("list", "run", "exercise", "next", "progress", "present", "export", "example"),
    *("audit", "simulate", "roofline", "verify", "bench", "model"),
)
