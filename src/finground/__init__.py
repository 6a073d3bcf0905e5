"""Knowledge-grounded financial language models, built, evaluated and served. `finground.cli` is the door."""

__version__ = "0.1.0"
