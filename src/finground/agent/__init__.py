"""From a question to a data request and a plan (floor 2)."""
