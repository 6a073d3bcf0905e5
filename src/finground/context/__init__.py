"""Floor 2: the Financial Context Dataset: questions and the data requests they mean, made from templates."""
