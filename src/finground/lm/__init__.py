"""Floor 1: language models. Bases, one training loop, adapters, and generation; knows nothing of finance."""
