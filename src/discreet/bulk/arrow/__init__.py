"""Arrow columns as values, labels and reports, and back."""
