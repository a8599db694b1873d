"""What can be said of one finite channel: divergences, contraction, information, tests."""
