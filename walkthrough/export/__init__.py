"""A recorded lesson as something to hand out: a page, a notebook, a handout."""
