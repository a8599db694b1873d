"""A store in one SQLite file, for one process."""
