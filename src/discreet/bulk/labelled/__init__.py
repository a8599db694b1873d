"""Reports with public labels beside them: columns, counts and tallies by label."""
