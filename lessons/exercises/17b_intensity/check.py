"""Small heads, then published geometries against the reference's own counts."""

from walkthrough.exercises import same
from walkthrough.reference import SHAPES, roofline

MINUTES = 10
DIFFICULTY = 1


def check(mine):
    for context, h, d_k in ((1, 1, 1), (3, 2, 2), (5, 4, 8), (4096, 32, 128)):
        place = f"attention_flops({context}, {h}, {d_k})"
        same(place, mine.attention_flops(context, h, d_k), 4 * context * h * d_k)
    for context, h_kv, d_k, size in ((1, 1, 1, 2), (5, 2, 8, 2), (5, 2, 8, 1), (7, 3, 4, 4)):
        place = f"kv_bytes({context}, {h_kv}, {d_k}, {size})"
        same(place, mine.kv_bytes(context, h_kv, d_k, size), 2 * context * h_kv * d_k * size)
    for h, h_kv, size, ratio in ((8, 2, 2, 4), (8, 2, 1, 8), (6, 6, 4, 0.5), (9, 3, 4, 1.5)):
        same(f"intensity({h}, {h_kv}, {size})", mine.intensity(h, h_kv, size), ratio)
    for shape in SHAPES.values():
        g = shape.geometry
        place = f"intensity({g.h}, {g.h_kv})"
        same(place, mine.intensity(g.h, g.h_kv), roofline.decode_attention_intensity(shape))
