"""The commands, one function each: they print results, and import the rooms they need inside (floor 6)."""
