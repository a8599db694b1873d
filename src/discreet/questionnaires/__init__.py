"""Several questions as one thing: their spec, strategies, files, tallies and results."""
