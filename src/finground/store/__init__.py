"""Floor 2: facts, prices and news over time. Every read takes `as_of`; nothing comes back that was not known
then.
"""
