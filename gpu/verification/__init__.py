"""One schedule, two storages, compared at every step, and faults to see that it finds them."""
