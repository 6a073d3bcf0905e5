"""Floor 2: six quantitative tools (FinSphere, section 4.1). Each is a pure function of the Bundle: findings
and gaps.
"""
