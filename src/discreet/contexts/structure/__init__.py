"""The structure of a privacy matrix: closure, recognition of forms, components, sums and meets."""
