"""Number theory and finite geometry: primes, finite fields, difference sets (standard library alone)."""
