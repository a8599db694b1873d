"""What the stores in SQLite and PostgreSQL have in common: tables, hash chains, checkpoints, and their checks."""
