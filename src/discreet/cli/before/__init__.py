"""Commands that run before anything is collected: contexts, proofs, plans, leakage."""
