"""Readers of raw files: one file in, rows of the store's tables out; a damaged file is an InputError that
names it.
"""
