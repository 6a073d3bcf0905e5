"""Floor 1: an invented world in the real sources' own formats, for the demo and for tests. Nothing in it
is real.
"""
