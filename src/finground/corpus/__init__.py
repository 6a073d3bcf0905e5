"""Floor 2: raw files to tokenised training blocks and held-out documents, with a ledger that balances."""
