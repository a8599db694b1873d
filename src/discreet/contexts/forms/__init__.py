"""The forms of a context, one file each."""
