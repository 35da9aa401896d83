"""From lane to block and slot (lesson 20)

A kernel reads keys in tiles, and each lane of a tile takes one key. Decide
which block and slot each lane reads. Lanes past the end of the sequence have
to rest.
"""


def lane_address(position, block_table, block_size, seq_len):
    """(physical block, slot) of a position; None past the end of the
    sequence, and then the table is not read either.

    >>> lane_address(3, [1, 3, 5], 2, seq_len=5)
    (3, 1)
    >>> lane_address(5, [1, 3, 5], 2, seq_len=5) is None
    True
    """
    raise NotImplementedError


def tile_addresses(start, tile, block_table, block_size, seq_len):
    """One for each lane of the tile that begins at position start.

    >>> tile_addresses(3, 3, [1, 3, 5], 2, seq_len=5)
    [(3, 1), (5, 0), None]
    """
    raise NotImplementedError


def table_reads(seq_len, tile, block_size):
    """For each tile, how many different entries of the block table it reads.

    >>> table_reads(seq_len=5, tile=3, block_size=2)
    [2, 2]
    >>> table_reads(seq_len=64, tile=32, block_size=16)
    [2, 2]
    """
    raise NotImplementedError
