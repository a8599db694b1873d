"""Groups of people: means, differences, and tests of many at once."""
