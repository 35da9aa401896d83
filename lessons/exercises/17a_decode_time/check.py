"""Small machines, then real models on real cards, against the roofline of the reference."""

from walkthrough.exercises import same
from walkthrough.reference import MACHINES, SHAPES, roofline

MINUTES = 12
DIFFICULTY = 2
SMALL = (
    ((1, 0, 1000, 10, (4000, 1000)), 2.0),
    ((2, 50, 1000, 10, (4000, 1000)), 3.0),
    ((4, 0, 1000, 10, (4000, 1000)), 2.0),
    ((8, 0, 1000, 10, (4000, 1000)), 4.0),
    ((3, 7, 1, 2, (1, 1000)), 6.0),
)


def check(mine):
    for arguments, seconds in SMALL:
        place = f"decode_time{arguments}"
        same(place, mine.decode_time(*arguments), seconds)
    for flops, read, batch in ((8, 4, 2), (9, 4, 3), (3, 4, 1)):
        got = mine.first_compute_bound_batch((flops, read))
        same(f"first_compute_bound_batch({flops, read})", got, batch)
    for card in MACHINES.values():
        machine = card.flops_per_second, card.bytes_per_second
        got = mine.first_compute_bound_batch(machine)
        bound = roofline.compute_bound_batch(card)
        same(f"first_compute_bound_batch({machine})  # {card.name}", got, -(-bound // 1))
