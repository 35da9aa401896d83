"""The work of a whole generation (lesson 6)

Not one step but all of them, from the prefill to the end: add up the FLOPs of
one head.
"""


def generation_flops(prompt, new, d_model, d, cached):
    """FLOPs of the projections, Q·Kᵀ and P·V of all `new` calls of the model.

    Step 0 feeds the prompt. Each later one feeds one token where there is a
    cache (`cached`), else all tokens so far. The keys are always all tokens so
    far.

    >>> generation_flops(2, 3, 4, 2, cached=False)
    664
    >>> generation_flops(2, 3, 4, 2, cached=True)
    280
    """
    raise NotImplementedError
