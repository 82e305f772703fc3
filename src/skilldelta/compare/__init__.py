"""Judged pairs to a verdict: the sequential procedure and the rules around it."""
