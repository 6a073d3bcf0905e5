"""Floor 2: sentence vectors."""
