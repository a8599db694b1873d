"""Commands that turn tallies into results."""
