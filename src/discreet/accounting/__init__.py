"""What reports give away together: shuffled, repeated, and against a guess."""
