"""Companies, metrics, dates and the request's written forms: what a question can mean (floor 1)."""
