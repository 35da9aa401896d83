"""Machines and links as their data sheets have them: dense figures, one direction.

Two traps. Newer sheets print the matrix rate "with sparsity", which is twice the dense one;
links are printed with both directions added up, which is twice what one transfer gets. The
figures of H200, B200 and MI300X were read in copies of the makers' pages.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Machine:
    """What a machine can do at most."""

    name: str
    flops_per_second: float  # dense, fp16 or bf16 unless the name says otherwise
    bytes_per_second: float  # between its memory and its processors
    memory: float  # bytes; 0 where it is not fixed
    source: str

    @property
    def ridge(self) -> float:
        """FLOPs for each byte at which computing and reading take equally long."""
        return self.flops_per_second / self.bytes_per_second

    def times(self, count: int) -> Machine:
        """Several as one, ideally: nothing is lost between them (tensor parallelism does lose)."""
        if count == 1:
            return self
        return Machine(
            f"{count} × {self.name}",
            count * self.flops_per_second,
            count * self.bytes_per_second,
            count * self.memory,
            self.source,
        )


MACHINES: dict[str, Machine] = {
    "t4": Machine("T4", 65e12, 320e9, 16e9, "NVIDIA T4 product page (its PDF says 300 GB/s)"),
    "l4": Machine("L4", 121e12, 300e9, 24e9, "NVIDIA L4 data sheet (242 sparse)"),
    "a100": Machine("A100-80 SXM", 312e12, 2039e9, 80e9, "NVIDIA A100 data sheet (624 sparse)"),
    "h100": Machine("H100 SXM", 989.4e12, 3350e9, 80e9, "NVIDIA H100 data sheet (1,979 sparse)"),
    "h200": Machine("H200 SXM", 989.4e12, 4800e9, 141e9, "NVIDIA H200 data sheet (1,979 sparse)"),
    "b200": Machine("B200 (HGX)", 2250e12, 8000e9, 180e9, "NVIDIA HGX B200 (4,500 sparse)"),
    "mi300x": Machine("MI300X", 1307.4e12, 5300e9, 192e9, "AMD MI300X data sheet (2,615 sparse)"),
    "rtx4090": Machine(
        "RTX 4090", 165.2e12, 1008e9, 24e9, "NVIDIA Ada white paper, appendix A (fp32 accumulate)"
    ),
    "m1": Machine(
        "Apple M1 (fp32)", 2.6e12, 68.25e9, 0, "Apple (2.6 teraflops); bandwidth: no source found"
    ),
}

# Bytes a second in one direction.
LINKS: dict[str, float] = {
    "nvlink4": 450e9,  # sold as 900 GB/s, both directions
    "nvlink3": 300e9,  # sold as 600
    "pcie5": 63e9,  # x16, after coding; sold as 128
    "pcie4": 31.5e9,  # x16; sold as 64
    "400g": 400e9 / 8,  # networks are sold in bits
    "200g": 200e9 / 8,
    "100g": 100e9 / 8,
    "25g": 25e9 / 8,
}


def machine(name: str) -> Machine:
    """A machine by its name in `MACHINES`, or as "2xa100" two of them as one.

    An unknown one raises ValueError with the known.
    """
    count, cross, one = name.partition("x")
    if cross and count.isascii() and count.isdigit() and 0 < int(count[:5]) <= 64:
        return machine(one).times(int(count))
    if name not in MACHINES:
        raise ValueError(f"unknown machine {name!r}; known: {', '.join(MACHINES)}")
    return MACHINES[name]
