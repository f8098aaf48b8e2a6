"""Entity resolution: which spellings are names of one thing, and the evidence moved accordingly."""
