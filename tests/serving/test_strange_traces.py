"""Whatever a trace holds: requests, or one clear sentence."""

from __future__ import annotations

import gzip
import tempfile
from pathlib import Path

from helpers.strange import ODD, damaged
from helpers.traces import AZURE, line
from hypothesis import given, settings
from hypothesis import strategies as st

from walkthrough.serving.traces import KEPT_BROKEN, LONGEST_REQUEST, TraceError, read_trace

SECONDS = 5000  # milliseconds, on a busy machine; each takes a few
WHOLES = [
    (AZURE + "2023-11-16 18:17:03,374,44\n2023,1,2\n2023,3,4\n").encode(),
    "\n".join([line(), line(512, 1, [7]), '{"timestamp": 7, "input_length": 3}']).encode(),
]


def check(content: bytes) -> None:
    """Requests that can be served, or TraceError."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "a")
        path.write_bytes(content)
        try:
            trace = read_trace(path)
        except TraceError:
            return
    assert trace.requests
    for request in trace.requests:
        assert 0 < request.prompt <= LONGEST_REQUEST
        assert 0 < request.output <= LONGEST_REQUEST
    assert len(trace.broken) == min(trace.num_broken, KEPT_BROKEN)
    assert all(len(broken.found) <= 43 for broken in trace.broken)


@given(st.sampled_from(WHOLES).flatmap(damaged), st.booleans())
@settings(deadline=SECONDS, max_examples=150)
def test_a_damaged_trace_is_read_or_refused(content: bytes, zipped: bool) -> None:
    check(gzip.compress(content, 1) if zipped else content)


@given(st.sampled_from(WHOLES).map(gzip.compress).flatmap(damaged))
@settings(deadline=SECONDS, max_examples=60)
def test_a_damaged_archive_is_read_or_refused(content: bytes) -> None:
    check(content)


@given(st.lists(st.sampled_from([*ODD, "\n", "12", AZURE, line()]), max_size=12).map("".join))
@settings(deadline=SECONDS, max_examples=60)
def test_noise_is_read_or_refused(text: str) -> None:
    check(AZURE.encode() + text.encode())
    check(text.encode())
