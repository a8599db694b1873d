"""Ways to run a mechanism over many values; every engine gives the same reports for the same words."""
