"""A store in PostgreSQL, for several processes."""
