"""Floor 4: Stocksis, pairs of background and report over companies and dates (FinSphere, section 3.1)."""
