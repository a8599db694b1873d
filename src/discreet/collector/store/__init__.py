"""Where collections and uploads are kept: one protocol, its two databases, and what shows that nothing was lost."""
