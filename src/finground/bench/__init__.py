"""Floor 4: what is measured, with what says how sure it is."""
