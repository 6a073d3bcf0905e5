"""Floor 6: the same answers over HTTP, and as a page."""
