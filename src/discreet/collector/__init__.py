"""The collector: from a spec to a running collection that loses nothing and keeps nothing it should not."""
