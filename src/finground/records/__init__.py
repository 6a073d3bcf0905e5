"""Floor 0: what passes between rooms.

Frozen, slotted dataclasses and their JSON; no behaviour but what a reader needs.
"""
