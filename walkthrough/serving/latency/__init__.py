"""Requests in time: when their tokens come, on machines whose steps take what a roofline says."""
