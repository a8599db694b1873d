"""NumPy under the samplers and the statistics: word arithmetic, counting, fast transforms."""
