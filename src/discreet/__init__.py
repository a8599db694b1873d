"""Context-aware local differential privacy: exact mechanisms, honest estimates."""
