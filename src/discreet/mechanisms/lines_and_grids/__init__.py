"""Mechanisms for values on a line, a ring or a grid."""
