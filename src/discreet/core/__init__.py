"""What everything rests on: errors, limits, exact numbers, randomness, domains, canonical text; standard library."""
