"""Floor 2: from what was found to what the reader sees, and the check that nothing in it was made up."""
