"""The NumPy layer below the samplers and statistics: word arithmetic, counting, fast transforms."""
