"""A file a command: its words in both languages, its arguments, and what it does.

Each module has `WORDS`, `add_arguments(parser, words)` and `main(options, screen, language)`,
which returns the exit status. What a command needs is imported when it runs, so that the small
ones stay quick.
"""

# In the order in which the help shows them.
COMMANDS = (
    *("list", "run", "exercise", "present", "export", "example"),
    *("audit", "simulate", "roofline", "verify", "bench", "model"),
)
