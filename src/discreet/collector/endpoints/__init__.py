"""What each route does, by who may use it."""
