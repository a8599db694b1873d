"""From reports to shares: tallies, decoders and results; NumPy begins here."""
