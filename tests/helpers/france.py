"""A prompt, and how the real model goes on, as its peers do on the same weights in float32."""

from __future__ import annotations

FRANCE = "The capital of France is"
FRANCE_IDS = [504, 3575, 282, 4649, 314]
FRANCE_TOKENS = [7042, 30, 198, 198, 504, 2988, 314, 42, 216, 34]
FRANCE_TOKENS += [32, 33, 40, 29, 32, 33, 29, 34, 34, 216]
