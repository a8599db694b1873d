"""Commands that run while answers are collected."""
