"""Mechanisms: one file per idea, each a `Sampler` on 0 .. k-1; `Mechanism` joins one to a context."""
