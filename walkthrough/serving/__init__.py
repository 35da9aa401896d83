"""Many requests over one memory: whose lengths, which policy, and where the memory went."""
