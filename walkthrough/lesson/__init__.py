"""A lesson as data: read, run, recorded with what it showed and what happened to its blocks."""
