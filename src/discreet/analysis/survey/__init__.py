"""Surveys: reports with labels, weights and a sampling design, and errors that allow for it."""
